---- MODULE Main ----
EXTENDS Naturals, FiniteSets
CONSTANTS Nodes, Unused
VARIABLES end, acks, state
vars == <<end, acks, state>>
L == INSTANCE Log WITH log <- end
Init == /\ L!Init
        /\ acks = Nodes
        /\ state = [n \in Nodes |-> [busy |-> FALSE, mode |-> "on"]]
Modes == {"on", "off"}
Clear == acks' = {} /\ UNCHANGED state
Write == LET quorum == {q \in SUBSET Nodes : Cardinality(q) * 2 > Cardinality(Nodes)}
         IN  /\ \A n \in acks : ~state[n].busy
             /\ L!Append(1)
             /\ Clear
Ack(n) == /\ \E q \in {Nodes, {n}} : Cardinality(q) > Cardinality(acks)
          /\ acks' = acks \cup {n}
          /\ IF n \in acks
             THEN /\ state' = [state EXCEPT ![n].busy = TRUE]
                  /\ end > 0
             ELSE state' = state
          /\ UNCHANGED end
Leave(n) == /\ CASE n \in acks -> acks' = acks \ {n}
                 [] OTHER -> UNCHANGED acks
            /\ UNCHANGED <<end, state>>
Next == Write \/ \E n \in Nodes : Ack(n) \/ Leave(n)
Idle == end' = end - 1
Spec == Init /\ [][Next]_vars /\ WF_vars(Write) /\ SF_vars(\E n \in Nodes : Ack(n))
Safe == /\ end >= 0
        /\ \A n \in Nodes : state[n].mode \in Modes /\ acks \subseteq Nodes
====
