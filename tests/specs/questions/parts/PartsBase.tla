---- MODULE PartsBase ----
EXTENDS Naturals
Small(n) == n < 9
====
