---- MODULE KeepsIn ----
EXTENDS Integers
VARIABLES c, x
Raise == c = 7 /\ c' = 1 /\ x' = x
====
