---- MODULE Trace ----
EXTENDS System, Naturals, Sequences
CONSTANT Which
VARIABLE l
ndJsonDeserialize(path) ==
  LET line(e, w) == [event |-> e, w |-> w]
  IN  CASE Which = 1 -> <<line("Start", ""), line("Finish", "a"), line("Stop", "")>>
        [] Which = 2 -> <<line("Start", ""), line("Start", ""), line("Stop", "")>>
        [] Which = 3 -> <<line("Start", ""), line("Finish", "a"), line("Finish", "a")>>
        [] Which = 4 -> <<line("Start", ""), line("Jump", ""), line("Finish", "a")>>
Log == ndJsonDeserialize("log.ndjson")
IsEvent(e) == l <= Len(Log) /\ Log[l].event = e /\ l' = l + 1
TraceNext == \/ IsEvent("Start") /\ \E w \in Worker : Start(w)
             \/ IsEvent("Finish") /\ Finish(Log[l].w)
             \/ IsEvent("Nap") /\ Nap(Log[l].w)
             \/ IsEvent("Stop") /\ Stop
TraceSpec == Init /\ l = 1 /\ [][TraceNext]_<<work, done, l>>
====
