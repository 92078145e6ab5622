---- MODULE Kinds ----
EXTENDS Integers, Sequences, FiniteSets
CONSTANTS
  Servers,        \* the servers
  Senders,        \* the senders
  Leader,
  Faulty,
  Quorums,
  Majorities,
  Shown,
  Weights,
  Most,
  Sizes,
  Heads,
  Least,
  Fast,           \* whether to be fast
  Word,
  Codes,
  Pairs,
  Queue,
  Config,
  Better(_, _),
  Nil             \* nothing
VARIABLE x
ASSUME Leader \in Servers /\ Faulty \subseteq Servers
ASSUME Quorums \subseteq SUBSET Servers /\ \A q, r \in Quorums : q \cap r # {}
ASSUME /\ \A q \in Majorities : q \subseteq Servers
       /\ \A q, r \in Majorities : q \cap r # {}
       /\ \A s \in Shown : s \in Servers
ASSUME Weights \in [Servers -> 1..9]
ASSUME Sizes \in [Servers -> [Senders -> {n \in Nat : n > 0}]]
ASSUME Heads \in [Servers -> {q \in {1, 3} : q > 1}]
ASSUME Least \in Nat /\ Least > 4
ASSUME Word \in STRING
ASSUME Codes \subseteq Nat \ {0}
ASSUME Pairs \subseteq Servers \X Senders
ASSUME Queue \in Seq(Servers)
ASSUME Config \in [port : Nat, host : Servers]
Init == x = Nil
Next == IF Fast /\ Better(1, 2) /\ Most > 1 THEN x' \in Senders ELSE UNCHANGED x
Spec == Init /\ [][Next]_x
Absent == CHOOSE a : a \notin Servers
First == CHOOSE s \in Servers : TRUE
TypeOK == x \in Senders \cup {Nil}
Done == <>(x # Nil)
====
