---- MODULE Choice ----
EXTENDS Integers
CONSTANT Strict
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
Next == x < 2 /\ x' = x + 1 /\ y' = y
Spec == Init /\ [][Next]_vars
Chosen == IF Strict = 1 THEN []<>(x = 5) ELSE []<>(x = 0)
Local == LET live == []<>(x = 8) IN <>(x = 0) /\ live
Each == \A n \in {1, 3} : IF n = Strict THEN <>(x = 9) ELSE <>(y = n)
====
