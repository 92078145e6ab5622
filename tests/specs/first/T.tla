---- MODULE T ----
EXTENDS Naturals, Sequences, TLC
CONSTANTS P, N, M
ASSUME M \in 1..3
VARIABLES x, y
Init == x = 0 /\ y = <<>>
Next == x < N /\ x' = x + 1 /\ y' = Append(y, M) /\ SortSeq(<<M>>, <) = <<M>>
Spec == Init /\ [][Next]_<<x, y>>
Small == x < 9
====
