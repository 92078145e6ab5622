---- MODULE NamesIn ----
EXTENDS Integers
VARIABLES c, d
Step == c = 0 /\ c' = 1
Held == c = 0 /\ c' = 1
Flip == c = 0 /\ c' = 1 /\ d' = d
Next == Flip
Flips == WF_<<c, d>>(Flip)
Fair == WF_c(Step)
====
