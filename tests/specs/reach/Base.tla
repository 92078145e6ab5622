---- MODULE Base ----
Zero == 0
====
