---- MODULE Values ----
EXTENDS Integers, Sequences
CONSTANTS Low, Pair, Rec, Fun, Links, Range, Op(_, _), Pred(_), Typed
VARIABLE x
Init == x = Low
Next == UNCHANGED x
Spec == Init /\ [][Next]_x
ASSUME Low = 0 - 3 /\ Pair = <<0, 0 - 1>> /\ Rec.a = 1 /\ Rec.b = "two" /\ Fun[3] = 9 /\ DOMAIN Fun = 1..3
ASSUME <<1, 2>> \in Links /\ Range = {0, 1, 2} /\ Op(2, 3) = 8 /\ Pred(Low) /\ ~Pred(4)
ASSUME Typed[1] # Typed[2]
====
