---- MODULE Inner ----
EXTENDS Naturals
VARIABLE y
Below(n) == y < n
====
