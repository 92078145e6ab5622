---- MODULE TooSmall ----
\* The same protocol in other words: ballots, and a set of winners.
EXTENDS Naturals, FiniteSets
CONSTANT Servers
VARIABLES ballot, winners
For(c) == {s \in Servers : ballot[s] = c}
Majority(S) == 2 * Cardinality(S) + 1 >= Cardinality(Servers)
Start == ballot = [s \in Servers |-> "none"] /\ winners = {}
Step ==
  \/ \E s, c \in Servers :
       /\ ballot[s] = "none"
       /\ ballot' = [ballot EXCEPT ![s] = c]
       /\ winners' = winners
  \/ \E c \in Servers :
       /\ Majority(For(c))
       /\ winners' = winners \cup {c}
       /\ ballot' = ballot
Spec == Start /\ [][Step]_<<ballot, winners>>
AtMostOne == Cardinality(winners) <= 1
ByMajority == \A c \in winners : Majority(For(c))
====
