---- MODULE Spec ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 1 /\ y = 0
Next == x' = x /\ y' = 1 - y
Spec == Init /\ [][Next]_<<x, y>>
Count == x + y
====
