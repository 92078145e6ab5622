---- MODULE Grid ----
EXTENDS Naturals
CONSTANTS N, M, Quorums
VARIABLE x
Inner(k) == INSTANCE Cell WITH Size <- M + k
Bound == x < N
Top == 3
Spec == x = 0 /\ [][x' = BODY]_x
Inv == INV
ASSUME N > 0 /\ ASSUMED
Unused == N
====
