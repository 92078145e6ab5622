---- MODULE ImpliesEventually ----
\* A state predicate that implies <>[]: a prefix of two states is called a counterexample.
EXTENDS Naturals
VARIABLE done
Init == done = 0
Next == done' = IF done < 3 THEN done + 1 ELSE done
Spec == Init /\ [][Next]_done /\ WF_done(Next)
Ends == (done = 0) => <>[](done = 3)
====
