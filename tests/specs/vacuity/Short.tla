---- MODULE Short ----
EXTENDS Naturals, FiniteSets
CONSTANT N
VARIABLES x, sent
vars == <<x, sent>>
Init == x = 0 /\ sent = {}
Up == x' = (x + 1) % N /\ UNCHANGED sent
Down == x > N /\ x' = 0 /\ UNCHANGED sent
Next == Down \/ Up
Spec == Init /\ [][Next]_vars /\ WF_vars(Up)

\* What TLC never comes to.
Disjuncts == \/ x \in 0..N
             \/ (x > 0 => x < 2)
Conjuncts == (x < 0 /\ (x > 1 => x = 9)) \/ TRUE
Branches == IF x >= 0 THEN TRUE ELSE x > 2 => x = 9
Cases == CASE x >= 0 -> TRUE [] x = 7 => x = 8 -> FALSE
Quantified == \A m \in sent : m = x => x = 0
Local == LET unused == x = 1 => x = 2 IN x >= 0
Chosen(P, Q) == P \/ Q
Arguments == Chosen(x >= 0, x = 2 => x = 3)
Apart == x = 4 => x = 5
Calls == x >= 0 \/ Apart
Third == x > 5 \/ x >= 0 \/ (x = 1 => x = 2)
Filtered == Cardinality({y \in sent : y = 1 => y = 2}) = 0
Deep == x >= 0 \/ (x > 99 /\ (x = 1 => x = 2))
\* What is FALSE wherever TLC evaluates it.
Nested == x = 9 => (x = 1 => x = 2)
Within == x < 1 => (x > 0 => FALSE)
\* What can fail.
Fine == /\ x > 0 => \/ x = N
                    \/ x > 1 => x < N
        /\ IF x = 0 THEN x = 0 => x < N ELSE x = 1 => x < N

\* What holds at once.
Starts == <>(x = 0)
Responds == (x = 1) ~> (x > 0)
Each(i) == [](x = i => <>(x < N))
Several == \A i \in 0..1 : Each(i)
Recurs == []<>(x < N) /\ <>[](x \in Nat)
\* What does not.
Real == /\ []<>(x = 0) /\ <>(x = 1)
        /\ (x = 1 ~> x = 0) /\ [](x = 0 => <>(x = 1))
        /\ \A i \in 0..1 : (x = i ~> x = 1)
\* What nothing makes FALSE.
Able == ENABLED Next
Stutters == [](ENABLED [Next]_vars)
Empty == [][x' > 10]_<<>>
Constant == [][x' > 10]_N
\* What may be FALSE, by its form.
Unable == ENABLED Down \/ x <= N
Moves == [](ENABLED <<Next>>_vars)
====
