---- MODULE Spec ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x' = x + 1 /\ y' = x
Spec == Init /\ [][Next]_<<x, y>>
Shown == [sum |-> x + y, next |-> x', pair |-> <<x, y>>]
Low == x < 2
====
