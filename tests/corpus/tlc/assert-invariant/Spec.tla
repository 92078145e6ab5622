---- MODULE Spec ----
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = x + 1
Spec == Init /\ [][Next]_x
Checked == Assert(x < 2, "too big")
====
