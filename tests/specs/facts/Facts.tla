---- MODULE Facts ----
EXTENDS Naturals
CONSTANT N
VARIABLE x
ASSUME Wide == N > 3
Init == x = 0
Next == x' = (x + 1) % (N + 1)
Base == INSTANCE FactsBase
Of(y) == INSTANCE FactsBase WITH x <- y
THEOREM Bound == x \in 0..3
THEOREM Steps == [][x' # 4]_x
THEOREM Sequent == ASSUME NEW k \in Nat PROVE k < 7

ByTheorem == Bound
ByLemma == Base!Low
ByParameter == Of(x)!Low
ByAssumption == Wide => x < 4
OfConstants == Wide
====
