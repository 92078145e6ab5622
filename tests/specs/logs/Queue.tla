---- MODULE Queue ----
EXTENDS Naturals, Sequences
VARIABLES buffer, waiting
P == {"p1", "p2"}
C == {"c1", "c2"}
Init == buffer = <<>> /\ waiting = {}
NotifyOther(s) ==
  IF waiting \cap s # {} THEN \E t \in waiting \cap s : waiting' = waiting \ {t} ELSE UNCHANGED waiting
Wait(w) == waiting' = waiting \cup {w} /\ UNCHANGED buffer
Put(t, d) ==
  IF Len(buffer) < 1
  THEN /\ buffer' = Append(buffer, d)
       /\ NotifyOther(C)
  ELSE Wait(t)
Get(t) == \/ /\ buffer # <<>>
             /\ buffer' = Tail(buffer)
             /\ NotifyOther(P)
          \/ /\ buffer = <<>>
             /\ Wait(t)
Next == \/ \E p \in P : p \notin waiting /\ Put(p, 7)
        \/ \E c \in C \ waiting : Get(c)
Spec == Init /\ [][Next]_<<buffer, waiting>>
====
