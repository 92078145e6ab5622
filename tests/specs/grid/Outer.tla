---- MODULE Outer ----
EXTENDS Integers, FiniteSets
CONSTANTS Goal, Procs, Nodes
VARIABLES x, seen
I == INSTANCE Inner WITH Bound <- 1
Limit == 3
Other == 4
MyTop == 5
MyTwice(n) == n * 3
MyReached(v) == v >= 4
Init == x = 0 /\ seen = {}
Next == x < Goal /\ x' = x + 1 /\ seen' \in {{p} : p \in Procs \cup Nodes}
Spec == Init /\ [][Next]_<<x, seen>>
Below == ~I!Reached(x)
Few == x < Limit + Other
====
