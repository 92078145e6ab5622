---- MODULE Algorithm ----
EXTENDS Naturals
(*
--algorithm Count {
  variable x = 0;
  { while (x < 3) { x := x + 1; assert x > 0 } }
}
*)
\* BEGIN TRANSLATION
VARIABLE x
Init == x = 0
\* END TRANSLATION
====
