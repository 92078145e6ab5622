---- MODULE Small ----
EXTENDS Naturals, TLC
CONSTANTS N, S, Filled
VARIABLE x
Low == x > 0
Init == x = 0
Next == x' = x + 1
Spec == Init /\ [][Next]_x
TypeOK == x \in Nat /\ S # Filled
Live == <>(x = N)
Bound == x < N
Step == x' < N
Perms == Permutations(S)
Seen == x
====
