---- MODULE Programs ----
EXTENDS IOUtils, TLC
VARIABLE x
Init == x = IOExec(<<"echo", "hello">>).stdout
Spec == Init /\ [][UNCHANGED x]_x
Silent == x # "hello\n"
====
