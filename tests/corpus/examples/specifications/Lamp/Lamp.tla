---- MODULE Lamp ----
\* A lamp whose brightness goes up in steps and that is switched off from anywhere.
EXTENDS Naturals
CONSTANT Brightest \* the last step, a number
VARIABLE light
Init == light = 0
Up == light < Brightest /\ light' = light + 1
Off == light > 0 /\ light' = 0
Next == Up \/ Off
Spec == Init /\ [][Next]_light
Lit(least) == light >= least
Inside == light \in 0..Brightest
Dim == ~Lit(3)
Shown == [percent |-> (100 * light) \div Brightest]
====
