---- MODULE Hidden ----
EXTENDS Naturals
LOCAL INSTANCE Tools
CONSTANT K
VARIABLE x
LOCAL Limit == 3
LOCAL
 Init ==
  /\ x = 0
  /\ K \in Int
LOCAL Next == x' = IF x < Limit THEN x + 1 ELSE x
LOCAL Spec == Init /\ [][Next]_x
LOCAL Small == x < 3
====
