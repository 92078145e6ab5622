---- MODULE Relay ----
\* Nodes that count, and tell each other.
EXTENDS Naturals
CONSTANTS Nodes, Max
VARIABLES count, sent
Init == count = [n \in Nodes |-> 0] /\ sent = {}
\* A node counts one more and tells it.
Count == \E n \in Nodes :
  /\ count[n] < Max
  /\ count' = [count EXCEPT ![n] = @ + 1]
  /\ sent' = sent \union {[from |-> n, value |-> count[n] + 1]}
\* Nobody ever counts that far.
Overflow == \E n \in Nodes : count[n] > Max /\ count' = [count EXCEPT ![n] = 0] /\ UNCHANGED sent
Next == Count \/ Overflow
Spec == Init /\ [][Next]_<<count, sent>>
\* No node counts to three.
Small == \A n \in Nodes : count[n] < 3
====
