---- MODULE LazyExcept ----
\* An update of a function constructor, read through an operator: the update is lost.
EXTENDS Naturals, Sequences
VARIABLE slot
Second(slots) == SubSeq(slots, 2, 2)
Init == slot = Second([[i \in 1..3 |-> "free"] EXCEPT ![2] = "taken"])[1]
Next == UNCHANGED slot
Free == slot = "free"
====
