---- MODULE Unread ----
EXTENDS Base
 (*Def*)Init ==
  /\ x = 0
 (*Def*)Next ==
  /\ x < N
  /\ x' = x + 1
 (*Def*)Part == INSTANCE Inner WITH y <- x
 (*Def*)Spec ==
  /\ Init
  /\ [][Next]_x
 (*Def*)Small ==
  /\ Part!Below(2)
 (*Def*)Live == <>(x = 3)
 (*Def*)Aside == 1
====
