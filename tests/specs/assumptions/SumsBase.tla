---- MODULE SumsBase ----
EXTENDS Naturals
Double(n) == 2 * n
ASSUME Double(1) = 2
====
