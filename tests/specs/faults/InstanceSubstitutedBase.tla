---- MODULE InstanceSubstitutedBase ----
EXTENDS Naturals
VARIABLE x
Evens == {i \in 0..8 : i % 2 = 0}
Init == x = 0
Next == x' \in Evens
====
