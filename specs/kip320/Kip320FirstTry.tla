--------------------------- MODULE Kip320FirstTry ---------------------------
\* The first design for KIP-320. A follower's fetch tells the epoch of its last record, so a
\* leader can see whether the two logs agree there, and a follower cuts its log when a fetch
\* is refused, not when it becomes a follower.
\*
\* What is missing is the follower's own epoch in the fetch. The leader of one epoch may count
\* a follower that is still in an older epoch of the same leader, or may itself be the old one;
\* the high watermark rises, and later the follower cuts the record away.

EXTENDS Kip279

LOCAL EpochAt(replica, offset) == ReplicaLog!GetRecordAtOffset(replica, offset).epoch

\* The logs of both reach up to endOffset, and their records just below it are of one epoch.
IsFollowerCaughtUpToLeaderEpoch(leader, follower, endOffset) ==
    LET last == endOffset - 1
    IN  /\ ReplicaIsFollowing(follower, leader)
        /\ ReplicaPresumesLeadership(leader)
        /\ endOffset > 0 =>
            /\ ReplicaLog!HasOffset(leader, last)
            /\ ReplicaLog!HasOffset(follower, last)
            /\ EpochAt(follower, last) = EpochAt(leader, last)

\* The follower's log is the longer one, or its last record is of another epoch than the
\* leader's record there.
FollowerNeedsTruncation(follower, leader) ==
    LET end == ReplicaLog!GetEndOffset(follower)
    IN  IF end > ReplicaLog!GetEndOffset(leader)
        THEN TRUE
        ELSE end > 0 /\ EpochAt(follower, end - 1) # EpochAt(leader, end - 1)

\* At any time, not only on a change of epoch.
FollowerTruncate == \E leader, follower \in Replicas :
    /\ ReplicaIsFollowing(follower, leader)
    /\ ReplicaPresumesLeadership(leader)
    /\ FollowerNeedsTruncation(follower, leader)
    /\ LET cut == FirstNonMatchingOffsetFromTail(leader, follower)
       IN  /\ ReplicaLog!TruncateTo(follower, cut)
           /\ SetHighWatermark(follower, Min({cut, replicaState[follower].hw}))
    /\ NoNewRecord /\ NoNewRequest /\ SameQuorum

\* The members' records at the high watermark must be of the leader's epoch there. A member's
\* own epoch is not known, and that is the flaw.
ImprovedLeaderIncHighWatermark == \E leader \in Replicas :
    LET committed == replicaState[leader].hw + 1
    IN  /\ ReplicaPresumesLeadership(leader)
        /\ ReplicaLog!GetEndOffset(leader) >= committed
        /\ \A member \in replicaState[leader].isr :
            IsFollowerCaughtUpToLeaderEpoch(leader, member, committed)
        /\ SetHighWatermark(leader, committed)
        /\ NoNewRecord /\ NoNewRequest /\ SameLogs /\ SameQuorum

\* A record is handed out only above one that both logs agree on.
FollowerFetch == \E follower, leader \in Replicas :
    /\ IsFollowerCaughtUpToLeaderEpoch(leader, follower, ReplicaLog!GetEndOffset(follower))
    /\ ReplicaLog!ReplicateTo(leader, follower)
    /\ SetHighWatermark(follower, HighWatermarkAfterFetch(leader, follower))
    /\ NoNewRecord /\ NoNewRequest /\ SameQuorum

LeaderShrinkIsrBetterFencing == \E leader \in Replicas :
    /\ \E laggard \in replicaState[leader].isr \ {leader} :
        /\ ~ IsFollowerCaughtUpToLeaderEpoch(leader, laggard, ReplicaLog!GetEndOffset(leader))
        /\ QuorumUpdateLeaderAndIsr(leader, replicaState[leader].isr \ {laggard})
    /\ NoNewRecord /\ NoNewRequest /\ SameLogs

\* Everything written in earlier epochs is below the high watermark.
LOCAL HasCommittedUpToOwnEpoch(leader) ==
    LET hw == replicaState[leader].hw
    IN  \/ ReplicaLog!IsEndOffset(leader, hw)
        \/ ReplicaLog!HasOffset(leader, hw) /\ EpochAt(leader, hw) = replicaState[leader].leaderEpoch

\* Nobody may join before that: the old leader's promises are not yet known in full.
LeaderExpandIsrBetterFencing == \E leader \in Replicas :
    /\ HasCommittedUpToOwnEpoch(leader)
    /\ \E joiner \in Replicas \ replicaState[leader].isr :
        /\ IsFollowerCaughtUpToLeaderEpoch(leader, joiner, replicaState[leader].hw)
        /\ QuorumUpdateLeaderAndIsr(leader, replicaState[leader].isr \union {joiner})
    /\ NoNewRecord /\ NoNewRequest /\ SameLogs

\* Log and high watermark stay as they are.
BecomeFollower == \E request \in leaderAndIsrRequests :
    /\ request.leader # None
    /\ \E replica \in Replicas \ {request.leader} :
        /\ IsNewsTo(replica, request)
        /\ AdoptRequest(replica, request, replicaState[replica].hw)
    /\ NoNewRecord /\ NoNewRequest /\ SameLogs /\ SameQuorum

Next ==
    \/ ControllerElectLeader
    \/ ControllerShrinkIsr
    \/ BecomeLeader
    \/ LeaderExpandIsrBetterFencing
    \/ LeaderShrinkIsrBetterFencing
    \/ LeaderWrite
    \/ ImprovedLeaderIncHighWatermark
    \/ BecomeFollower
    \/ FollowerFetch
    \/ FollowerTruncate

\* LeaderExpandIsr is no step of this design: its strong fairness speaks of the unfenced
\* expansion, where that happens to be possible.
LOCAL Fairness ==
    /\ SF_vars(ImprovedLeaderIncHighWatermark) /\ SF_vars(LeaderExpandIsr) /\ SF_vars(LeaderWrite)
    /\ WF_vars(BecomeFollower) /\ WF_vars(BecomeLeader)

Spec == Init /\ [][Next]_vars /\ Fairness
=============================================================================
