---- MODULE Hostile ----
\* HOSTILE
EXTENDS Naturals, TLC
CONSTANTS Text, \* HOSTILE
  Who
VARIABLES x, y
Init == x = 0 /\ y = "STRING"
Go == x < 2 /\ x' = x + 1 /\ y' = "=cmd|' /C calc'!A0" /\ PrintT(y)
Spec == Init /\ [][Go]_<<x, y>>
Small == x < 2
Said == Assert(x < 2, "STRING")
====
