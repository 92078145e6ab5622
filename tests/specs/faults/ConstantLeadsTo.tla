---- MODULE ConstantLeadsTo ----
\* A constant where a temporal formula has a state predicate.
EXTENDS Naturals
CONSTANT Enabled
VARIABLE x
Init == x = 0
Next == x' \in 0..1
Spec == Init /\ [][Next]_x
Answered == FALSE ~> (x = 1)
====
