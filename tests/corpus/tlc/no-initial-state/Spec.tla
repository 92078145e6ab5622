---- MODULE Spec ----
EXTENDS Naturals
VARIABLE x
Init == x = 0 /\ x > 0
Next == UNCHANGED x
Never == x > 5
Spec == Init /\ [][Next]_x
====
