---- MODULE EmptyRange ----
\* No function has a value in the empty set: both sets of functions are empty.
VARIABLE domain
Init == domain = {1}
Next == UNCHANGED domain
Nothing == {}
Same == ~([domain -> Nothing] # [{2} -> {}])
====
