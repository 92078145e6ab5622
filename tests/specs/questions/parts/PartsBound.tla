---- MODULE PartsBound ----
EXTENDS Naturals
CONSTANT bound
  Bound(n) == /\ n >= 0
              /\ n < bound
====
