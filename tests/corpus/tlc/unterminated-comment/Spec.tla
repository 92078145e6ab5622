---- MODULE Spec ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
(* This never ends.
Next == x' = x
Spec == Init /\ [][Next]_x
====
