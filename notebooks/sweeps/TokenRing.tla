------------------------------ MODULE TokenRing ------------------------------
(* Nodes in a ring give one another work until a budget is used up. A token    *)
(* goes round to find out whether all are idle: it turns black where a node    *)
(* has given work to one that the token has passed already. How long does it   *)
(* take to notice?                                                             *)
EXTENDS Naturals

CONSTANTS
  N,      \* nodes, a number
  Budget, \* how often work is given in all, a number
  Eager   \* whether a token that is black already waits for no one, a boolean

VARIABLES active, black, place, tokenBlack, budget, detected

vars == <<active, black, place, tokenBlack, budget, detected>>
Nodes == 0 .. N - 1

Init ==
  /\ active = [n \in Nodes |-> TRUE]
  /\ black = [n \in Nodes |-> FALSE]
  /\ place = 0
  /\ tokenBlack = TRUE
  /\ budget = Budget
  /\ detected = FALSE

Give(n, m) ==
  /\ active[n] /\ budget > 0 /\ ~detected
  /\ active' = [active EXCEPT ![m] = TRUE]
  /\ black' = [black EXCEPT ![n] = @ \/ m > n]
  /\ budget' = budget - 1
  /\ UNCHANGED <<place, tokenBlack, detected>>

Rest(n) ==
  /\ active[n] /\ ~detected
  /\ active' = [active EXCEPT ![n] = FALSE]
  /\ UNCHANGED <<black, place, tokenBlack, budget, detected>>

Start ==
  /\ place = 0 /\ ~active[0] /\ ~detected
  /\ tokenBlack \/ black[0]
  /\ place' = N - 1
  /\ tokenBlack' = FALSE
  /\ black' = [black EXCEPT ![0] = FALSE]
  /\ UNCHANGED <<active, budget, detected>>

Pass ==
  /\ place > 0 /\ ~detected
  /\ ~active[place] \/ (Eager /\ (tokenBlack \/ black[place]))
  /\ place' = place - 1
  /\ tokenBlack' = (tokenBlack \/ black[place])
  /\ black' = [black EXCEPT ![place] = FALSE]
  /\ UNCHANGED <<active, budget, detected>>

Detect ==
  /\ place = 0 /\ ~active[0] /\ ~tokenBlack /\ ~black[0] /\ ~detected
  /\ detected' = TRUE
  /\ UNCHANGED <<active, black, place, tokenBlack, budget>>

Next ==
  \/ \E n, m \in Nodes : n # m /\ Give(n, m)
  \/ \E n \in Nodes : Rest(n)
  \/ Start \/ Pass \/ Detect

Spec == Init /\ [][Next]_vars

Sound == detected => \A n \in Nodes : ~active[n]
===============================================================================
