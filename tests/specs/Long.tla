---- MODULE Long ----
EXTENDS Naturals
CONSTANT Max \* a number
VARIABLES x, y
Spec == x = 0 /\ y = 0 /\ [][x < Max /\ x' = x + 1 /\ y' \in 0..x]_<<x, y>>
Fine == x >= 0
====
