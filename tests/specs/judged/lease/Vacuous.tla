---- MODULE Vacuous ----
\* The same lock, said as the set of those who believe.
EXTENDS Naturals, FiniteSets
CONSTANTS Client, Term, Late, Grace, End
VARIABLES now, granted, believes
Holders == {c \in Client : now < believes[c]}
Nobody == [c \in Client |-> 0]
Init == now = 0 /\ granted = Nobody /\ believes = Nobody
Give(c) ==
  /\ \A d \in Client : granted[d] > 0 => now >= granted[d] + Grace
  /\ granted' = [granted EXCEPT ![c] = now + Term]
  /\ believes' = [believes EXCEPT ![c] = granted'[c] + Late]
  /\ now' = now
Pass == /\ now # End
        /\ now' = now + 1
        /\ granted' = granted
        /\ believes' = believes
Spec == Init /\ [][Pass \/ \E c \in Client : Give(c)]_<<now, granted, believes>>
Alone == now > End => Cardinality(Holders) <= 1
====
