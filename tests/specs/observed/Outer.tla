---- MODULE Outer ----
CONSTANT Node, Nil
VARIABLES log, net, owner, count
I == INSTANCE Nodes WITH msgs <- net
Init == I!Init /\ count = 0
Tick == count = 0 /\ count' = 1 /\ UNCHANGED <<log, net, owner>>
Next == \/ I!Next /\ UNCHANGED count
        \/ Tick
====
