---- MODULE Spec ----
EXTENDS Naturals
CONSTANT N
ASSUME N > 2
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % N
Spec == Init /\ [][Next]_x
====
