---- MODULE Tabs ----
VARIABLE x
Init ==
	/\ \/ FALSE
           \/ x =
		1
Next == UNCHANGED x
One == x = 1
Spec == Init /\ [][Next]_x
====
