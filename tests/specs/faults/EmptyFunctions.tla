---- MODULE EmptyFunctions ----
\* Both sets have one element, the function without arguments.
VARIABLE range
Init == range = {1}
Next == UNCHANGED range
Same == [{} -> range] = [{} -> {2}]
====
