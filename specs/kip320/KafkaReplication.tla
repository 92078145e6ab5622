-------------------------- MODULE KafkaReplication --------------------------
\* Replication of one Kafka partition: the state, the controller, and the rules that
\* were in force before followers were fenced by leader epoch. How a new follower cuts
\* its log is left open here; each design that extends this module decides it.
\*
\* A broker knows only the last LeaderAndIsr request it has processed. Requests are never
\* consumed, so they may arrive late, in any order, or not at all; a broker ignores what is
\* no newer than its own epoch. The quorum (ZooKeeper) is read and written atomically.
\* A crash has no action of its own: a broker that takes no step is a crashed one.

EXTENDS Integers, Util

CONSTANTS
    Replicas,           \* the brokers that hold the partition: a set of model values
    LogSize,            \* records that fit into a log: a number
    MaxRecords,         \* records that producers write in all: a number
    MaxLeaderEpoch      \* the last leader epoch, the first being 0: a number

None == "NONE"          \* in place of a leader

Nil == -1               \* in place of an epoch or of a record

ASSUME
    /\ None \notin Replicas
    /\ MaxLeaderEpoch \in Nat

VARIABLES
    replicaLog,             \* each broker's log
    replicaState,           \* each broker's idea of leader, epoch and ISR, and its high watermark
    nextRecordId,           \* ids make the records distinct
    nextLeaderEpoch,        \* each decision of the controller takes an epoch
    leaderAndIsrRequests,   \* all requests the controller ever sent
    quorumState             \* the truth about leader, epoch and ISR

vars == <<replicaLog, replicaState, nextRecordId, nextLeaderEpoch, leaderAndIsrRequests, quorumState>>

RecordSeq == INSTANCE IdSequence WITH nextId <- nextRecordId, MaxId <- MaxRecords - 1

LeaderEpochSeq == INSTANCE IdSequence WITH nextId <- nextLeaderEpoch, MaxId <- MaxLeaderEpoch

\* A record carries the epoch it was written in; the oldest design just never looks at it.
LogRecords == [id : RecordSeq!IdSet, epoch : LeaderEpochSeq!IdSet]

ReplicaLog == INSTANCE FiniteReplicatedLog WITH logs <- replicaLog

-----------------------------------------------------------------------------
(* Types *)

LeaderEpochOpt == LeaderEpochSeq!IdSet \union {Nil}

ReplicaOpt == Replicas \union {None}

QuorumState ==
    [leaderEpoch : LeaderEpochOpt, leader : ReplicaOpt, isr : SUBSET Replicas]

ReplicaState ==
    [hw : 0 .. LogSize, leaderEpoch : LeaderEpochOpt, leader : ReplicaOpt, isr : SUBSET Replicas]

\* TLC evaluates this only as long as no record is written: to see whether a record may be in
\* a slot it compares the record with Nil, a number, and that is an error.
TypeOk ==
    /\ LeaderEpochSeq!TypeOk
    /\ RecordSeq!TypeOk
    /\ ReplicaLog!TypeOk
    /\ quorumState \in QuorumState
    /\ leaderAndIsrRequests \in SUBSET QuorumState
    /\ replicaState \in [Replicas -> ReplicaState]

-----------------------------------------------------------------------------
\* Before the first request nobody leads, although everybody is in sync.
Init ==
    LET nobody(members) == [leaderEpoch |-> Nil, leader |-> None, isr |-> members]
        fresh == [leaderEpoch |-> Nil, leader |-> None, isr |-> {}, hw |-> ReplicaLog!StartOffset]
    IN  /\ RecordSeq!Init
        /\ LeaderEpochSeq!Init
        /\ ReplicaLog!Init
        /\ leaderAndIsrRequests = {}
        /\ quorumState = nobody(Replicas)
        /\ replicaState = [replica \in Replicas |-> fresh]

-----------------------------------------------------------------------------
(* What a step leaves alone *)

NoNewRecord == UNCHANGED nextRecordId

NoNewRequest == UNCHANGED <<nextLeaderEpoch, leaderAndIsrRequests>>

SameLogs == UNCHANGED replicaLog

SameQuorum == UNCHANGED quorumState

-----------------------------------------------------------------------------
(* Who leads whom *)

