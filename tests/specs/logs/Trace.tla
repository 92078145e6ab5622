---- MODULE Trace ----
EXTENDS Naturals, Sequences, TLC, Json, IOUtils
VARIABLES x, l
Log == ndJsonDeserialize(IOEnv.LOG)
Init == x = 0 /\ l = 1
Next == l <= Len(Log) /\ l' = l + 1 /\
        \/ Log[l].e = "any" /\ \E k \in 1..9 : x' = k
        \/ Log[l].e = "is" /\ x = Log[l].n /\ UNCHANGED x
Spec == Init /\ [][Next]_<<x, l>>
Small == x < 7
Exit == x = 9 => TLCSet("exit", TRUE)
Final == l <= Len(Log)
Safe == ~(l > Len(Log) /\ x = 3)
Calm == [][~(l = 4 /\ x = 3)]_l
====
