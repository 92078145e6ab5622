---- MODULE NAME ----
EXTENDS Integers, Sequences, FiniteSets, TLC, Json, IOUtils
VARIABLES VARS, l
All == ndJsonDeserialize(IOEnv.LOG)
Form == All[1].form
Log == ORDER
Is(action, argument, shown) ==
  Log[l].a = action /\ Log[l].k \in {-1, argument} /\ Log[l].s \in {-1, shown}
Init == INIT /\ l = 1
Next == l <= Len(Log) /\ l' = l + 1 /\ (
  NEXT)
Spec == Init /\ [][Next]_<<VARS, l>>
Good == Form = "invariant" => GOOD
Exit == Form = "exit" /\ ~(GOOD) => TLCSet("exit", TRUE)
====
