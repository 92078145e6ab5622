---- MODULE Log ----
EXTENDS Naturals
VARIABLE log
Start == 0
Init == log = Start
Free == /\ log < 9
        /\ log >= 0
Append(n) == /\ Free
             /\ log' = log + n
====
