---- MODULE Writers ----
EXTENDS Naturals
CONSTANTS Writers, Most
VARIABLES slots, next
Ring == INSTANCE Buffer
Init == slots = [i \in 0..3 |-> 0] /\ next = 0
Put(writer) == next < 4 /\ Ring!Put(next, writer) /\ next' = next + 1
Next == \E w \in Writers : Put(w)
Brief == next < Most
Written == next' <= Most
NotFull == next < 3
====
