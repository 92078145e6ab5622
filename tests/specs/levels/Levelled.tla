---- MODULE Levelled ----
EXTENDS Naturals, TLC
VARIABLE x
vars == <<x>>
Init == x = 0
Up == x < 3 /\ x' = x + 1
\* A parameter below an operator of a fixed level does not count.
Can(A) == ENABLED <<A>>_vars
Indirectly(A) == Can(A)
Mixed(A, B) == Can(A) /\ B
InLet(A) == LET Able == ENABLED A
                Other == A
            IN Able
Applied(Op(_), e) == Op(e)
Primed(e) == e'
Always(P) == []P
Fair(A) == WF_vars(A)
Ever(A) == \A i \in 0..1 : ENABLED (A /\ x' = i)
Unused(A) == TRUE
RECURSIVE Count(_, _)
Count(A, n) == IF n = 0 THEN ENABLED A ELSE Count(A, n - 1)
Inv == Can(Up) \/ x = 3
UpInLet == LET Able(A) == ENABLED A IN Able(Up)
UpIndirectly == Indirectly(Up)
UpMixed == Mixed(Up, x = 1)
UpIsMixed == Mixed(x = 1, Up)
UpLet == InLet(Up)
UpApplied == Applied(Can, Up)
UpLambda == Applied(LAMBDA A : ENABLED A, x = 1)
UpEver == Ever(Up)
UpUnused == Unused(Up)
UpCount == Count(Up, 2)
ConstantPrimed == Primed(1)
ConstantAlways == Always(1 = 1)
ConstantEnabled == ENABLED TRUE
Weak == Fair(Up)
Printed == PrintT(x')
Plain(e) == e = e
I(p) == INSTANCE Inner WITH c <- p, F <- Plain
J(p) == INSTANCE Stateful WITH d <- p, v <- x
K == INSTANCE Stateful WITH d <- 1, v <- 2
InnerOfConstant == I(1)!Fixed
InnerOfState == I(x)!Fixed
InnerOfAction == I(x')!Aside(1)
InnerThrough == I(1)!Through(x')
StatefulConstant == J(1)!Constant
StatefulBoth == J(1)!Both(2)
StatefulCan == J(1)!Can(Up)
SubstitutedBoth == K!Both(2)
SubstitutedCan == K!Can(1 = 1)
Spec == Init /\ [][Up]_vars
====
