---- MODULE Rounds ----
EXTENDS Integers
VARIABLE round
Round == Nat
Shift == Int
Kind == Nat
Init == round = 0
Next == \E r \in Round : \E s \in Shift : round' = (r + s) % 2
Spec == Init /\ [][Next]_round
A == INSTANCE Above
Type == round \in Kind
====
