------------------------------- MODULE Endless -------------------------------
(* What no limit is enough for: states without end, and values without measure. *)
EXTENDS Naturals

VARIABLE x

Count == x = 0 /\ [][x' = x + 1]_x
Grow == x = 0 /\ [][x' = [i \in 1 .. 100000000 |-> i]]_x
=============================================================================
