---- MODULE Spec ----
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == Assert(x < 2, <<"too big", x>>) /\ x' = x + 1
Spec == Init /\ [][Next]_x
====
