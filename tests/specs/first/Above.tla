---- MODULE Above ----
EXTENDS Naturals
Top == Nat
Some == \E n \in Top : n > 1
====
