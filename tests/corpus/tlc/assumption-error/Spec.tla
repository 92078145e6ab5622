---- MODULE Spec ----
EXTENDS Naturals
CONSTANT N
ASSUME N > "a"
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % N
Spec == Init /\ [][Next]_x
====
