---- MODULE Spec ----
EXTENDS Naturals, Sequences
VARIABLES x, y
Init == x = 0 /\ y = Head(<<>>)
Next == UNCHANGED <<x, y>>
Spec == Init /\ [][Next]_<<x, y>>
====
