---- MODULE Refused ----
\* What it speaks of is declared nowhere.
EXTENDS Lamp
Bright == Lit(Enough)
====
