---- MODULE Spec ----
EXTENDS Naturals
VARIABLES x, y, z
Init == x = 0 /\ y = 0 /\ z = {}
Step == x < 1 /\ x' = x + 1 /\ UNCHANGED <<y, z>>
Forget == x = 1 /\ x' = 2 /\ z' = {x}
Next == Step \/ Forget
Spec == Init /\ [][Next]_<<x, y, z>>
====
