---- MODULE BoxedConjunct ----
\* A conjunct of the specification that is neither an action nor fairness is ignored without a word.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = IF x < 3 THEN x + 1 ELSE x
Spec == Init /\ [][Next]_x /\ [](x < 2)
Small == [](x < 3)
====
