---- MODULE Queue ----
\* A channel that holds Limit messages and delivers them in order.
EXTENDS Naturals, Sequences
CONSTANTS Limit, Last
VARIABLES sent, inFlight, got
vars == <<sent, inFlight, got>>
Init == sent = 0 /\ inFlight = <<>> /\ got = <<>>
Send == /\ sent < Last /\ Len(inFlight) < Limit
        /\ sent' = sent + 1 /\ inFlight' = Append(inFlight, sent + 1) /\ got' = got
Receive == /\ inFlight # <<>>
           /\ got' = Append(got, Head(inFlight)) /\ inFlight' = Tail(inFlight) /\ sent' = sent
Next == Send \/ Receive
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Bounded == Len(inFlight) <= Limit
InOrder == \A i \in 1..Len(got) : got[i] = i
Delivered == <>(Len(got) = Last)
====
