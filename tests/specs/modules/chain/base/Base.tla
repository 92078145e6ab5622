---- MODULE Base ----
EXTENDS Naturals
Zero == 0
====
