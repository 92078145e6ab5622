---- MODULE Missing ----
EXTENDS Json, IOUtils
CONSTANT File
VARIABLE x
Init == x = ndJsonDeserialize(File)[1].n
Next == UNCHANGED x
Spec == Init /\ [][Next]_x
Log == IOEnv.LOG
Other == IOEnv.LOG
Known == x = 1
====
