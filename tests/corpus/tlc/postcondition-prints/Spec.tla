---- MODULE Spec ----
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3
Spec == Init /\ [][Next]_x
Deep == PrintT(<<"distinct", TLCGet("distinct")>>) /\ TLCGet("distinct") > 7
====
