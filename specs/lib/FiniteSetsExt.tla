---------------------------- MODULE FiniteSetsExt -----------------------------
\* The part of the CommunityModules' FiniteSetsExt that the models here use, so that they
\* run with tla2tools.jar alone. With the CommunityModules at hand, theirs will do as well.
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE Integers

\* The largest element of a finite set of numbers that is not empty.
Max(S) == CHOOSE most \in S : \A element \in S : element <= most

\* How many elements of the finite set S have property P.
Quantify(S, P(_)) == Cardinality({element \in S : P(element)})

===============================================================================
