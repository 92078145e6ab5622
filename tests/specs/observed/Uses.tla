---- MODULE Uses ----
EXTENDS Json, IOUtils, Integers, Sequences
VARIABLE x
Log == ndJsonDeserialize("a.json")
ASSUME Len(Log) = 2 /\ Log[1].n + 3 = Log[2].n /\ Log[1].q = <<TRUE, <<>>>>
ASSUME Log[1].f["a-b"] = 1 /\ Log[1].f["IF"] = "x" /\ Len(Log[1].s) = 5
ASSUME atoi("-120") = -120 /\ "LC_ALL" \in DOMAIN IOEnv
Init == x = 0
Next == UNCHANGED x
====
