---- MODULE Spec ----
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0 /\ Assert(FALSE, "no start")
Next == x' = x
Spec == Init /\ [][Next]_x
====
