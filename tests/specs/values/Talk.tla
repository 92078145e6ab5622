---- MODULE Talk ----
EXTENDS Naturals, TLC
CONSTANT Max
VARIABLE x
Init == x = 0 /\ PrintT(<<"starts with", Max>>)
Next == x < Max /\ x' = x + 1 /\ PrintT(<<"leaves", x>>)
Stop == x = Max /\ UNCHANGED x
Spec == Init /\ [][Next \/ Stop]_x
Small == x < 2000 \/ Assert(FALSE, "never")
Few == PrintT(<<"distinct", TLCGet("distinct")>>) /\ TLCGet("distinct") < 3
Asserted == Assert(TLCGet("distinct") < 3, <<"too many", TLCGet("distinct")>>)
Wrong == TLCGet("distinct") < "three"
====
