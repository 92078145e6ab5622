---- MODULE Loop ----
EXTENDS Naturals
(* --algorithm Loop
variable x = 0;
begin
Step:
  while x < 3 do
    x := x + 1;
  end while;
end algorithm *)
Small == x <= 3
====
