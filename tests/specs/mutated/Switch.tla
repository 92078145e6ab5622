---- MODULE Switch ----
VARIABLE x
Init == x = {}
On == x = {} /\ x' = {x}
Off == x # {} /\ x' = {}
Next == On \/ Off
Spec == Init /\ [][Next]_x
====
