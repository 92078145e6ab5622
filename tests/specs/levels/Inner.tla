---- MODULE Inner ----
CONSTANTS c, F(_)
Fixed == c = c
Through(a) == F(a) = c
Aside(a) == a = a
====
