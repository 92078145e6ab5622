---- MODULE Searched ----
EXTENDS Naturals, TLC
CONSTANT Most
VARIABLE x
Init == x = 0 /\ TLCSet(7, 0)
Step == x < 3 /\ x' = x + 1 /\ TLCSet(7, x')
Next == Step
Far == TLCGet(7) > Most /\ TLCGet("diameter") > 1
Found == TLCGet("distinct") = 4 /\ Far
====
