---- MODULE TellingBase ----
EXTENDS Integers
VARIABLE base
SetBase == \E b \in {3, 4} : base' = b /\ b > 3
====
