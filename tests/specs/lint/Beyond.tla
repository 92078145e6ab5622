---- MODULE Beyond ----
EXTENDS Naturals, TLC
CONSTANTS N, S
VARIABLE x
Init == x \in S
Next == x' \in S
Spec == Init /\ [][Next]_x
Unused == N + 1 > 0
Pick == CHOOSE s \in S : TRUE
Sym == Permutations(S)
Inv == x # N
====
