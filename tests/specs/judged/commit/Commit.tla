---- MODULE Commit ----
\* Participants vote, and the coordinator decides for all.
CONSTANT RM
VARIABLES state, decision
vars == <<state, decision>>
Init == state = [r \in RM |-> "working"] /\ decision = "none"
Prepare(r) == /\ state[r] = "working"
              /\ state' = [state EXCEPT ![r] = "prepared"] /\ UNCHANGED decision
GiveUp(r) == /\ state[r] = "working"
             /\ state' = [state EXCEPT ![r] = "aborted"] /\ UNCHANGED decision
Decide == /\ decision = "none"
          /\ decision' = IF \A r \in RM : state[r] = "prepared" THEN "commit" ELSE "abort"
          /\ UNCHANGED state
Learn(r) == /\ decision # "none"
            /\ state' = [state EXCEPT ![r] = IF decision = "commit" THEN "committed" ELSE "aborted"]
            /\ UNCHANGED decision
Next == Decide \/ \E r \in RM : Prepare(r) \/ GiveUp(r) \/ Learn(r)
Spec == Init /\ [][Next]_vars
TypeOK == /\ state \in [RM -> {"working", "prepared", "committed", "aborted"}]
          /\ decision \in {"none", "commit", "abort"}
Consistent == \A r, s \in RM : ~(state[r] = "committed" /\ state[s] = "aborted")
Stable == [][decision # "none" => decision' = decision]_vars
====
