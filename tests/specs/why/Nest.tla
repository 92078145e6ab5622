---- MODULE Nest ----
EXTENDS Naturals
VARIABLES lock, ver
vars == <<lock, ver>>
Init == lock = FALSE /\ ver = 0
Close == ~lock /\ lock' = TRUE /\ UNCHANGED ver
Write == ver < 3 /\ ver' = ver + 1 /\ UNCHANGED lock
Again == ver = 3 /\ ver' = 0 /\ UNCHANGED lock
Spec == Init /\ [][Close \/ Write]_vars
Rounds == Spec /\ WF_vars(Close \/ Write)
Round == Init /\ [][Close \/ Write \/ Again]_vars /\ WF_vars(Close \/ Write \/ Again)
Sealed == [](lock /\ ver = 1 => [](ver = 1))
Given == ver = 0 => []~(lock /\ ver = 2)
Denied == ~<>(lock /\ ver = 2)
Unless == <>(ver = 3) => []~lock
Each == \A n \in 1..2 : [](ver = n => [](ver # n + 1))
Mixed == [](lock => [](ver < 2)) /\ <>(ver = 3)
Comes == <>(lock /\ ver = 3)
====
