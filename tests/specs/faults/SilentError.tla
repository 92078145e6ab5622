---- MODULE SilentError ----
\* Fairness compares two values of its subscript that TLC cannot compare.
VARIABLE x
Init == x = {}
Grow == x' = [size |-> 1]
Spec == Init /\ [][Grow]_x /\ WF_<<x>>(Grow)
Grows == []<>(x # 0)
====
