---- MODULE Spec ----
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3
Spec == Init /\ [][Next]_x
Deep == Assert(TLCGet("distinct") > 7, <<"too few", TLCGet("distinct")>>)
====
