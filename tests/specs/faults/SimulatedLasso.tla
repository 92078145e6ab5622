---- MODULE SimulatedLasso ----
\* A simulation closes a behaviour into a loop that the fairness of the specification rules out.
EXTENDS Naturals
VARIABLE x
Down == x' = IF x > 0 THEN x - 1 ELSE x
Spec == x = 5 /\ [][Down]_x /\ WF_x(Down)
Rests == <>[](x = 0)
====
