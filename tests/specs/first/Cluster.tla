---- MODULE Cluster ----
EXTENDS Naturals, FiniteSets
CONSTANTS InitServer, Server, Nil, Limit, Value, Name, Op(_)
VARIABLES up, last
ASSUME Limit < 4
Init == up = InitServer /\ last = Nil
Join(s) == s \in Server \ up /\ up' = up \cup {s} /\ last' = s
Next == \E s \in Server : Join(s) /\ Cardinality(up) < Op(Limit)
Spec == Init /\ [][Next]_<<up, last>>
Twice(n) == 2 * n
AllUp == Cardinality(up) < Cardinality(Server)
Small == Cardinality(up) < 9 /\ Cardinality(Value) > 0 /\ Cardinality(InitServer) > 0 /\ Name # "x"
TypeOK == up \subseteq Server
====
