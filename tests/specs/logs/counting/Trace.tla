---- MODULE Trace ----
EXTENDS Naturals, Sequences, TLC
CONSTANT Wrong
VARIABLES x, l
ndJsonDeserialize(path) == <<[n |-> 1], [n |-> IF Wrong THEN 3 ELSE 2], [n |-> 3]>>
Log == ndJsonDeserialize("log.ndjson")
Init == x = 0 /\ l = 1
Next == l <= Len(Log) /\ x' \in x..(x + 1) /\ x' \in {x, Log[l].n} /\ l' = l + (x' - x) /\ PrintT(x)
Spec == Init /\ [][Next]_<<x, l>>
====
