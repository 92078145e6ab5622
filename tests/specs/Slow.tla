---- MODULE Slow ----
\* After a violation every step takes for ever, so TLC cannot find the way to it again.
EXTENDS Naturals, TLC
VARIABLE x
ASSUME TLCSet(1, FALSE)
Init == x = 0
Next == x < 4 /\ x' = x + 1 /\ (TLCGet(1) => \A i \in 1..1000000000 : i > 0)
Spec == Init /\ [][Next]_x
Small == x < 2 \/ (TLCSet(1, TRUE) /\ FALSE)
====
