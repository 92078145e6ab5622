---- MODULE Jobs ----
EXTENDS Naturals
CONSTANT Nodes
VARIABLES finished, open
Init == finished = {} /\ open = 0
Begin == /\ open = 0
         /\ open' = open + 1
         /\ UNCHANGED finished
Finish(n) == n \notin finished /\ finished' = finished \cup {n} /\ UNCHANGED open
Forget == finished' = {} /\ open' = 0
Next == Begin \/ Forget \/ \E n \in Nodes : Finish(n)
Spec == Init /\ [][Next]_<<finished, open>>
====
