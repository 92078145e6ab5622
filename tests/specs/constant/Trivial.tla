---- MODULE Trivial ----
\* A conjunct of a property or of the specification is a definition that reads no variable.
EXTENDS Naturals
CONSTANT N
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3
Spec == Init /\ [][Next]_x /\ WF_x(Next)
Fits == N < 3
Small == N # 4
Returns == Fits /\ []<>(x = 0)
Turns == []<>(x = 1) /\ Small
Goes == []<>(x = 2)
Low == x < 2
SpecIfFits == Fits /\ Spec
Never == FALSE /\ x = 0
====
