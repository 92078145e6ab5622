---- MODULE Levels ----
CONSTANT C
Early(x) == {y \in x : LET both == x = y IN both}
VARIABLES x, y
Op(a) == a
Ignore(a, b) == b
Inside(a) == LET g == a IN \A i \in {1} : g = i
Shadow(a) == LET g[i \in {1}] == IF i = 0 THEN g[i] ELSE i IN g[1]
Twice(a, b) == LET c == b IN LET d == <<c, c>> IN LET e == <<d, d>> IN e
RECURSIVE Rec(_)
Rec(n) == IF n = 0 THEN x ELSE Rec(n - 1)
f[i \in {1}] == x
====
