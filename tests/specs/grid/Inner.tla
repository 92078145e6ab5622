---- MODULE Inner ----
EXTENDS Naturals
CONSTANT Bound
Top == 2
Twice(n) == n + n
Reached(v) == Twice(v) >= Top + Bound
====
