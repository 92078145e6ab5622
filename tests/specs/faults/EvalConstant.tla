---- MODULE EvalConstant ----
\* TLCEval in place of a constant operator.
EXTENDS TLC
CONSTANT Copy(_)
VARIABLE x
Init == x = TRUE
Next == x' = (Copy({1}) = {2})
====
