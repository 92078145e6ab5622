---- MODULE Mail ----
(* Mail *) EXTENDS Naturals, \* numbers
	           FiniteSets
LOCAL INSTANCE Box
CONSTANT N, Strong
VARIABLES x, sent
vars == <<x, sent>>
Init == x = 0 /\ sent = {}
Step == x < N /\ x' = x + 1 /\ UNCHANGED sent
Send == sent = {} /\ sent' = {[type |-> "ack", at |-> x]} /\ UNCHANGED x
Next == Step \/ Send
Spec == Init /\ [][Next]_vars /\ WF_vars(Step) /\ (Strong => <>(x > N))

Lists == /\ \A m \in sent : m.type = "ack" => /\ m.at <= N
	                                      /\ m.at >= 0
	 /\ (x > 0 \/ x = 0) => \/ x = 0
	                        \/ x > 0
	 /\ /\ x = 9
	    /\ N = N
	    => x = 0
Nested == (x = 0 => (x = 9 => FALSE)) => TRUE
In(n) == x = n => x <= N
Called == In(0) /\ In(9) /\ LET last == x = N => x >= N IN last
LOCAL Hidden == x = 9 => FALSE \* not visible from outside
Quantified == Hidden /\ \A m \in sent, n \in 0..N : (m.at = n /\ m.type = "nack9") => n = 0
Elsewhere == Full(x, 1) /\ Full(x, 9)
Ends == <>(x = N)
Then == x = 9 ~> x = N
Steps == [][x = 9 => x' = x]_vars
====
