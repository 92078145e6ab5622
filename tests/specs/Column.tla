---- MODULE Column ----
CONSTANT Depth
VARIABLE x
Init == x = Depth
Next == UNCHANGED x
====
