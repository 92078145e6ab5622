---- MODULE Tools ----
EXTENDS Integers
Double(n) == 2*n
====
