---- MODULE Inner ----
EXTENDS Naturals, Sequences
LOCAL INSTANCE Json
LOCAL INSTANCE IOUtils
LOCAL File == IF "LOG" \in DOMAIN IOEnv THEN IOEnv.LOG ELSE "log.json"
Config == ndJsonDeserialize(IOEnv.CONFIG)
Lines == SelectSeq(READ(File), LAMBDA line : "n" \in DOMAIN line /\ line.n \in 1..Config[1].most)
====
