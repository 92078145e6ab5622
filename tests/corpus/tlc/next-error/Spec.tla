---- MODULE Spec ----
EXTENDS Naturals, Sequences
VARIABLES x, y
Init == x = <<1, 2>> /\ y = 0
Next == x' = Tail(x) /\ y' = y + Head(x)
Spec == Init /\ [][Next]_<<x, y>>
====
