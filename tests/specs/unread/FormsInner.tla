---- MODULE FormsInner ----
B(y) == y
====
