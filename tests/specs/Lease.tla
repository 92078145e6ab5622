---- MODULE Lease ----
\* A lock by lease: a client that is late may still believe that it holds it.
EXTENDS Naturals
CONSTANTS Term, Late, Grace
VARIABLES now, granted, believes
vars == <<now, granted, believes>>
Clients == {1, 2}
Init == now = 0 /\ granted = [c \in Clients |-> 0] /\ believes = [c \in Clients |-> 0]
Free == \A c \in Clients : granted[c] + Grace <= now \/ granted[c] = 0
Grant(c) == /\ Free /\ now < 20
            /\ granted' = [granted EXCEPT ![c] = now + Term]
            /\ believes' = [believes EXCEPT ![c] = now + Term + Late]
            /\ UNCHANGED now
Tick == now < 30 /\ now' = now + 1 /\ UNCHANGED <<granted, believes>>
Next == Tick \/ \E c \in Clients : Grant(c)
Spec == Init /\ [][Next]_vars
Exclusive == \A c, d \in Clients : c # d => ~(believes[c] > now /\ believes[d] > now)
====
