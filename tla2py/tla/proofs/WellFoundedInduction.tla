------------------------ MODULE WellFoundedInduction -------------------------
(* The names of the module of the TLA+ proof system's library, so that TLC reads
   modules that extend it where that is not installed. What its theorems say is
   left out: TLC checks none. *)
EXTENDS NaturalsInduction

\* Relations are sets of pairs; that x is before y is said by <<x, y>>.
IsTransitivelyClosedOn(R, S) == \A x, y, z \in S : {<<x, y>>, <<y, z>>} \subseteq R => <<x, z>> \in R
IsWellFoundedOn(R, S) == \A f \in [Nat -> S] : \E n \in Nat : ~(<<f[n + 1], f[n]>> \in R)
SetLessThan(x, R, S) == {y \in S : <<y, x>> \in R}
TransitiveClosureOn(R, S) ==
    {pair \in S \X S : \A T \in SUBSET (S \X S) :
        (R \cap (S \X S)) \subseteq T /\ IsTransitivelyClosedOn(T, S) => pair \in T}
OpToRel(_\prec_, S) == {pair \in S \X S : pair[1] \prec pair[2]}
PreImage(f(_), S, R) == {pair \in S \X S : <<f(pair[1]), f(pair[2])>> \in R}
LexPairOrdering(R1, R2, S1, S2) ==
    {pair \in (S1 \X S2) \X (S1 \X S2) :
        LET one == pair[1]  other == pair[2]
        IN  <<one[1], other[1]>> \in R1 \/ (one[1] = other[1] /\ <<one[2], other[2]>> \in R2)}
LexProductOrdering(R, S, n) ==
    {pair \in [1..n -> S] \X [1..n -> S] :
        LET one == pair[1]  other == pair[2]
        IN  \E k \in 1..n : <<one[k], other[k]>> \in R /\ (\A j \in 1..(k - 1) : one[j] = other[j])}

\* A function on S by recursion along R.
WFInductiveDefines(f, S, Def(_, _)) == f = [x \in S |-> Def(f, x)]
OpDefinesFcn(f, S, Def(_, _)) == f = CHOOSE g : g = [x \in S |-> Def(g, x)]
WFInductiveUnique(S, Def(_, _)) ==
    \A g, h : WFInductiveDefines(g, S, Def) /\ WFInductiveDefines(h, S, Def) => g = h
WFDefOn(R, S, Def(_, _)) ==
    \A g, h : \A x \in S : (\A y \in SetLessThan(x, R, S) : h[y] = g[y]) => Def(h, x) = Def(g, x)

THEOREM EmptyIsWellFounded == TRUE
THEOREM IsWellFoundedOnSubset == TRUE
THEOREM IsWellFoundedOnSubrelation == TRUE
THEOREM WFMin == TRUE
THEOREM MinWF == TRUE
THEOREM WellFoundedIsIrreflexive == TRUE
THEOREM WellFoundedIsAsymmetric == TRUE
THEOREM WFSetLessThanIrreflexive == TRUE
THEOREM SetLessTransitive == TRUE
THEOREM WFInduction == TRUE
THEOREM WFDefOnUnique == TRUE
THEOREM WFInductiveDefLemma == TRUE
THEOREM TransitiveClosureThm == TRUE
THEOREM TransitiveClosureMinimal == TRUE
THEOREM TCTCTC == TRUE
THEOREM TCRTC == TRUE
THEOREM RTCTC == TRUE
THEOREM TransitiveClosureChopLast == TRUE
THEOREM TransitiveClosureWF == TRUE
THEOREM WFInductiveDef == TRUE
THEOREM WFInductiveDefType == TRUE
THEOREM NatLessThanWellFounded == TRUE
THEOREM PreImageWellFounded == TRUE
THEOREM WFLexPairOrdering == TRUE
THEOREM WFLexProductOrdering == TRUE
==============================================================================
