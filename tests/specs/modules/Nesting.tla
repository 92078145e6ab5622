---- MODULE Nesting ----
EXTENDS Naturals
VARIABLE x
---- MODULE Inner ----
CONSTANT Step
Up == x' = x + Step
====
I == INSTANCE Inner WITH Step <- 2
Next == I!Up
====
