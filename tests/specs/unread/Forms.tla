---- MODULE Forms ----
EXTENDS Naturals
VARIABLE x
A == INSTANCE FormsInner
Begin == x = [TRUE (* a comment *) |-> 0, (* one (* in *) another *) FALSE \* and one more
              |-> 0]
Step == LET LOCAL most == 3
            LOCAL more == x.TRUE + 1
        IN x.TRUE < most /\ x' = [x EXCEPT !.TRUE = more]
Arm == CASE x.TRUE = 0 -> /\ TRUE
                          /\ x.FALSE = 0
                             [] x.TRUE = 1 -> x.TRUE < 3
                             [] OTHER -> x.TRUE < 4
Nested == /\ CASE x.TRUE > 1 -> \/ x.TRUE = 1
                                \/ /\ TRUE
                                   /\ x.TRUE < 4
                                      [] OTHER -> TRUE
          /\ x.TRUE < 4
Labelled == \A y \in {1} : A!B!lbl(y)::x.TRUE < y + 3
Tuples == <<>> \in {<<>>} /\ (\A <<>> \in {<<>>} : x.TRUE < 4) /\ {<<>> \in {<<>>} : TRUE} # {}
THEOREM x = x
<1> DEFINE LOCAL y == x
<1> QED
LOCAL Last == 1
====
