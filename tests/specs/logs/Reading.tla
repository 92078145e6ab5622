---- MODULE Reading ----
EXTENDS Naturals, Sequences
VARIABLES x, l
IOEnv == [JSON |-> "a", CONFIG |-> "b"]
ndJsonDeserialize(path) == path
Init == x = 0 /\ l = 1
Spec == Init /\ [][Next]_<<x, l>>
Typed == x \in Nat
====
