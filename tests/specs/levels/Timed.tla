---- MODULE Timed ----
EXTENDS RealTime
VARIABLE x
Up == x' = 1
Bounded == RTBound(Up, x, 0, 1)
Clock == now > 0
====
