-------------------------------- MODULE Walk --------------------------------
(* A walk along a street: small enough to see all of it, with claims that fail in several ways. *)
EXTENDS Integers

CONSTANTS
  Last,    \* a number: the last house
  Nobody   \* a model value

ASSUME Last > 0

VARIABLES
  at,      \* the house
  met      \* who was met last

vars == <<at, met>>

Init == at = 0 /\ met = Nobody

Walk(step) ==
  /\ at + step \in 0 .. Last
  /\ at' = at + step
  /\ met' = "neighbour"

Turn == at = Last /\ at' = 0 /\ UNCHANGED met

Next == Walk(1)

Spec == Init /\ [][Next]_vars
RoundSpec == Init /\ [][Next \/ Turn]_vars /\ WF_vars(Next \/ Turn)

OnStreet == at \in 0 .. Last
NotLast == at < Last
NotHome == at # 0
Sum == at + met = 3
Settles == <>[](at = Last)
=============================================================================
