---- MODULE Mail ----
EXTENDS Naturals
VARIABLES sent, got
vars == <<sent, got>>
Init == sent = {} /\ got = {}
Send(m) == m \notin sent /\ sent' = sent \cup {m} /\ UNCHANGED got
Receive(m) == m \notin got /\ got' = got \cup {m} /\ UNCHANGED sent
Next == (\E m \in 1..2 : Send(m)) \/ (\E m \in sent : Receive(m))
Spec == Init /\ [][Next]_vars /\ WF_vars(\E m \in 1..2 : Send(m))
Arrives == <>(got # {})
====
