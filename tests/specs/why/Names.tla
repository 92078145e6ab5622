---- MODULE Names ----
EXTENDS Integers
VARIABLES x, y
I == INSTANCE NamesIn WITH c <- y, d <- x
J == INSTANCE NamesIn WITH c <- y, d <- x
K == INSTANCE NamesIn WITH c <- x, d <- y
vars == <<x, y>>
Init == x = 0 /\ y = 0
Step == x = 0 /\ x' = 1 /\ UNCHANGED y
Tog == y = 1 /\ y' = 2 /\ UNCHANGED x
Back == y = 2 /\ y' = 1 /\ UNCHANGED x
Other == I!Step /\ UNCHANGED x
Spec == Init /\ [][Step \/ Other \/ Tog \/ Back]_vars /\ I!Fair /\ WF_vars(Tog) /\ WF_vars(Back)
Held == x' = x /\ J!Held
Only == Init /\ [][I!Next \/ K!Next]_vars /\ J!Flips
Kept == Init /\ [][Held]_vars /\ WF_x(Held)
Live == <>(x = 1)
Moves == <>(y = 1)
====
