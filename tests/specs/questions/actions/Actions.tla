---- MODULE Actions ----
EXTENDS Naturals
VARIABLES x, sent
Box == INSTANCE ActionsBox WITH content <- sent
Init == x = 0 /\ sent = {}
Low == /\ x >= 0
       /\ x < 3
Add == x' = x + 1 /\ Box!Put(x)
LOCAL Take(n, why) == \E m \in sent :
    LET next == m + n
    IN  /\ m > 0
        /\ \/ /\ m = n
              /\ sent' = {}
           \/ m + 1 = n /\ sent' = sent \ {m} /\ FALSE
        /\ x' = next
        /\ x' > why
Receive == \E m \in sent : m > 7 /\ UNCHANGED <<x, sent>>
Alone(n) == x' = n /\ UNCHANGED sent
Next == Low /\ (Add \/ (\E n \in {3, 2} : Take(n, 90)) \/ Receive)
Spec == Init /\ [][Next]_<<x, sent>>
Small == x < 3
====
