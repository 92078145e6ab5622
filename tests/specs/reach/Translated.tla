---- MODULE Translated ----
(* --algorithm A
begin
  one: x := 1;
  two:
    x := 2;
end algorithm *)
\* BEGIN TRANSLATION
VARIABLES x
one == /\ x = 0
       /\ x' = 1
two == x' = 2
\* END TRANSLATION
Last == 1
====
