---- MODULE Ring ----
EXTENDS FiniteSets, Naturals, TLC
CONSTANTS Node, a, b
VARIABLES leader, log
Symmetry == Permutations(Node)
Elements == {a, b}
OfElements == Permutations(Elements)
First == CHOOSE n \in Node : TRUE
Pick(S) == CHOOSE n \in S : TRUE
Half == CHOOSE k \in 0..Cardinality(Node) : 2 * k >= Cardinality(Node)
Others(n) == CHOOSE m \in Node : m # n
NoNode == CHOOSE n : n \notin Node
Leader == CHOOSE n \in Node : leader[n]
Init == leader = [n \in Node |-> n = First] /\ log = {}
Next == \E n \in Node : leader' = [leader EXCEPT ![n] = TRUE] /\ STEP
Spec == /\ Init
        /\ [][Next]_<<leader, log>>
Inv == INVARIANT
====
