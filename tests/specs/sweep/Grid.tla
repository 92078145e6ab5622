---- MODULE Grid ----
EXTENDS Naturals
CONSTANTS A, B, C
VARIABLE x
Limit == x < 5
Spec == x = 0 /\ [][x' = A + B + C /\ Limit]_x
Other == x = 1 /\ [][UNCHANGED x]_x
====
