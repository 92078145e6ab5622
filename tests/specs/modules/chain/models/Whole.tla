---- MODULE Whole ----
EXTENDS Middle
VARIABLE x
---- MODULE Inside ----
CONSTANT k
Plus(n) == n + k
====
By(k) == INSTANCE Inside
Bounded(limit) == INSTANCE Bound WITH top <- limit, value <- x
Init == x = Start
Next == x < 4 /\ x' = By(2)!Plus(x)
Spec == Init /\ [][Next]_x
Low == Bounded(3)!Within
====
