---- MODULE Base ----
EXTENDS Naturals
CONSTANTS N, Other
VARIABLE x
====