\* A leader by its own lights, which may be out of date. Such a broker accepts writes.
ReplicaPresumesLeadership(replica) == replica = replicaState[replica].leader

\* Of a leader this says that it presumes leadership.
ReplicaIsFollowing(follower, leader) == leader = replicaState[follower].leader

\* A leader whose opinion the quorum shares.
IsTrueLeader(leader) ==
    LET self == replicaState[leader]
    IN  <<self.leader, self.leader, self.leaderEpoch>>
            = <<leader, quorumState.leader, quorumState.leaderEpoch>>

-----------------------------------------------------------------------------
(* Steps of a broker's local state *)

SetHighWatermark(replica, offset) ==
    replicaState' = [replicaState EXCEPT ![replica].hw = offset]

\* The broker takes over what the request says, and goes on from the given high watermark.
AdoptRequest(replica, request, offset) ==
    replicaState' = [replicaState EXCEPT ![replica] =
        [leaderEpoch |-> request.leaderEpoch, leader |-> request.leader, isr |-> request.isr, hw |-> offset]]

IsNewsTo(replica, request) == replicaState[replica].leaderEpoch < request.leaderEpoch

-----------------------------------------------------------------------------
(* The controller *)

\* A decision: one more epoch, written to the quorum and sent out.
ControllerUpdateIsr(newLeader, newIsr) ==
    LET decision == [leaderEpoch |-> nextLeaderEpoch, leader |-> newLeader, isr |-> newIsr]
    IN  /\ LeaderEpochSeq!NextId(nextLeaderEpoch)
        /\ quorumState' = decision
        /\ leaderAndIsrRequests' = {decision} \union leaderAndIsrRequests

\* A broker is taken for failed. A failed leader leaves the partition leaderless until the
\* next election, and as the last member of the ISR it stays in it. A member of a leaderless
\* partition's ISR has no such protection: the ISR may become empty, and then nobody can be
\* elected any more.
ControllerShrinkIsr == \E replica \in Replicas :
    /\ LET rest == quorumState.isr \ {replica}
       IN  IF quorumState.leader = replica
           THEN ControllerUpdateIsr(None, IF rest = {} THEN quorumState.isr ELSE rest)
           ELSE rest # quorumState.isr /\ ControllerUpdateIsr(quorumState.leader, rest)
    /\ NoNewRecord /\ SameLogs /\ UNCHANGED replicaState

\* Clean elections only. They need no failure: leadership may be moved at any time.
ControllerElectLeader == \E newLeader \in quorumState.isr \ {quorumState.leader} :
    /\ ControllerUpdateIsr(newLeader, quorumState.isr)
    /\ NoNewRecord /\ SameLogs /\ UNCHANGED replicaState

-----------------------------------------------------------------------------
(* The leader *)

\* The new leader keeps the high watermark it had as a follower, which lags behind what the
\* old leader had promised to consumers.
BecomeLeader == \E request \in leaderAndIsrRequests :
    /\ request.leader \in Replicas
    /\ IsNewsTo(request.leader, request)
    /\ AdoptRequest(request.leader, request, replicaState[request.leader].hw)
    /\ NoNewRecord /\ NoNewRequest /\ SameLogs /\ SameQuorum

\* A zombie writes too, in the epoch that it takes for the current one.
LeaderWrite == \E replica \in Replicas, id \in RecordSeq!IdSet, offset \in ReplicaLog!Offsets :
    LET record == [id |-> id, epoch |-> replicaState[replica].leaderEpoch]
    IN  /\ ReplicaPresumesLeadership(replica)
        /\ RecordSeq!NextId(id)
        /\ ReplicaLog!Append(replica, record, offset)
        /\ NoNewRequest /\ SameQuorum /\ UNCHANGED replicaState

\* A leader changes the ISR in the quorum and in its own state at once, and keeps its epoch.
\* This compare-and-set is the only fence against zombie leaders.
QuorumUpdateLeaderAndIsr(leader, newIsr) ==
    /\ IsTrueLeader(leader)
    /\ replicaState' = [replicaState EXCEPT ![leader].isr = newIsr]
    /\ quorumState' = [quorumState EXCEPT !.isr = newIsr]

\* Caught up by length alone: what the records below endOffset are is not compared.
IsFollowerCaughtUp(leader, follower, endOffset) ==
    /\ ReplicaIsFollowing(follower, leader)
    /\ \A replica \in {leader, follower} : ReplicaLog!GetEndOffset(replica) >= endOffset

