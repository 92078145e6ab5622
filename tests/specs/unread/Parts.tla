---- MODULE Parts ----
EXTENDS Naturals
COp(q, p) ==
  CHOOSE x : lab(x) ::  LET a ++ b ==  {a, b, q, p, x}
                        IN  <<q, 99 ++ p >>
Five(A(_, _, _, _, _), a1, a2, a3, a4, a5) == A(a1, a2, a3, a4, a5)
ASSUME COp(1, 2)!(3)!1!>> = {99, 1, 2, 3}
ASSUME Five(COp!@!++, 1, 2, 3, 4, 5) = {2, 1, 3, 4, 5}
ASSUME Five(COp!lab!:!++, 1, 2, 3, 4, 5) = {2, 1, 3, 4, 5} \* !*)
====
