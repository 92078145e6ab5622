---- MODULE Idle ----
EXTENDS Naturals
VARIABLES sent, seen, turns
vars == <<sent, seen, turns>>
Init == sent = 0 /\ seen = 0 /\ turns = 0
Send == sent < 2 /\ sent' = sent /\ UNCHANGED <<seen, turns>>
See == seen < sent /\ seen' = sent /\ UNCHANGED <<sent, turns>>
Turn == turns' = 1 - turns /\ UNCHANGED <<sent, seen>>
Rest == UNCHANGED vars
Next == Send \/ See \/ Turn \/ Rest
Spec == Init /\ [][Next]_vars /\ WF_vars(See) /\ WF_vars(Turn)
Arrives == <>(seen > 0)
Low == /\ seen < 5
       /\ sent > turns
====
