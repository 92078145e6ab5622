---- MODULE Ordered ----
EXTENDS Naturals, Sequences, TLC, Json, IOUtils
VARIABLES x, l
All == ndJsonDeserialize(IOEnv.LOG)
Reverse(s) == [i \in 1..Len(s) |-> s[Len(s) + 1 - i]]
Log == ORDER
Init == x = 0 /\ l = 1
Next == l <= Len(Log) /\ l' = l + 1 /\ x' = x + 1 /\ x' = Log[l].x
Spec == Init /\ [][Next]_<<x, l>>
====
