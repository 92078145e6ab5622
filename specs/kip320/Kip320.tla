------------------------------- MODULE Kip320 -------------------------------
\* KIP-320 as adopted: fetches, and the requests that look for the cut, carry the follower's
\* epoch, and leader and follower deal with each other only within one and the same epoch.
\* Logs are cut when a follower enters an epoch, once, and agree from then on; whatever
\* the leader concludes from a follower's end offset is therefore true of its records.

EXTENDS Kip279

LOCAL IsFollowingLeaderEpoch(leader, follower) ==
    /\ {replicaState[leader].leader, replicaState[follower].leader} = {leader}
    /\ replicaState[leader].leaderEpoch = replicaState[follower].leaderEpoch

FencedFollowerFetch == \E follower, leader \in Replicas :
    /\ IsFollowingLeaderEpoch(leader, follower)
    /\ ReplicaLog!ReplicateTo(leader, follower)
    /\ SetHighWatermark(follower, HighWatermarkAfterFetch(leader, follower))
    /\ NoNewRecord /\ NoNewRequest /\ SameQuorum

\* The ISR is the leader's own; it need not ask the quorum.
FencedLeaderIncHighWatermark == \E leader \in Replicas :
    LET offset == replicaState[leader].hw
    IN  /\ ReplicaLog!HasOffset(leader, offset)
        /\ \A member \in replicaState[leader].isr :
            IsFollowingLeaderEpoch(leader, member) /\ ReplicaLog!HasOffset(member, offset)
        /\ SetHighWatermark(leader, offset + 1)
        /\ NoNewRecord /\ NoNewRequest /\ SameLogs /\ SameQuorum

\* Out goes who is in another epoch or behind; TLC generates the step twice if both apply.
FencedLeaderShrinkIsr == \E leader \in Replicas :
    /\ \E laggard \in replicaState[leader].isr \ {leader} :
        /\ \/ ReplicaLog!GetEndOffset(leader) > ReplicaLog!GetEndOffset(laggard)
           \/ ~ IsFollowingLeaderEpoch(leader, laggard)
        /\ QuorumUpdateLeaderAndIsr(leader, replicaState[leader].isr \ {laggard})
    /\ NoNewRecord /\ NoNewRequest /\ SameLogs

\* Everything written in earlier epochs is below the high watermark.
LOCAL HasCommittedUpToOwnEpoch(leader) ==
    LET hw == replicaState[leader].hw
        epoch == replicaState[leader].leaderEpoch
    IN  \/ ReplicaLog!IsEndOffset(leader, hw)
        \/ /\ ReplicaLog!HasOffset(leader, hw)
           /\ ReplicaLog!GetRecordAtOffset(leader, hw).epoch = epoch

\* The members of the ISR have all that an earlier leader promised, but a new leader does not
\* know how much that was. It admits others only when all it inherited is committed again.
FencedLeaderExpandIsr == \E leader \in Replicas :
    /\ HasCommittedUpToOwnEpoch(leader)
    /\ \E joiner \in Replicas \ replicaState[leader].isr :
        /\ IsFollowingLeaderEpoch(leader, joiner)
        /\ ReplicaLog!GetEndOffset(joiner) >= replicaState[leader].hw
        /\ QuorumUpdateLeaderAndIsr(leader, replicaState[leader].isr \union {joiner})
    /\ NoNewRecord /\ NoNewRequest /\ SameLogs

\* The cut of KIP-279, found with a leader that is already in the epoch of the request. The
\* log of a leader that lags may itself be cut before it gets there.
FencedBecomeFollowerAndTruncate == \E request \in leaderAndIsrRequests :
    LET leader == request.leader
    IN  /\ leader # None
        /\ ReplicaPresumesLeadership(leader)
        /\ replicaState[leader].leaderEpoch = request.leaderEpoch
        /\ \E replica \in Replicas \ {leader} :
            LET cut == FirstNonMatchingOffsetFromTail(leader, replica)
            IN  /\ IsNewsTo(replica, request)
                /\ ReplicaLog!TruncateTo(replica, cut)
                /\ AdoptRequest(replica, request, Min({cut, replicaState[replica].hw}))
        /\ NoNewRecord /\ NoNewRequest /\ SameQuorum

Next ==
    \/ ControllerElectLeader
    \/ ControllerShrinkIsr
    \/ BecomeLeader
    \/ FencedLeaderExpandIsr
    \/ FencedLeaderShrinkIsr
    \/ LeaderWrite
    \/ FencedLeaderIncHighWatermark
    \/ FencedBecomeFollowerAndTruncate
    \/ FencedFollowerFetch

\* Leaders make progress if they can again and again; requests are delivered.
LOCAL Fairness ==
    /\ SF_vars(FencedLeaderIncHighWatermark) /\ SF_vars(FencedLeaderExpandIsr) /\ SF_vars(LeaderWrite)
    /\ WF_vars(FencedBecomeFollowerAndTruncate) /\ WF_vars(BecomeLeader)

Spec == Init /\ [][Next]_vars /\ Fairness

THEOREM Spec => [](WeakIsr /\ StrongIsr)
=============================================================================
