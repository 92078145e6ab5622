---- MODULE LetBound ----
\* A variable that is assigned through a LET and an operator: states are lost.
Nodes == {"n1", "n2"}
Assign(colour, leader) ==
    /\ colour \in [Nodes -> {"red"}]
    /\ leader \in [Nodes -> Nodes]
    /\ \A n \in Nodes: colour[n] = "red" => leader[n] = n
Through(colour, leader) == Assign(colour, leader)
Choose(colour, leader) == LET given == colour IN Through(given, leader)
VARIABLES colours, leaders
Init == colours = [n \in Nodes |-> "blue"] /\ leaders = [n \in Nodes |-> "n1"]
Next == Choose(colours', leaders') \/ UNCHANGED <<colours, leaders>>
Undecided == colours["n1"] = "blue"
====
