---- MODULE Twice ----
EXTENDS Naturals
Double(n) == n + n
====
