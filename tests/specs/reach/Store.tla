---- MODULE Store ----
EXTENDS Naturals
CONSTANT size
LOCAL Room == size
Fits(n) == n < Room
====
