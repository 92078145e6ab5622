---- MODULE NamedTemporal ----
\* An operator with a parameter that holds a temporal formula.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = IF x < 2 THEN x + 1 ELSE x
Spec == Init /\ [][Next]_x /\ WF_x(Next)
Eventually(n) == <>(x = n)
Both(P(_)) == \A n \in 0..2: P(n)
Reaches == Both(Eventually)
====
