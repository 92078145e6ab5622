-------------------------- MODULE NaturalsInduction --------------------------
(* The names of the module of the TLA+ proof system's library, so that TLC reads
   modules that extend it where that is not installed. What its theorems say is
   left out: TLC checks none. *)
EXTENDS Integers

\* A function on the naturals, or on m..n, by recursion over them.
NatInductiveDefConclusion(f, first, Next(_, _)) == f = [n \in Nat |-> IF n > 0 THEN Next(f[n - 1], n) ELSE first]
NatInductiveDefHypothesis(f, first, Next(_, _)) ==
    f = CHOOSE g : NatInductiveDefConclusion(g, first, Next)
FiniteNatInductiveDefConclusion(f, first, Next(_, _), m, n) ==
    f = [k \in m..n |-> IF k > m THEN Next(f[k - 1], k) ELSE first]
FiniteNatInductiveDefHypothesis(f, first, Next(_, _), m, n) ==
    f = CHOOSE g : FiniteNatInductiveDefConclusion(g, first, Next, m, n)

THEOREM NatInduction == TRUE
THEOREM DownwardNatInduction == TRUE
THEOREM GeneralNatInduction == TRUE
THEOREM SmallestNatural == TRUE
THEOREM RecursiveFcnOfNat == TRUE
THEOREM NatInductiveDef == TRUE
THEOREM RecursiveFcnOfNatType == TRUE
THEOREM NatInductiveDefType == TRUE
THEOREM RecursiveFcnOfNatUnique == TRUE
THEOREM NatInductiveUnique == TRUE
THEOREM FiniteNatInductiveDef == TRUE
THEOREM FiniteNatInductiveDefType == TRUE
THEOREM FiniteNatInductiveUnique == TRUE
THEOREM FactorialDefConclusion == TRUE
THEOREM FactorialDef == TRUE
THEOREM FactorialType == TRUE
==============================================================================
