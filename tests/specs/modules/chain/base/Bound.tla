---- MODULE Bound ----
EXTENDS Integers
CONSTANT top
VARIABLE value
Within == value =< top
====
