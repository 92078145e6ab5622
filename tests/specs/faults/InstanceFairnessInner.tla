---- MODULE InstanceFairnessInner ----
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' \in {n, 1 - n}
Fairness == WF_n(Next)
====
