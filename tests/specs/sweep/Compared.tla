---- MODULE Compared ----
EXTENDS Naturals
CONSTANTS N, Nil
VARIABLES x, owner
Init == x = 0 /\ owner = [i \in {1, 2} |-> Nil]
Next == x' = x + 1 /\ owner' = [owner EXCEPT ![1] = x]
Spec == Init /\ [][Next]_<<x, owner>>
Low == x # N
Free == owner[2] = Nil
====
