---- MODULE SimulatedAssume ----
\* A simulation starts though an assumption is false.
EXTENDS Naturals
CONSTANT N
ASSUME N > 3
VARIABLE x
Spec == x = 0 /\ [][x' = (x + 1) % N]_x
Small == x < 3
====
