---- MODULE Counter ----
\* A counter that goes up to its bound and stays there.
EXTENDS Naturals
CONSTANT Max \* the largest value, a number
VARIABLE x
Init == x = 0
Up == x < Max /\ x' = x + 1
Stay == x = Max /\ UNCHANGED x
Next == Up \/ Stay
Spec == Init /\ [][Next]_x
Small == x < 3
====
