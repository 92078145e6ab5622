---- MODULE InstanceEnabledWorker ----
EXTENDS Naturals, Sequences
VARIABLES taken, owner, left
Take ==
    /\ taken = 0
    /\ owner' = 7
    /\ taken' = 1
    /\ left' = SelectSeq(left, LAMBDA item: item # taken')
    /\ left' = <<1, 2>>
CanTake == ENABLED Take
Fairness == WF_<<taken, owner, left>>(Take)
====
