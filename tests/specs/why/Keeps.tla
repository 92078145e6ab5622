---- MODULE Keeps ----
EXTENDS Integers
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
Keep == x' = x /\ y' = 1 - y
Still == ENABLED (x' = 1) /\ UNCHANGED x /\ x' = x /\ y' = 2 /\ y = 5
Set == x = 5 /\ x' = 1 /\ y' = y
Next == Keep \/ Still \/ Set
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Live == <>(x = 1)
I == INSTANCE KeepsIn WITH c <- y, x <- x
Inner == Init /\ [][Keep \/ Set \/ I!Raise]_vars /\ WF_vars(Keep)
====
