---- MODULE Election ----
\* Each node votes once; who has a majority leads.
EXTENDS Naturals, FiniteSets
CONSTANT Node
VARIABLES vote, leader
vars == <<vote, leader>>
Init == vote = [n \in Node |-> "none"] /\ leader = {}
Votes(c) == Cardinality({n \in Node : vote[n] = c})
Vote(n, c) == vote[n] = "none" /\ vote' = [vote EXCEPT ![n] = c] /\ UNCHANGED leader
Win(c) == 2 * Votes(c) > Cardinality(Node) /\ leader' = leader \cup {c} /\ UNCHANGED vote
Next == \E c \in Node : Win(c) \/ \E n \in Node : Vote(n, c)
Spec == Init /\ [][Next]_vars
OneLeader == \A a, b \in leader : a = b
Elected == \A c \in leader : 2 * Votes(c) > Cardinality(Node)
====
