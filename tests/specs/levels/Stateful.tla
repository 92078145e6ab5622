---- MODULE Stateful ----
CONSTANT d
VARIABLE v
Constant == d = d
Both(a) == v = a /\ d = d
Can(a) == ENABLED (a /\ v' = d)
====
