---- MODULE Stepping ----
EXTENDS Naturals
VARIABLE x
Step(n) == x < 3 /\ x' = x + n
Spec == x = 0 /\ [][Step(1)]_x
====
