---- MODULE InstanceNamesAbstract ----
VARIABLE state
status == state
Open == status = "open"
====
