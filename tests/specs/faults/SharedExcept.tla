---- MODULE SharedExcept ----
\* A second update of a function whose domain is a set of functions: a key is lost.
EXTENDS Naturals, TLC
Ballots == [{1} -> {1, 2}]
One == [slot \in {1} |-> 1]
Two == [slot \in {1} |-> 2]
VARIABLES first, second
Init ==
    /\ first = [[ballot \in Ballots |-> 0] EXCEPT ![One] = One :> 5]
    /\ second = [first EXCEPT ![Two] = 9]
Next == UNCHANGED <<first, second>>
Lost == DOMAIN second # Ballots
====
