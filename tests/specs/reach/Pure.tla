---- MODULE Pure ----
Id(x) == x
====
