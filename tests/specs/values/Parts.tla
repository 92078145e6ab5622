---- MODULE Parts ----
EXTENDS Naturals, TLC
CONSTANT Broken
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = (IF Broken = "init" THEN 1 ELSE 0)
Next == /\ x < 4
        /\ x' = x + 1
        /\ y' = IF Broken = "step" /\ x = 2 THEN 7 ELSE x
Spec == Init /\ [][Next]_vars
Always == [](y < 3)
Both == y = 0 /\ [](x < (IF Broken = "state" THEN 3 ELSE 9)) /\ [][y' <= y + 1]_vars
Fine == y < 99
Grows == [][x' >= x]_vars
Low == x < 4
Named == []Low /\ [][y' <= y + 9]_vars
Stops == Assert(x < 4, "x")
====
