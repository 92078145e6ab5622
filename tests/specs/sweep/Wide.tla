---- MODULE Wide ----
EXTENDS Naturals, FiniteSets, TLC
CONSTANTS A, B, Procs, Op(_)
LOCAL Hidden == 3
Twice == 2 * A
VARIABLE x
Init == x = 0
Next == x < A + B + Cardinality(Procs) /\ x' = x + 1
Spec == Init /\ [][Next]_x
Small == x <= 100
Tiny == x <= 1
Bound == x < Twice
Perms == Permutations(Procs)
====
