---- MODULE Parallel ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Add(n) == x' = (x + (n % 2)) % 3 /\ y' = (y + (n \div 4)) % 2
Next == \E n \in 0..7 : Add(n)
Spec == Init /\ [][Next]_<<x, y>>
====
