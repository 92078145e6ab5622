---- MODULE Lights ----
EXTENDS Naturals
VARIABLES lamp, turn
vars == <<lamp, turn>>
Init == lamp = 0 /\ turn = 0
Next == lamp' = (lamp + 1) % 3 /\ turn' = (turn + 1) % 2
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
\* The lamp comes on in its own time, and goes out for ever.
Ready == turn = 1 /\ lamp = 2
Once == \/ lamp < 2 /\ ~Ready /\ lamp' = lamp + 1 /\ turn' = 1 - turn
        \/ Ready /\ lamp' = 3 /\ turn' = turn
Waits == lamp < 2 /\ lamp' = lamp /\ turn' = 1 - turn
Late == Init /\ [][Once \/ Waits]_vars
Lamp == lamp
Both == <<lamp, turn>>
Settles == []<>(lamp = 1 /\ turn = 1) /\ <>[](lamp = 1 => turn = 1)
Even == lamp = 0 => turn = 0
Alternates == [][lamp = 2 => turn' = 1]_vars
Dark == lamp < 3
====
