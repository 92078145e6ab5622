---- MODULE ManyFairness ----
\* More than 32 strong fairness conditions.
EXTENDS Naturals
VARIABLE x
Init == x = FALSE
Next == x' \in BOOLEAN
Spec == Init /\ [][Next]_x /\ \A i \in 1..6: \A j \in 1..6: SF_x(Next)
Settles == <>[](x \in BOOLEAN)
====
