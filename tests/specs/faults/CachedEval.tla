---- MODULE CachedEval ----
EXTENDS Naturals, TLC
CONSTANT Start
Chosen == TLCEval(LET s == RandomElement(SUBSET (1..20)) IN s \cup {21})
VARIABLE x
Init == x \in Start
Next == x' \in Start
Known == x \in Chosen
====
