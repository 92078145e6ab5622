------------------------------- MODULE Spec -------------------------------
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>

Init == x = 0 /\ y \in {0, 1}
Up == x < 3 /\ x' = x + 1 /\ UNCHANGED y
Reset == x = 3 /\ x' = 0 /\ y' = 1 - y
Next == Up \/ Reset
Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ WF_vars(Next)

TypeOK == x \in 0..3 /\ y \in {0, 1}
Small == x < 2
Sum == x + 10 * y
NeverOne == y = 0
Grows == [][x' > x]_vars
StartsAtZero == y = 0
Reaches == <>(x = 9)
Stays == <>[](x = 0)
===========================================================================
