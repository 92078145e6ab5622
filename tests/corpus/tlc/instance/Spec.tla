---- MODULE Spec ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x + 1
---- MODULE Inner ----
VARIABLE y
Step == y' = y + 1
Start == y = 0
Run == Start /\ [][Step]_y
Bounded == y < 2
====
I == INSTANCE Inner WITH y <- x
Spec == I!Run
Bounded == I!Bounded
====
