---- MODULE Signs ----
EXTENDS Naturals
VARIABLE x
\* ≜ in a comment (* ∧ is nothing to TLC
(* (* □ *) ∈ *)
Name == "é"
Init == x = 0
Next ≜ x' ∈ {x}
Spec == Init /\ [][Next]_x
====
