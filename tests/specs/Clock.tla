---- MODULE Clock ----
EXTENDS Naturals
CONSTANT N
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
Tick == /\ x < N
        /\ x' = (x + 1) % 3
        /\ y' = y
Loop == /\ x = N
        /\ y >= 0
        /\ x' = 0
        /\ UNCHANGED y
Next == Tick \/ Loop
Spec == Init /\ [][Next]_vars
Small == /\ x <= N
         /\ N < 5
Still == y = 0
====
