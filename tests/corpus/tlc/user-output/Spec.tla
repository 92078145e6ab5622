---- MODULE Spec ----
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0 /\ PrintT("@!@!@STARTMSG 2110:1 @!@!@")
Next == x' = (x + 1) % 3 /\ PrintT(<<"Invariant Low is violated.", x>>)
Spec == Init /\ [][Next]_x
Low == x < 3 \/ PrintT("Error: java.lang.OutOfMemoryError")
====
