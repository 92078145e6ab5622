---- MODULE Trace ----
EXTENDS Naturals, Sequences
VARIABLE l
IOEnv == [A |-> "a", B |-> "b"]
ndJsonDeserialize(path) == <<path>>
Log == ndJsonDeserialize(IOEnv.A) \o ndJsonDeserialize(IOEnv.B)
Spec == l = 1 /\ [][l <= Len(Log) /\ l' = l + 1]_l
====
