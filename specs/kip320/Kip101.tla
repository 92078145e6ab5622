------------------------------- MODULE Kip101 -------------------------------
\* KIP-101: a new follower asks the leader where the epoch of its own last record ends in the
\* leader's log, and cuts there instead of at its high watermark.

EXTENDS KafkaReplication

OffsetsWithLargerEpochs(replica, epoch) ==
    {offset \in ReplicaLog!Offsets :
        /\ ReplicaLog!HasOffset(replica, offset)
        /\ ReplicaLog!GetRecordAtOffset(replica, offset).epoch > epoch}

\* The end of that epoch as the leader knows it. Without an answer the follower falls back on
\* its high watermark.
LookupOffsetForEpoch(leader, follower, epoch) ==
    LET larger == OffsetsWithLargerEpochs(leader, epoch)
        isLast == ~ ReplicaLog!IsEmpty(leader) /\ ReplicaLog!GetLatestRecord(leader).epoch = epoch
    IN  CASE isLast                    -> ReplicaLog!GetEndOffset(leader)
          [] ~ isLast /\ larger = {}   -> replicaState[follower].hw
          [] ~ isLast /\ larger # {}   -> Min(larger)

\* The answer is not capped at the follower's own end offset. Where it lies beyond, this step
\* is not possible: see BecomeFollowerAndTruncateTo.
BecomeFollowerTruncateKip101 == \E leader, replica \in Replicas :
    LET record == ReplicaLog!GetLatestRecord(replica)
        cut == IF ReplicaLog!IsEmpty(replica) THEN 0
               ELSE LookupOffsetForEpoch(leader, replica, record.epoch)
    IN  leader # replica /\ BecomeFollowerAndTruncateTo(leader, replica, cut)

LOCAL Next ==
    \/ ControllerElectLeader
    \/ ControllerShrinkIsr
    \/ BecomeLeader
    \/ LeaderExpandIsr
    \/ LeaderShrinkIsr
    \/ LeaderWrite
    \/ LeaderIncHighWatermark
    \/ BecomeFollowerTruncateKip101
    \/ FollowerReplicate

\* Leaders make progress if they can again and again; requests are delivered.
LOCAL Fairness ==
    /\ SF_vars(LeaderIncHighWatermark) /\ SF_vars(LeaderExpandIsr) /\ SF_vars(LeaderWrite)
    /\ WF_vars(BecomeFollowerTruncateKip101) /\ WF_vars(BecomeLeader)

LOCAL Spec == Init /\ [][Next]_vars /\ Fairness
=============================================================================
