---- MODULE Endless ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Step == x' = x + 1 /\ y' = 0
Count == y' = y + 1 /\ x' = x
Next == Step \/ Count
Spec == Init /\ [][Next]_<<x, y>>
====
