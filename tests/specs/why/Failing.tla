---- MODULE Failing ----
EXTENDS Naturals, Sequences, TLC
CONSTANTS Kind, Most
VARIABLES queue, count
Ordered == Most > 1 /\ Most < 9
ASSUME Most \in Nat /\ Ordered
Init == queue = <<1, 2>> /\ count = 0
Take(n) ==
  /\ Kind = "assert" => Assert(count < 1, "too many")
  /\ count' = count + n
  /\ queue' = IF queue = <<>> /\ Kind # "next" THEN queue ELSE Tail(queue)
Next == \E n \in {1, 2} : Take(n)
Spec == Init /\ [][Next]_<<queue, count>>
First == Kind = "invariant" => Head(queue) > 0
====
