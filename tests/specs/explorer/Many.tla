---- MODULE Many ----
EXTENDS Naturals
CONSTANT N
VARIABLE x
Init == x = 0
Red == N % 3 = 0 /\ x' = x + 1
Green == N % 3 = 1 /\ x' = x + 1
Blue == N % 3 = 2 /\ x' = x + 1
Next == Red \/ Green \/ Blue
Few == x < 2 + (N % 5)
====
