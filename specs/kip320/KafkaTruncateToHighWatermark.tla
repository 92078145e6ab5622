-------------------- MODULE KafkaTruncateToHighWatermark --------------------
\* The oldest design: a new follower cuts its log at its own high watermark. Its high
\* watermark lags behind the leader's, so what it cuts may be committed; if it is then elected,
\* that is lost.

EXTENDS KafkaReplication

BecomeFollowerTruncateToHighWatermark == \E leader, replica \in Replicas :
    BecomeFollowerAndTruncateTo(leader, replica, replicaState[replica].hw)

Next ==
    \/ ControllerElectLeader
    \/ ControllerShrinkIsr
    \/ BecomeLeader
    \/ LeaderExpandIsr
    \/ LeaderShrinkIsr
    \/ LeaderWrite
    \/ LeaderIncHighWatermark
    \/ BecomeFollowerTruncateToHighWatermark
    \/ FollowerReplicate

\* Leaders make progress if they can again and again; requests are delivered.
LOCAL Fairness ==
    /\ SF_vars(LeaderIncHighWatermark) /\ SF_vars(LeaderExpandIsr) /\ SF_vars(LeaderWrite)
    /\ WF_vars(BecomeFollowerTruncateToHighWatermark) /\ WF_vars(BecomeLeader)

Spec == Init /\ [][Next]_vars /\ Fairness
=============================================================================
