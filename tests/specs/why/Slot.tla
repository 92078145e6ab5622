---- MODULE Slot ----
CONSTANT Values
VARIABLE held
None == CHOOSE v : v \notin Values
Init == held = None
Put(v) == held' = v
Next == \E v \in Values : Put(v)
Spec == Init /\ [][Next]_held
Free == held = None
====
