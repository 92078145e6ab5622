---- MODULE Door ----
VARIABLE open
Init == open = FALSE
Open == ~open /\ open' = TRUE
Close == open /\ open' = FALSE
Next == Open \/ Close
Spec == Init /\ [][Next]_open
====