LeaderShrinkIsr == \E leader \in Replicas :
    /\ \E laggard \in replicaState[leader].isr \ {leader} :
        /\ ~ IsFollowerCaughtUp(leader, laggard, ReplicaLog!GetEndOffset(leader))
        /\ QuorumUpdateLeaderAndIsr(leader, replicaState[leader].isr \ {laggard})
    /\ NoNewRecord /\ NoNewRequest /\ SameLogs

LeaderExpandIsr == \E leader \in Replicas :
    /\ \E joiner \in Replicas \ replicaState[leader].isr :
        /\ IsFollowerCaughtUp(leader, joiner, replicaState[leader].hw)
        /\ QuorumUpdateLeaderAndIsr(leader, replicaState[leader].isr \union {joiner})
    /\ NoNewRecord /\ NoNewRequest /\ SameLogs

\* Every member of the leader's own ISR follows it and is long enough. In which epoch they
\* follow, and whether they hold the same record, is not asked.
LeaderIncHighWatermark == \E offset \in ReplicaLog!Offsets, leader \in Replicas :
    /\ replicaState[leader].hw = offset
    /\ ReplicaPresumesLeadership(leader)
    /\ \A member \in replicaState[leader].isr :
        ReplicaIsFollowing(member, leader) /\ ReplicaLog!HasOffset(member, offset)
    /\ SetHighWatermark(leader, offset + 1)
    /\ NoNewRecord /\ NoNewRequest /\ SameLogs /\ SameQuorum

-----------------------------------------------------------------------------
(* The follower *)

\* Follows the leader of some request that is news, and cuts the log at the offset that the
\* design at hand has found. An offset beyond the end of the log disables the step.
BecomeFollowerAndTruncateTo(leader, replica, truncationOffset) ==
    \E request \in {sent \in leaderAndIsrRequests : sent.leader = leader} :
        /\ replica # leader
        /\ IsNewsTo(replica, request)
        /\ IF leader = None THEN SameLogs ELSE ReplicaLog!TruncateTo(replica, truncationOffset)
        /\ AdoptRequest(replica, request, Min({replicaState[replica].hw, truncationOffset}))
        /\ NoNewRecord /\ NoNewRequest /\ SameQuorum

\* What a follower knows of the high watermark after a fetch that gave it one record.
HighWatermarkAfterFetch(leader, follower) ==
    Min({replicaState[leader].hw, ReplicaLog!GetEndOffset(follower) + 1})

\* A fetch without any fence: neither epochs nor the records already there are compared.
FollowerReplicate == \E follower, leader \in Replicas :
    /\ ReplicaIsFollowing(follower, leader)
    /\ ReplicaPresumesLeadership(leader)
    /\ ReplicaLog!ReplicateTo(leader, follower)
    /\ SetHighWatermark(follower, HighWatermarkAfterFetch(leader, follower))
    /\ NoNewRecord /\ NoNewRequest /\ SameQuorum

-----------------------------------------------------------------------------
(* What is to hold *)

\* Both logs reach up to the offset, and hold the same below it.
LOCAL Agree(one, other, offset) ==
    \A below \in 0 .. (offset - 1) :
        /\ ReplicaLog!HasOffset(one, below)
        /\ ReplicaLog!HasEntry(other, ReplicaLog!GetRecordAtOffset(one, below), below)

\* No presumed leader has promised what a member of the given ISR lacks.
LOCAL Kept(isrAsSeenBy(_)) ==
    \A leader \in {replica \in Replicas : ReplicaPresumesLeadership(replica)} :
        \A member \in isrAsSeenBy(leader) : Agree(leader, member, replicaState[leader].hw)

\* The ISR is the one the leader itself believes in. Next leaders come from the quorum's ISR,
\* so data may be lost although this holds.
WeakIsr == LET believed(leader) == replicaState[leader].isr IN Kept(believed)

\* The ISR is the true one: whoever is elected next has all that a consumer may have seen.
StrongIsr == LET actual(leader) == quorumState.isr IN Kept(actual)

\* Does not hold: there is no leader at first, nor between a failure and the next election.
LeaderInIsr == \E member \in quorumState.isr : member = quorumState.leader
=============================================================================
