---- MODULE Ring ----
\* A token goes round; what is asked of it fails in every way there is.
EXTENDS Naturals, TLC
CONSTANTS Nodes, Broken
ASSUME Broken \in {"none", "stop", "assert"}
VARIABLES token, hops
vars == <<token, hops>>
Init == token \in Nodes /\ hops = 0
Pass(to) == hops < 3 /\ token # to /\ token' = to /\ hops' = hops + 1
Reset == hops = 3 /\ Broken # "stop" /\ hops' = 1 /\ UNCHANGED token
Fail == hops = 2 /\ Broken = "assert" /\ Assert(FALSE, "two hops") /\ UNCHANGED vars
Next == (\E to \in Nodes : Pass(to)) \/ Reset \/ Fail
Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ WF_vars(Next)
Few == hops < 3
AtFirst == hops # 0
Grows == [][hops' > hops]_vars
Comes == \A node \in Nodes : <>(token = node)
Rests == <>[](hops = 3)
====
