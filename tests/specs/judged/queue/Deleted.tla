---- MODULE Deleted ----
\* Of the same name as the reference, with one invariant on everything that is somewhere.
EXTENDS Integers, Sequences
CONSTANTS Limit, Last
VARIABLES sent, inFlight, got
Init == /\ sent = 0
        /\ inFlight = << >>
        /\ got = << >>
Send == /\ sent # Last
        /\ Len(inFlight) # Limit
        /\ sent' = sent + 1
        /\ inFlight' = inFlight \o <<sent'>>
        /\ UNCHANGED got
Receive == /\ Len(inFlight) > 0
           /\ got' = got \o <<inFlight[1]>>
           /\ inFlight' = SubSeq(inFlight, 2, Len(inFlight))
           /\ UNCHANGED sent
Spec == /\ Init
        /\ [][Send \/ Receive]_<<sent, inFlight, got>>
        /\ WF_<<sent, inFlight, got>>(Send)
        /\ WF_<<sent, inFlight, got>>(Receive)
Everything == Len(got) + Len(inFlight) = sent /\ Len(inFlight) <= Limit
====
