---- MODULE Sums ----
EXTENDS SumsBase
CONSTANT N
ASSUME N \in Nat
ASSUME Small == Double(N) < 5
AXIOM 1 = 2
====
