---- MODULE Fields ----
EXTENDS Naturals
VARIABLE r
Set == [Nat: Nat, Int : {1}, Real: {2}, STRING: {"s"}, BOOLEAN: BOOLEAN, (* a truth value *) TRUE: {3}]
Init == r = [Nat |-> 0, Int |-> 1, Real |-> 2, STRING |-> "s", BOOLEAN |-> TRUE,
             \* Nat: of the last field
             TRUE |-> 3]
Next == r' = [r EXCEPT !.Nat = @ + r.TRUE]
Typed == r \in Set
Small == r.Nat < 4
Spec == Init /\ [][Next]_r
====
