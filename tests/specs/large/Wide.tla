---- MODULE Wide ----
EXTENDS Naturals, TLC
CONSTANT Max \* a number
VARIABLES x, y
Init == x = 0 /\ y = 0
Right == x < Max /\ x' = x + 1 /\ y' = y
Up == y < Max /\ y' = y + 1 /\ x' = x
Chatter == PrintT(<<"at", x, y>>) /\ x' = x + 1 /\ y' = y
Walk == Init /\ [][Right \/ Up]_<<x, y>>
Talk == Init /\ [][Chatter]_<<x, y>>
Fine == x >= 0
====
