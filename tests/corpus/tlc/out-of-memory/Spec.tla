---- MODULE Spec ----
EXTENDS Naturals, FiniteSets
VARIABLE x
Init == x = 0
Next == x' = [i \in 1..100000000 |-> i]
Spec == Init /\ [][Next]_x
====
