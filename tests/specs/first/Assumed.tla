---- MODULE Assumed ----
EXTENDS Integers, FiniteSets
CONSTANTS N, T, F  \* replicas, and how many fail
CONSTANTS Bridge, Positions, Ballot, Items, Offers, Mode
VARIABLE x
Least(S) == CHOOSE m \in S : \A s \in S : m <= s
Sound == N > 3 * T
ASSUME Sound /\ T >= F
ASSUME Least(Positions) < Least(Bridge) /\ Cardinality(Bridge) < Cardinality(Positions)
ASSUME 0 \in Ballot /\ Ballot \subseteq Nat
ASSUME Offers \subseteq SUBSET Items
       /\ \A o \in Offers :
             Cardinality(o) = Cardinality(Items) - 1
ASSUME Mode \in {"sync", "async"}
Init == x \in Items
Next == x' = x
Spec == Init /\ [][Next]_x
====
