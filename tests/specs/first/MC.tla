---- MODULE MC ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x' = x + 1 /\ UNCHANGED y
Spec == Init /\ [][Next]_<<x, y>>
Small == x < 9
constr_1571 == x < 6
action_constr_1571 == x' < 7
Limit == x < 8
view_1571 == x
====
