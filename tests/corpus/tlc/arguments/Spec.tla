---- MODULE Spec ----
EXTENDS Naturals, Sequences
CONSTANTS p1, p2
VARIABLES sent, got
Init == sent = {} /\ got = <<>>
Send(p, pair, text) == Len(got) = 0 /\ sent' = sent \cup {[from |-> p, pair |-> pair, text |-> text]} /\ UNCHANGED got
Receive(p) == \E m \in sent : m.from = p /\ got' = Append(got, m) /\ UNCHANGED sent
Next == \/ \E p \in {p1, p2} : Send(p, <<1, 2>>, "a, b) > c")
        \/ \E p \in {p1, p2} : Receive(p)
        \/ got' = <<>> /\ Len(got) > 5 /\ UNCHANGED sent
Spec == Init /\ [][Next]_<<sent, got>>
None == Len(got) < 1
====
