---- MODULE Use ----
EXTENDS Naturals, Sequences, FiniteSets, Bags, TLC, TLCExt, Json, SequencesExt, FiniteSetsExt, Functions, Folds, BagsExt
CONSTANT N
VARIABLE s
Init == s = <<>>
Next == Len(s) < N /\ \E v \in 1..2 : s' = Append(s, v)
Spec == Init /\ [][Next]_s
Mirrored == Reverse(Reverse(s)) = s /\ ToJson(s) # ""
Chosen == \A pair \in kSubset(2, 1..N) : FoldSet(LAMBDA a, b : a + b, 0, pair) > 2
Bag == BagAdd(EmptyBag, N)[N] = 1 /\ MapThenFoldSet(+, 0, LAMBDA x : x, LAMBDA set : CHOOSE x \in set : TRUE, 1..N) > 0
Few == FoldSeq(LAMBDA a, b : a + b, 0, s) < 2 * N /\ Range(s) \subseteq 1..2
====
