---- MODULE ViewedLiveness ----
\* States that differ only in what the view leaves out are one state to the search for loops.
EXTENDS Naturals
VARIABLES x, t
vars == <<x, t>>
Init == x = 0 /\ t = 0
Next == x' = (x + 1) % 3 /\ t' = (t + 1) % 2
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Seen == x
Settles == []<>(x = 1 /\ t = 1) /\ <>[](x = 1 => t = 1)
====
