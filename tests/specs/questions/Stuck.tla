---- MODULE Stuck ----
EXTENDS Naturals
VARIABLES free, noise
Init == free = {1, 2} /\ noise = 0
Noise(n) == noise' = n /\ free # {} /\ UNCHANGED free
Take(p) == noise = 2 /\ free = {1, 2} /\ free' = free \ {p} /\ UNCHANGED noise
Last(p) == noise = 4 /\ free = {p} /\ free' = {} /\ UNCHANGED noise
Next == (\E n \in 0..9 : Noise(n)) \/ \E p \in {1, 2} : Take(p) \/ Last(p)
Spec == Init /\ [][Next]_<<free, noise>>
====
