---- MODULE Given ----
EXTENDS Integers
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
Add == /\ x < 2
       /\ y < 9
       /\ x' = x + 1
P(i) == y > i /\ x' = i
Do(Act) == /\ Act
           /\ y' = y
Both(One, n) == Do(One) /\ x # n
Some(Act) == \E q \in {0, 1} : x = q /\ Act
Next == Do(Add) \/ Both(P(1), 4)
Spec == Init /\ [][Next]_vars
Within == Init /\ [][Do(Add) \/ Some(P(1) /\ y' = y)]_vars
Loose == Init /\ [][Do(Add)]_vars /\ WF_vars(Do(P(7)))
Lives == <>(x = 1)
====
