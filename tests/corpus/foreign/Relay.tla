---- MODULE Relay ----
(* A token goes round between stations; the log keeps who had it. *)
EXTENDS Naturals, Sequences
CONSTANTS a, b
VARIABLES token, log, busy
vars == <<token, log, busy>>
Stations == {a, b}
Init == token = a /\ log = <<>> /\ busy = [s \in Stations |-> FALSE]
Take(s) ==
  /\ token = s
  /\ ~busy[s]
  /\ busy' = [busy EXCEPT ![s] = TRUE]
  /\ UNCHANGED <<token, log>>
Pass(s, t) ==
  /\ busy[s]
  /\ s # t
  /\ token' = t
  /\ log' = IF Len(log) < 2 THEN Append(log, [from |-> s, seen |-> {s, t}]) ELSE log
  /\ busy' = [busy EXCEPT ![s] = FALSE]
Next == \E s \in Stations : Take(s) \/ \E t \in Stations : Pass(s, t)
Spec == Init /\ [][Next]_vars
Fair == Spec /\ WF_vars(Next)
Short == Len(log) < 2
Rests == <>[](token = a)
Moves == []<>(token = b)
====
