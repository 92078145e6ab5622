---- MODULE Grid ----
EXTENDS Naturals
CONSTANT N
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == \/ x < N /\ x' = x + 1 /\ y' = y
        \/ y < N /\ y' = y + 1 /\ x' = x
Spec == Init /\ [][Next]_<<x, y>>
Inside == x > N => y = 0
====
