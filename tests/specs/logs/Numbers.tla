---- MODULE Numbers ----
EXTENDS Naturals, Sequences, TLC, Json, IOUtils
VARIABLES x, l
Log == ndJsonDeserialize(IOEnv.LOG)
Init == x = 0 /\ l = 1
Next == l <= Len(Log) /\ l' = l + 1 /\ x' = x + 1 /\ ("n" \in DOMAIN Log[l] => Log[l].n = Log[l].n)
Spec == Init /\ [][Next]_<<x, l>>
====
