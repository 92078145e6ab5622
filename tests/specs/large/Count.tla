---- MODULE Count ----
EXTENDS Naturals, TLC
CONSTANT Max \* a number
VARIABLE x
Init == x = 0
Next == x < Max /\ x' = x + 1
Spec == Init /\ [][Next]_x
Small == x < Max
Turn == Init /\ [][x < Max % 10 /\ x' = x + 1]_x
Low == x < 5
Wide == "{text}"
Loud == PrintT(<<x, Wide>>)
====
