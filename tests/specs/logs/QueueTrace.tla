---- MODULE QueueTrace ----
EXTENDS Queue, TLC, Json, IOUtils
VARIABLE l
Log == ndJsonDeserialize(IOEnv.LOG)
Shown == waiting' = {Log[l].state.waiting[i] : i \in DOMAIN Log[l].state.waiting}
TraceNext == l <= Len(Log) /\ l' = l + 1 /\
  \/ Log[l].action = "Put" /\ Put(Log[l].args.t, Log[l].args.d) /\ Shown
  \/ Log[l].action = "Get" /\ Get(Log[l].args.t) /\ Shown
TraceSpec == Init /\ l = 1 /\ [][TraceNext]_<<buffer, waiting, l>>
====
