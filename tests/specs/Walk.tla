-------------------------------- MODULE Walk --------------------------------
(* A walk along a street: small enough to see all of it, with claims that fail in every way a claim can. *)
EXTENDS Integers, TLC

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
FairSpec == Spec /\ WF_vars(Next)
RoundSpec == Init /\ [][Next \/ Turn]_vars /\ WF_vars(Next \/ Turn)

OnStreet == at \in 0 .. Last
NotLast == at < Last
NotHome == at # 0
Sum == at + met = 3
Asserted == Assert(at < Last, "the end of the street")
Arrives == <>(at = Last)
Settles == <>[](at = Last)
Onward == [][at' > at]_vars
=============================================================================
