---- MODULE Countdown ----
EXTENDS Naturals
CONSTANT N
(* --algorithm Countdown
variables left = N;
begin
  loop: while left > 0 do
    step: left := left - 1;
  end while;
end algorithm *)
Above == left > 1
====
