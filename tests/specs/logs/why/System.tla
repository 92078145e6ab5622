---- MODULE System ----
VARIABLES work, done
Worker == {"a", "b", "c"}
Init == work = {} /\ done = {}
Start(w) == w \notin work /\ work' = work \cup {w} /\ UNCHANGED done
Finish(w) ==
  /\ w \in work
  /\ work' = work \ {w}
  /\ done' = done \cup {w}
Nap(w) == w \in done /\ UNCHANGED <<work, done>>
Stop == /\ work = {}
        /\ done' = {}
        /\ UNCHANGED work
Next == Stop \/ \E w \in Worker : Start(w) \/ Finish(w) \/ Nap(w)
Spec == Init /\ [][Next]_<<work, done>>
====
