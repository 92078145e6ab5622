---- MODULE Buffer ----
VARIABLE slots
Put(index, item) == slots' = [slots EXCEPT ![index] = item]
====
