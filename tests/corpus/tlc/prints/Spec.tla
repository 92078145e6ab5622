---- MODULE Spec ----
EXTENDS Integers, Sequences, TLC
CONSTANT Node
VARIABLE x
Init == x = 0 /\ PrintT([i \in 1..7 |-> <<"a", "wide", i - 1>>]) /\ Print(<<"both", x>>, TRUE)
Next == x' = (x + 1) % 2 /\ PrintT(<<"[ ( <<", x>>)
Spec == Init /\ [][Next]_x
Low == x < 1 \/ (PrintT("a line\nand \"another\"") /\ PrintT(Node) /\ PrintT(Seq({Node})) /\ PrintT(-x))
====
