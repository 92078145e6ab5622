---- MODULE Box ----
EXTENDS Integers, Sequences, FiniteSets
CONSTANTS
  Low,       \* a number, may be negative
  Origin,    \* a tuple
  Who,       \* a set of model values
  Nil,       \* a model value
  Table,     \* a function on Who
  Pick(_, _) \* an operator
VARIABLE box
Limit == 3
Other == 4
Init == box = [w \in Who |-> Nil]
Next == \E w \in Who :
  /\ box[w] = Nil
  /\ Table[w] < Limit
  /\ box' = [box EXCEPT ![w] = Pick(Low, Origin[1])]
Spec == Init /\ [][Next]_box
Full == \E w \in Who : box[w] = Nil
====
