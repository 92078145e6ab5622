---- MODULE Led ----
EXTENDS Naturals
VARIABLE x
(*Def*)Init ==
  /\ x = 0
(*Def*)Next ==
  /\ x < 3
  /\ x' = x + 1
(*Def*)Below(m,
  n) ==
  /\ m + 0 < n
(*Def*)Small == Below(x, 2)
(*Def*)Spec == Init /\ [][Next]_x
====
