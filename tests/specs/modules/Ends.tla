---- MODULE Ends ----
\* PlusCal options (-noDoneDisjunct)
EXTENDS Naturals
(* --algorithm ends
variables n = 0;
{declaration}
begin
  L: {statement};
{end}
end algorithm; *)
====
