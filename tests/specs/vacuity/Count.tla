---- MODULE Count ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x < 2000 /\ x' = x + 1
Spec == Init /\ [][Next]_x
Low == x = 3 => x < 9
====
