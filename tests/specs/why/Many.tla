---- MODULE Many ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Step(a, b, c) == a + b + c > 200 /\ x' = x + a
Next == \E a, b, c \in 1..30 : Step(a, b, c)
Spec == Init /\ [][Next]_x
====
