---- MODULE Spec ----
EXTENDS Naturals, Sequences
VARIABLES x, y
Init == x = <<1, 2>> /\ y = 0
Next == x' = Tail(x) /\ y' = y + 1
Spec == Init /\ [][Next]_<<x, y>>
Rises == [][Head(x') >= Head(x)]_<<x, y>>
====
