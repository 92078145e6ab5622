---- MODULE Line ----
EXTENDS Naturals
CONSTANT Step
VARIABLE x
Init == x = 0
Next == x' = x + Step \/ x' = x + 1
Spec == Init /\ [][Next]_x
Far == x < 1000000
Even == x % 2 = 0
Third == x # 3
Bound == x < 5
====
