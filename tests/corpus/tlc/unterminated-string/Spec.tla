---- MODULE Spec ----
EXTENDS Naturals
VARIABLE x
Init == x = "nothing
Next == x' = x
Spec == Init /\ [][Next]_x
====
