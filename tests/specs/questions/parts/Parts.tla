---- MODULE Parts ----
EXTENDS PartsBase, Naturals, Sequences
CONSTANT Limit
VARIABLES x, queue
I == INSTANCE PartsBound WITH bound <- Limit
Init == x = 0 /\ queue = <<>>
Add == x < 5 /\ x' = x + 1 /\ queue' = Append(queue, x)
Spec == Init /\ [][Add]_<<x, queue>>
LOCAL Sorted == \A i, j \in 1..Len(queue) : i < j => queue[i] < queue[j]
Guarded == queue # <<>> /\ Head(queue) > 0
Safe == /\ Small(x) => /\ Sorted  /\ I!Bound(x)
                       /\ x >= 0
        /\ IF x > 1 THEN LET last == queue[Len(queue)] IN last # 2 /\ x # 9
                     ELSE TRUE
        /\ Sorted
Held(n) == \E i \in DOMAIN queue : queue[i] = n /\ x > n
Low(n) == n < 3
Shaped ==
  /\ x > 9 \/ Low(x) \/ \A i \in DOMAIN queue : queue[i] < 9
  /\ ~(x > 4 => x < 1 /\ x > 2) => x > 4
  /\ CASE x < 2 -> Low(x) [] x = 3 -> ~Held(2) [] OTHER -> \E n \in 0..3 : n > x \/ x < n + 4
====
