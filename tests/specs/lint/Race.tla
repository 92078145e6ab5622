---- MODULE Race ----
EXTENDS Naturals
CONSTANTS Mode, Flag, Size, Nil, Servers
VARIABLES count, owner
Spec == count = 0 /\ owner = Nil /\ [][count' = count + 1 /\ owner' \in Servers]_<<count, owner>>
Fast == Mode = "fast"
On == Flag = TRUE
Big == count # Size
====
