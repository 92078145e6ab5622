------------------------------ MODULE Counter ------------------------------
(* Some counters that go up one step at a time: small, and wrong once the limit is passed. *)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Procs,   \* set of model values
  Max,     \* a number: where each counter ends
  Bound    \* a number: the sum is claimed to stay below it

VARIABLE count

RECURSIVE Total(_)
Total(S) == IF S = {} THEN 0 ELSE LET p == CHOOSE q \in S : TRUE IN count[p] + Total(S \ {p})

Init == count = [p \in Procs |-> 0]

Step(p) == count[p] < Max /\ count' = [count EXCEPT ![p] = @ + 1]

Next == \E p \in Procs : Step(p)

Spec == Init /\ [][Next]_count

Below == Total(Procs) < Bound
Small == \A p \in Procs : count[p] < Bound

ASSUME PrintT(<<"counters", Cardinality(Procs)>>)
============================================================================
