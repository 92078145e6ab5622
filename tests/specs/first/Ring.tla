---- MODULE Ring ----
EXTENDS Naturals, Sequences
CONSTANTS N, Id, Names, Tower
VARIABLE x
Node == 1..N
ASSUME N \in Nat \ {0} /\ Id \in Seq(Nat) /\ Len(Id) = N
ASSUME \A m, n \in Node : m # n => Id[m] # Id[n]
ASSUME Names \in Seq({"a", "b"}) /\ Len(Names) = 2
ASSUME Tower \in [1..Len(Tower) -> Nat]
Init == x = Id[1] + Len(Names) + Len(Tower)
Next == x' = x
Spec == Init /\ [][Next]_x
====
