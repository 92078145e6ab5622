---- MODULE Protocol ----
EXTENDS Naturals, TLC
CONSTANTS Nodes, Max
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = [n \in Nodes |-> 0]
Up(n) == x < Max /\ x' = x + 1 /\ y' = [y EXCEPT ![n] = x]
Next == \E n \in Nodes : Up(n)
Fairness == WF_vars(Next)
Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ Fairness
TypeOK == x \in Nat /\ y \in [Nodes -> Nat]
Small == x <= Max
At(n) == y[n] = 0
Total == x + 1
StateConstraint == x < 5
SendLimit == x < 4
StepConstraint == x' > x
Terminates == <>(x = Max)
Leads == (x = 0) ~> (x = 1)
Monotonic == [][x' >= x]_vars
PostCondition == x > 2
Alias == [x |-> x]
Symmetry == Permutations(Nodes)
Both == Symmetry \cup Permutations({1})
====
