---- MODULE Clock ----
EXTENDS Naturals
VARIABLES x, said
Init == x = 0 /\ said = "<b>1</b>"
Next == /\ x < 3
        /\ x' = x + 1
        /\ UNCHANGED said
Small == x <= 3 /\ said = "<b>1</b>"
====
