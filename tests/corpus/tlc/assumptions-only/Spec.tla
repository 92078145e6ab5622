---- MODULE Spec ----
EXTENDS Naturals, TLC
ASSUME PrintT("nothing moves here") /\ 1 + 1 = 2
====
