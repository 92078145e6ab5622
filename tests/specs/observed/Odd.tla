---- MODULE Odd ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
A == x' = x + 1 /\ UNCHANGED y
B(k) == y' = k /\ UNCHANGED x
Next == \/ A
        \/ /\ x = 1
           /\ x' = 5
           /\ y' = 9
        \/ \E <<a, k>> \in {<<1, 2>>, <<2, 3>>} : a = 2 /\ B(k)
        \/ IF x > 2 THEN B(7) ELSE A /\ x < 1
====
