---- MODULE Count ----
EXTENDS Naturals
CONSTANTS Max, Least, Step
VARIABLE x
Init == x = 0
Next == x' = IF x < Max THEN x + 1 ELSE x
Spec == Init /\ [][Next]_x
Small == x <= Least
====
