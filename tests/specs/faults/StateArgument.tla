---- MODULE StateArgument ----
\* The initial predicate handed to an operator inside the specification.
VARIABLE x
Init == x = FALSE
Next == x' = ~x
Same(formula) == formula
Spec == Same(Init) /\ [][Next]_x
====
