---- MODULE WaysBase ----
EXTENDS Naturals
VARIABLE x
Plain == 1
UsesPlain == Plain
a -| b == a + b
UsesSign == 1 -| 2
Same == x = x
====
