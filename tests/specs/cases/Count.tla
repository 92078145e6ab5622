---- MODULE Count ----
EXTENDS Naturals, TLC
CONSTANTS a, b
VARIABLES x, y
Init == x = 0 /\ y \in {a, b}
Up == x' = x + 1 /\ UNCHANGED y
Next == Up
Spec == Init /\ [][Next]_<<x, y>>
Small == x < 3
Bound == x < 5
Both == Permutations({a, b})
Seen == x
====
