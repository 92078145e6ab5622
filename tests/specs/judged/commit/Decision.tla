---- MODULE Decision ----
\* The same with the names of the states as definitions, and its properties on pairs of outcomes.
CONSTANT RM
VARIABLES state, decision
Working == "working"
Outcomes == {state[r] : r \in RM} \cap {"committed", "aborted"}
Init == /\ decision = "none"
        /\ state = [r \in RM |-> Working]
Vote(r, how) == state[r] = Working /\ state' = [state EXCEPT ![r] = how] /\ decision' = decision
Decide == /\ decision = "none"
          /\ state' = state
          /\ \/ decision' = "abort" /\ \E r \in RM : state[r] # "prepared"
             \/ decision' = "commit" /\ \A r \in RM : state[r] = "prepared"
Learn(r) == /\ decision \in {"commit", "abort"}
            /\ state' = [state EXCEPT ![r] = [commit |-> "committed", abort |-> "aborted"][decision]]
            /\ decision' = decision
Step == Decide \/ \E r \in RM : Learn(r) \/ \E how \in {"prepared", "aborted"} : Vote(r, how)
Spec == Init /\ [][Step]_<<state, decision>>
Agreed == Outcomes # {"committed", "aborted"}
Known == /\ \A r \in RM : state[r] \in {"working", "prepared", "committed", "aborted"}
         /\ decision \in {"none", "commit", "abort"}
Final == [][decision = "none" \/ UNCHANGED decision]_<<state, decision>>
====
