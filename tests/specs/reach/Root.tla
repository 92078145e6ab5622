---- MODULE Root ----
EXTENDS Base, Naturals
CONSTANT Limit
VARIABLE x
LOCAL Step == 1
Log == INSTANCE Store WITH size <- Limit + 1
Bags(s) == INSTANCE Pure
RECURSIVE Sum(_)
Sum(n) == IF n = 0 THEN Half(n) ELSE n + Sum(n - 1)
Half(n) == n \div 2
a \prec b == a < b + Zero
f[n \in 0..3] == n
Inv ==
  /\ x \in 0..3
  /\ \/ Log!Fits(x)  \* a comment
     \/ x = Step
Other == LET Inner == INSTANCE Pure IN Inner!Id(Sum(x)) \prec f[x] (* another (* one *) *)
Vars == <<x>>
Spec == x = 0 /\ [][x' = x + Step]_Vars /\ WF_Vars(x' = x)
Unused == 7
ASSUME Limit > Zero
====
