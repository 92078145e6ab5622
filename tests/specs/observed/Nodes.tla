---- MODULE Nodes ----
EXTENDS Naturals, Sequences
CONSTANT Node, Nil
VARIABLES log, msgs, owner
LOCAL Longer(n) == [log EXCEPT ![n] = Append(@, Len(@) + 1)]
Init ==
  /\ log = [n \in Node |-> <<>>]
  /\ msgs = {}
  /\ owner = Nil
Write(n) == /\ owner = Nil \/ owner = n
            /\ Len(log[n]) < 3
            /\ log' = Longer(n)
            /\ owner' = n
            /\ UNCHANGED msgs
Send(self) ==
  /\ log[self] # <<>>
  /\ \E to \in Node \ {self}, kind \in 1..2 :
       /\ to # self
       /\ msgs' = msgs \cup {[from |-> self, to |-> to, kind |-> kind, body |-> <<"x", Len(log[self])>>]}
  /\ UNCHANGED <<log, owner>>
Receive(m) == /\ msgs' = msgs \ {m}
              /\ UNCHANGED <<log, owner>>
NodeNext(n) == \/ Write(n)
               \/ Send(n)
Stop == owner' = Nil /\ owner # Nil /\ UNCHANGED <<log, msgs>>
Next == \/ \E n \in Node : NodeNext(n)
        \/ \E m \in msgs : \* any message (
             Receive(m)
        \/ LET least == 1 IN
             /\ least > 0
             /\ Stop
vars == <<log, msgs, owner>>
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
====
