---- MODULE Kinds ----
\* One model for each kind of answer that TLC gives.
EXTENDS Naturals, Sequences, TLC
CONSTANT Kind \* the answer
VARIABLES x, log
vars == <<x, log>>
ASSUME Kind # "assumption"
ASSUME Kind = "assumption error" => Kind + 1 = 2
Init == x = (IF Kind = "initial" THEN 3 ELSE 0) /\ log = <<>> /\ PrintT(<<"starts", Kind>>)
Add(n, where) ==
  /\ x < 4
  /\ Assert(Kind # "assert" \/ x < 2, <<"stopped at", x>>)
  /\ x' = x + n
  /\ log' = IF x < 2 /\ Len(log) < 2 THEN Append(log, [at |-> where, from |-> x]) ELSE log
Back == Kind \in {"lasso", "action"} /\ x = 4 /\ x' = 1 /\ UNCHANGED log
Rest == Kind # "deadlock" /\ x >= 4 /\ UNCHANGED vars
Next == Add(1, <<"left", 1>>) \/ Add(2, <<"right", 2>>) \/ Back \/ Rest
Spec == Init /\ [][Next]_vars /\ (Kind # "stuttering" => WF_vars(Next))
Small == /\ Kind \in {"initial", "invariant"} => x < 3
         /\ Kind = "error" /\ x = 3 => Kind + 1 = 2
Low == x < 4
Even == x # 3
Grows == [][Kind = "action" => x' >= x]_vars
Ends == <>[](Kind \in {"lasso", "stuttering"} => x >= 4)
====
