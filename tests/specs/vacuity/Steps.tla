---- MODULE Steps ----
EXTENDS Naturals
CONSTANT Max
VARIABLE x
Init == x = 0
Up == x < Max /\ x' = x + 1
Jump == x > 2 /\ x' = 0
Never == x > Max /\ x' = 0
Natural == x \in Nat
Either(n) == x = n /\ x' = n
Next == Up \/ Jump \/ Never \/ Either(0) \/ Either(100)
Spec == Init /\ [][Next]_x
====
