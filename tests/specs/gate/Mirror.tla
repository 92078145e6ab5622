---- MODULE Mirror ----
EXTENDS Naturals
CONSTANT N
VARIABLES x, y
Init == x = 0 /\ y = 0
Up == /\ x < N
      /\ x' = x + 1
      /\ y' = x + 1
Back == /\ x = N
        /\ x' = 0
        /\ y' = 0
Spec == Init /\ [][Up \/ Back]_<<x, y>> /\ WF_<<x, y>>(Up \/ Back)
Same == x = y
Vacuous == TRUE => x = x
Moves == [][x' # x]_<<x, y>>
Again == []<>(x = 0)
Small == x <= N
====
