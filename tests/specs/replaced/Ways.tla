---- MODULE Ways ----
EXTENDS Naturals, TLC
CONSTANT N
VARIABLE x
INSTANCE WaysBase
W == INSTANCE WaysInner
Own == 1
Seven == 7
SevenOf(a, b) == 7
Init == x = 0 /\ PrintT(<<"seen", N, Own, Plain, UsesPlain, W!Limit, W!UsesLimit, 1 -| 2, UsesSign>>)
Next == UNCHANGED x
====
