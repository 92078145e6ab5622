---- MODULE Loop ----
EXTENDS Naturals
(* --algorithm Loop
variable x = 0;
begin
Step:
  x := x + 1;
end algorithm *)
\* BEGIN TRANSLATION
VARIABLES x, pc
vars == << x, pc >>
Init == x = 0 /\ pc = "Step"
Step == /\ pc = "Step"
        /\ x' = x + 1
        /\ pc' = "Done"
Next == Step
Spec == Init /\ [][Next]_vars
\* END TRANSLATION
====
