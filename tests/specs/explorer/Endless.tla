---- MODULE Endless ----
EXTENDS Naturals
VARIABLES x, done
vars == <<x, done>>
Init == x = 0 /\ done = FALSE
Step == x < 2 /\ x' = x + 1 /\ UNCHANGED done
Turn == x = 2 /\ x' = 1 /\ UNCHANGED done
Next == Step \/ Turn
Fair == Init /\ [][Next]_vars /\ WF_vars(Next)
Lazy == Init /\ [][Next]_vars
Ends == <>done
====
