---- MODULE Rest ----
EXTENDS Naturals, TLC
VARIABLES x, y
vars == <<x, y>>
Init == x = 5 /\ y = 0
Down == x > 0 /\ x' = x - 1 /\ UNCHANGED y
Turn == x = 0 /\ y' = (y + 1) % 3 /\ UNCHANGED x
Idle == Init /\ [][Down \/ Turn]_vars
Fair == Idle /\ WF_vars(Down)
Rests == <>[](x = 0)
Still == <>[](y = 0)
\* Only a second behaviour violates it.
ASSUME TLCSet(7, 0)
Few == x = 4 => TLCSet(7, TLCGet(7) + 1) /\ TLCGet(7) < 2
====
