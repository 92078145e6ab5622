---- MODULE Lease ----
\* A lock by lease: a client whose clock is late may believe for longer that it holds it.
EXTENDS Naturals
CONSTANTS Client, Term, Late, Grace, End
VARIABLES now, granted, believes
vars == <<now, granted, believes>>
Init == now = 0 /\ granted = [c \in Client |-> 0] /\ believes = [c \in Client |-> 0]
Free == \A c \in Client : granted[c] = 0 \/ granted[c] + Grace <= now
Grant(c) == /\ Free
            /\ granted' = [granted EXCEPT ![c] = now + Term]
            /\ believes' = [believes EXCEPT ![c] = now + Term + Late]
            /\ UNCHANGED now
Tick == now < End /\ now' = now + 1 /\ UNCHANGED <<granted, believes>>
Next == Tick \/ \E c \in Client : Grant(c)
Spec == Init /\ [][Next]_vars
Holds(c) == believes[c] > now
Exclusive == \A c, d \in Client : Holds(c) /\ Holds(d) => c = d
Monotonic == [][now' >= now]_vars
====
