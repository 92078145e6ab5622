---- MODULE Relay ----
EXTENDS Naturals, Sequences
CONSTANT Nodes
VARIABLES inbox, done, hops
vars == <<inbox, done, hops>>
Init == inbox = [n \in Nodes |-> <<>>] /\ done = {} /\ hops = 0
Send(n) ==
  /\ hops < 2
  /\ inbox[n] = <<>>
  /\ inbox' = [inbox EXCEPT ![n] = Append(@, [kind |-> "job", size |-> hops])]
  /\ hops' = hops + 1
  /\ UNCHANGED done
Take(n) ==
  /\ inbox[n] # <<>>
  /\ Head(inbox[n]).size < 1
  /\ inbox' = [inbox EXCEPT ![n] = Tail(@)]
  /\ done' = done \cup {n}
  /\ UNCHANGED hops
Work == \E n \in Nodes : Take(n)
Next == \/ \E n \in Nodes : Send(n)
        \/ Work
Spec == Init /\ [][Next]_vars
Weak == Spec /\ \A n \in Nodes : WF_vars(Send(n))
Fair == Weak /\ WF_vars(Work)
Served == \A n \in Nodes : (inbox[n] # <<>>) ~> (n \in done)
Always == []<>(done = Nodes)
Ends == <>[](hops = 1)
A == INSTANCE Jobs WITH finished <- done, open <- hops
Refines == A!Spec
Grows == [][hops' > hops => done' = done /\ hops' = 1]_vars
====
