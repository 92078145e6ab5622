---- MODULE Deny ----
EXTENDS Integers
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
A == x < 3 /\ x' = x + 1 /\ y' = y
B == x = 3 /\ x' = 1 /\ y' = 1
Next == A \/ B
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Never == ~[]<>(y = 1)
First == ~[]<>(y = 1) /\ []<>(x = 1)
Spelled == \lnot []<>(y = 1) /\ []<>(x = 1)
Inside == (\neg \lnot Never) /\ <>(x = 3)
Answered == ~((x = 1) ~> (y = 1))
Unasked == ~((x = 7) ~> (y = 1))
====
