---- MODULE Middle ----
EXTENDS Base
Start == Zero
====
