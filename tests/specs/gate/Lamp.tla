---- MODULE Lamp ----
EXTENDS Naturals
CONSTANTS Max, Off
VARIABLE n
Init == n = 0
Next == n' = IF n = Off THEN 0 ELSE n + 1
Bounded == n <= Max
Wide == n < 100
====
