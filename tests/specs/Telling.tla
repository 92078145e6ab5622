------------------------------- MODULE Telling -------------------------------
(* Every way in which an action may be given its values, one step each, in the order of the variable at. *)
EXTENDS TellingBase

CONSTANT People

VARIABLES at, who

vars == <<at, who, base>>

Init == at = 0 /\ who = "nobody" /\ base = 0

Go(step, name) == at = step /\ at' = step + 1 /\ who' = name

Parameter(p, q) ==
    /\ p # q
    /\ Go(0, p)
    /\ UNCHANGED base

InBody == \E p \in People :
             /\ p \notin {who}
             \* a list whose columns must stay
             /\ \/ p = "bob"
                \/ p = "none"
             /\ Go(1, p)
             /\ UNCHANGED base

BelowGuards ==
    /\ \E p \in People : p # who        \* no value of this one is told: it says nothing of the step
    /\ at = 2
    /\ LET next == at + 1 IN
       \E p \in People, n \in 1..9 : n = next /\ p = "ann" /\ at' = n /\ who' = p
    /\ UNCHANGED base

Either(p) ==
    \/ at = 3 /\ \E q \in People \ {p} : Go(3, q) /\ q = "bob" /\ UNCHANGED base
    \/ at = 4 /\ Go(4, p) /\ UNCHANGED base

Ambiguous == at = 5 /\ \E p \in People, few \in {1, 2} : Go(5, p) /\ p = "ann" /\ UNCHANGED base

LOCAL Pair == \E <<p, q>> \in People \X People : Go(6, p) /\ p = "bob" /\ q = "ann" /\ UNCHANGED base

Condition(p) == IF at = 7 THEN \E q \in People : Go(7, q) /\ q # p /\ UNCHANGED base ELSE FALSE

Extended(p) == at = 8 /\ at' = 9 /\ who' = p /\ SetBase

Nothing == at = 9 /\ at' = 10 /\ UNCHANGED <<who, base>>

LOCAL Next ==
    \/ Parameter("ann", "bob")
    \/ InBody
    \/ BelowGuards
    \/ \E p \in {"ann"} : Either(p)
    \/ Ambiguous
    \/ Pair
    \/ \E p \in {"bob"} : Condition(p)
    \/ Extended("bob")
    \/ Nothing

LOCAL Spec == Init /\ [][Next]_vars

NotThere == at < 10
=============================================================================
