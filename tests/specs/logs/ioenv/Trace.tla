---- MODULE Trace ----
EXTENDS Naturals, Sequences, TLC, Json, IOUtils
VARIABLES x, l
Log == SelectSeq(ndJsonDeserialize(IOEnv.LOG), LAMBDA line : "n" \in DOMAIN line)
Init == x = 0 /\ l = 1 /\ PrintT(<<IOEnv.LOG, "OTHER" \in DOMAIN IOEnv>>)
Next == l <= Len(Log) /\ x' = x + 1 /\ x' = Log[l].n /\ l' = l + 1
Spec == Init /\ [][Next]_<<x, l>>
====
