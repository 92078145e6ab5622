---- MODULE EventuallyTrue ----
\* A tautology of the form <>P => <>[]P with a constant.
VARIABLE on
Init == on = TRUE
Next == UNCHANGED on
Spec == Init /\ [][Next]_on
Always == <>TRUE => <>[]TRUE
====
