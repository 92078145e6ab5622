---- MODULE InstanceEnabled ----
\* The instance's names overlap the variables of this module: an action that is never enabled counts as enabled.
EXTENDS Naturals
VARIABLES owner, queue, items
Worker == INSTANCE InstanceEnabledWorker WITH taken <- owner, owner <- queue, left <- items
Init == owner = 0 /\ queue = 0 /\ items = <<1, 2>>
Next == UNCHANGED <<owner, queue, items>>
Spec == Init /\ [][Next]_<<owner, queue, items>>
Idle == Worker!CanTake
Fair == Spec /\ Worker!Fairness
Done == <>(owner = 1)
====
