---- MODULE InstanceFairness ----
\* Fairness, outside of an instance, of an action of the instance whose variable is an expression here.
EXTENDS Naturals
VARIABLE i
half == i \div 2
Inner == INSTANCE InstanceFairnessInner WITH n <- half
Init == i = 0
Next == i' = (i + 1) % 4
Spec == Init /\ [][Next]_i /\ WF_i(Next)
Refines == Inner!Init /\ [][Inner!Next]_i /\ WF_i(Inner!Next)
Strong == SF_half(Inner!Next)
Possible == ENABLED Inner!Next
Inside == Inner!Init /\ [][Inner!Next]_half /\ Inner!Fairness
====
