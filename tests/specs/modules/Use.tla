---- MODULE Use ----
EXTENDS Twice
VARIABLE x
Init == x = Double(2)
Spec == Init /\ [][UNCHANGED x]_x
Four == x = 4
====
