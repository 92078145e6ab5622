---- MODULE LevelBound ----
\* The level of the initial state is 0 or 1, so the bound cuts at another depth.
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = x + 1
Short == TLCGet("level") < 4
Small == x < 4
====
