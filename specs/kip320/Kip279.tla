------------------------------- MODULE Kip279 -------------------------------
\* KIP-279: the leader's epochs alone do not say where two logs part when leaders changed
\* quickly. The follower therefore walks back from its own tail to the last record that the
\* leader has at the same offset, and cuts above it.

EXTENDS KafkaReplication

MatchingOffsets(replica1, replica2) ==
    {offset \in ReplicaLog!Offsets :
        /\ ReplicaLog!HasOffset(replica1, offset)
        /\ LET record == ReplicaLog!GetRecordAtOffset(replica1, offset)
           IN  ReplicaLog!HasEntry(replica2, record, offset)}

\* 0 if nothing matches, as when one of the logs is empty.
FirstNonMatchingOffsetFromTail(leader, follower) ==
    Max({0} \union {offset + 1 : offset \in MatchingOffsets(leader, follower)})

\* A follower with an empty log may take either branch: one step, which TLC generates twice.
BecomeFollowerTruncateKip279 == \E leader, replica \in Replicas :
    \/ LET matchEnd == FirstNonMatchingOffsetFromTail(leader, replica)
       IN  leader # replica /\ BecomeFollowerAndTruncateTo(leader, replica, matchEnd)
    \/ ReplicaLog!IsEmpty(replica) /\ BecomeFollowerAndTruncateTo(leader, replica, 0)

LOCAL Next ==
    \/ ControllerElectLeader
    \/ ControllerShrinkIsr
    \/ BecomeLeader
    \/ LeaderExpandIsr
    \/ LeaderShrinkIsr
    \/ LeaderWrite
    \/ LeaderIncHighWatermark
    \/ BecomeFollowerTruncateKip279
    \/ FollowerReplicate

\* Leaders make progress if they can again and again; requests are delivered.
LOCAL Fairness ==
    /\ SF_vars(LeaderIncHighWatermark) /\ SF_vars(LeaderExpandIsr) /\ SF_vars(LeaderWrite)
    /\ WF_vars(BecomeFollowerTruncateKip279) /\ WF_vars(BecomeLeader)

LOCAL Spec == Init /\ [][Next]_vars /\ Fairness
=============================================================================
