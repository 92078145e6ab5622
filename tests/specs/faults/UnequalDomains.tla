---- MODULE UnequalDomains ----
\* A function and a tuple with two arguments each, whose values are of two types.
VARIABLE f
Init == f = [i \in {1, 3} |-> FALSE]
Next == UNCHANGED f
Differs == f # <<1, 2>>
====
