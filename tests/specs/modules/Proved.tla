---- MODULE Proved ----
EXTENDS TLAPS, FiniteSetTheorems, SequenceTheorems
VARIABLE x
Init == x = 0
Next == x < 3 /\ x' = x + 1
Spec == Init /\ [][Next]_x
Low == x \in 0..3 /\ IsFiniteSet({x})
THEOREM Spec => []Low
<1>1. Init => Low BY FS_Singleton, FS_Induction, IsaM("blast") DEF Init, Low
<1>2. Low /\ [Next]_x => Low' BY SMTT(30), WFInduction, NatInduction, SeqDef DEF Low, Next
<1> QED BY <1>1, <1>2, PTL DEF Spec
====
