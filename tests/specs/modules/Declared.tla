---- MODULE Declared ----
EXTENDS Naturals, Sequences
CONSTANTS N, Op(_, _), _ ++ _
VARIABLES x, y
ASSUME Positive == N > 0
ASSUME N < 9
Init == x = 0 /\ y = <<>>
f[i \in Nat] == i
a \oplus b == a + b
RECURSIVE Sum(_)
Sum(s) == IF s = <<>> THEN 0 ELSE Head(s) + Sum(Tail(s))
THEOREM Sound == Init => x = 0
====
