---- MODULE InstanceNames ----
\* The instance defines a name that is a variable here.
VARIABLE status
Abstract == INSTANCE InstanceNamesAbstract WITH state <- "open"
Init == status = "closed"
Next == UNCHANGED status
Spec == Init /\ [][Next]_status
Refines == Abstract!Open
====
