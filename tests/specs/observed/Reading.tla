---- MODULE Reading ----
EXTENDS Inner, Naturals
VARIABLES x, l
Init == x = 0 /\ l = 1
Next == l <= Len(Lines) /\ x' = x + 1 /\ x' = Lines[l].n /\ l' = l + 1
Spec == Init /\ [][Next]_<<x, l>>
====
