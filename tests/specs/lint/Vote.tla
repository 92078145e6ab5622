---- MODULE Vote ----
CONSTANTS Proc, Leader
VARIABLE x
Nobody == CHOOSE n : n \notin Proc
Init == x = Leader
Step == x' \in Proc
Spec == Init /\ [][Step]_x
====
