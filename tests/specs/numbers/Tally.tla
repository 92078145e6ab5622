---- MODULE Tally ----
\* It holds for N < 2, violates four things at once for N = 2 and 3, is broken for N = 4 and excluded for N = 5.
EXTENDS Integers
CONSTANTS N, Procs
ASSUME N # 5
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
Up == x < N /\ x' = x + 1 /\ UNCHANGED y
Over == x = N /\ y < N /\ y' = y + 1 /\ UNCHANGED x
Rest == x = N /\ y = N /\ UNCHANGED vars
Idle == x > 9 /\ UNCHANGED vars
Next == Up \/ Over \/ Rest \/ Idle
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Low == x < 2
High == y < 2
Fits == IF N = 4 THEN x < "a" ELSE TRUE
Slow == [][N < 2 \/ x' <= x]_vars
Stays == <>[](y = 0 \/ N < 2)
====
