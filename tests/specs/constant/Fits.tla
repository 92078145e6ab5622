---- MODULE Fits ----
EXTENDS Naturals
CONSTANT N
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % N
Fits == N < 3
Below == x < 3
AlwaysFits == [](N < 3)
StepsFit == [][N < 3]_x
EventuallyFits == <>(N < 3)
====
