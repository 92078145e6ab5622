---- MODULE UnequalRecords ----
\* Two records with one field in common, whose values are of two types.
VARIABLE r
Init == r = [a |-> 1, b |-> 1]
Next == UNCHANGED r
Differs == r # [a |-> TRUE, c |-> 1]
====
