---- MODULE Nested ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
F[n \in 0..3] == IF n = 2 THEN n + "a" ELSE n
Step(k) == x' = F[k]
Next == x < 3 /\ Step(x + 1)
Spec == Init /\ [][Next]_x
====
