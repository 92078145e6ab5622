---- MODULE Limited ----
EXTENDS Naturals, Sequences
CONSTANT N
VARIABLE x
ASSUME N > 0
Init == x = 0
Next == x < 3 /\ x' = x + 1
Deep(y) == <<1, 2>>[y]
Inv == \A y \in {x} : Deep(y + 1) > 0
Low == x < 9
Spec == Init /\ [][Next]_x
====
