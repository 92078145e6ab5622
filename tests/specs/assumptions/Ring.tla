---- MODULE Ring ----
EXTENDS Naturals
CONSTANTS N, Other
ASSUME N > 3
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % N
Inv == x < 9
====
