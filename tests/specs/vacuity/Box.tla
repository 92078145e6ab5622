---- MODULE Box ----
EXTENDS Naturals
Full(a, b) == a = b => a > 0
Empty(a) == a = 9 => FALSE
====
