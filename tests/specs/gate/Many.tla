---- MODULE Many ----
EXTENDS Naturals
CONSTANTS Who, One
VARIABLE x
Init == x = 0
Start == x = 1
Next == x < 3 /\ x' = x + 1
Small == x < 4
====
