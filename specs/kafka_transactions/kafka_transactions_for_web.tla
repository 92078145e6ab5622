----------------------- MODULE kafka_transactions_for_web ----------------------
(* The opening of a Kafka transaction (KIP-98): a producer obtains its producer id and    *)
(* epoch, then adds topic partitions to a transaction.                                   *)
(*                                                                                       *)
(* A transactional id is hashed to a partition of the transaction log; the broker that   *)
(* leads this partition is its coordinator. What a coordinator decides about an id it    *)
(* appends to the log; the decision is pending, and everyone else is put off, until all  *)
(* replicas have the entry. A producer that shows up with an id already in use gets the  *)
(* next epoch of the same producer id, which fences the one before; if that one had a    *)
(* transaction open it is aborted first. The coordinator may move between any two steps. *)
(*                                                                                       *)
(* Left out: records, transaction markers and the last stable offset, EndTxn from the    *)
(* client, and what KIP-360 and KIP-890 changed. Replication and elections are atomic.   *)
(* Behaviours end, when all clients have what they want: check without deadlock.         *)
EXTENDS FiniteSets, FiniteSetsExt, Sequences, Integers, TLC

CONSTANTS
    TxnLogPartitions,       \* set of model values: partitions of the transaction log
    TopicPartitions,        \* set of model values: partitions that producers write to
    Brokers,                \* set of model values: each replicates the whole transaction log
    Clients,                \* set of model values: the producers
    TransactionIds,         \* set of model values: ids that producers choose from
    MaxCoordinatorChanges   \* a number: elections of a new coordinator

CONSTANTS
    InitPidRequest,              \* a model value: kind of message, "give me a producer id"
    InitPidResponse,             \* a model value: kind of message, the answer to it
    AddPartitionsToTxnRequest,   \* a model value: kind of message, "I am going to write here"
    AddPartitionsToTxnResponse   \* a model value: kind of message, the answer to it

CONSTANTS
    Ready,                \* a model value: client state, about to ask for a producer id
    SentInitPidRequest,   \* a model value: client state, waiting for a producer id
    HasPid,               \* a model value: client state, has one, no transaction yet
    BegunTxn,             \* a model value: client state, has tried to add a partition
    Terminated            \* a model value: client state, fenced, takes no more steps

CONSTANTS
    Empty,               \* a model value: transaction state, nothing added so far
    Begin,               \* a model value: transaction state, not used
    PrepareCommit,       \* a model value: transaction state, commit decided (never here)
    PrepareAbort,        \* a model value: transaction state, abort decided
    CompleteAbort,       \* a model value: transaction state, aborted
    CompleteCommit,      \* a model value: transaction state, committed (never here)
    Ongoing,             \* a model value: transaction state, partitions added
    PrepareEpochFence,   \* a model value: transaction state, passed through on the way to abort
    Dead                 \* a model value: transaction state, id expired (never here)

CONSTANTS
    Abort,    \* a model value: result of a transaction, not used
    Commit    \* a model value: result of a transaction, not used

CONSTANTS
    IllegalState,              \* a model value: answer, the model itself is wrong
    OK,                        \* a model value: answer, done
    NotCoordinator,            \* a model value: answer, ask another broker
    ConcurrentTransactions,    \* a model value: answer, a decision is pending, ask again
    ProducerFenced,            \* a model value: answer, there is a newer epoch
    InvalidTransition,         \* a model value: answer, the model itself is wrong
    NotSupportedYet,           \* a model value: answer, not used
    InvalidProducerIdMapping   \* a model value: answer, the producer id is not of this transactional id

CONSTANT None   \* a model value: nothing

VARIABLE client             \* per client: what it knows, and which step it is at

VARIABLES                   \* per broker, as it sees it itself
    tc_tid_metadata,        \* per transactional id: the transaction, or None
    tc_tid_transition,      \* per transactional id: the decision still pending, or None
    tc_log,                 \* per log partition: the replica, a sequence of decisions
    tc_log_metadata,        \* per log partition: who leads it, in which epoch
    tc_log_hwm              \* per log partition: how many entries are committed

VARIABLE topic_partitions   \* per topic partition: its records; they are not modelled, it stays empty

VARIABLES                   \* what the controller knows, per log partition
    txn_log_leader,         \* the coordinator
    txn_log_epoch           \* its epoch

VARIABLES
    pid_source,             \* the producer id handed out last, or so it should be
    t_to_p_mapping,         \* per transactional id: its log partition, fixed at the start
    aux_coord_ctr           \* elections so far

VARIABLES
    messages,               \* set of messages under way, in no order
    messages_discard        \* set of messages that were received

tc_tid_vars == <<tc_tid_metadata, tc_tid_transition>>
tc_log_vars == <<tc_log, tc_log_hwm, tc_log_metadata>>
txn_log_vars == <<txn_log_leader, txn_log_epoch>>
topic_vars == <<topic_partitions>>
aux_vars == <<pid_source, t_to_p_mapping, aux_coord_ctr>>
net_vars == <<messages, messages_discard>>
cluster_vars == <<tc_tid_vars, tc_log_vars, txn_log_vars, topic_vars, aux_vars>>
vars == <<client, cluster_vars, net_vars>>

--------------------------------------------------------------------------------
\* Transactions and messages

\* Steps that a transaction may take from one state to the next.
LegalSteps ==
    LET settled == {Empty, CompleteCommit, CompleteAbort}
        step(from, state) == from \X {state}
    IN  UNION { step(settled \union {None}, Empty),
                step(settled \union {Ongoing}, Ongoing),
                step(settled, Dead),
                step({Ongoing}, PrepareEpochFence),
                step({Ongoing, PrepareEpochFence}, PrepareAbort),
                step({Ongoing}, PrepareCommit),
                step({PrepareAbort}, CompleteAbort),
                step({PrepareCommit}, CompleteCommit) }

\* An error has -1 for producer id and epoch.
PidMessages ==
    [type: {InitPidRequest}, tid: TransactionIds, dest: Brokers, source: Clients]
        \union
    [type: {InitPidResponse}, dest: Clients, source: Brokers,
     code: {OK, NotCoordinator, ConcurrentTransactions},
     pid: Nat \union {-1}, pepoch: Nat \union {-1}]

PartitionMessages ==
    [type: {AddPartitionsToTxnRequest}, tid: TransactionIds, dest: Brokers, source: Clients,
     pid: Nat, pepoch: Nat, partitions: SUBSET TopicPartitions]
        \union
    [type: {AddPartitionsToTxnResponse}, dest: Clients, source: Brokers,
     code: {OK, NotCoordinator, ConcurrentTransactions, InvalidProducerIdMapping, ProducerFenced},
     partitions: SUBSET TopicPartitions]

MessageType == PidMessages \union PartitionMessages

\* One atomic step of the network: some messages are received, others set out. A message that
\* was received may be sent again; messages are a set, so equal ones count once.
Exchange(received, sent) ==
    /\ messages' = (messages \ received) \union sent
    /\ messages_discard' = messages_discard \union received

\* Messages of a kind from one party to another.
Inbox(kind, from, to) ==
    {msg \in messages : msg.dest = to /\ msg.source = from /\ msg.type = kind}

PidAnswer(request, code, pid, pepoch) ==
    [type |-> InitPidResponse, code |-> code, pid |-> pid, pepoch |-> pepoch,
     dest |-> request.source, source |-> request.dest]

PidError(request, code) == PidAnswer(request, code, -1, -1)

PartitionsAnswer(request, code, partitions) ==
    [type |-> AddPartitionsToTxnResponse, code |-> code, partitions |-> partitions,
     dest |-> request.source, source |-> request.dest]

PartitionsError(request, code) == PartitionsAnswer(request, code, {})

--------------------------------------------------------------------------------
\* Clients. A client asks the controller itself who the coordinator is, in no time; the answer
\* may be out of date when its request arrives.

PartitionFor(tid) == t_to_p_mapping[tid]

FindCoordinator(tid) == txn_log_leader[PartitionFor(tid)]

\* The first time any transactional id will do, afterwards it is always the same.
SendInitPidRequest(c) ==
    LET ids == IF client[c].tid = None THEN TransactionIds ELSE {client[c].tid}
    IN  /\ client[c].state = Ready
        /\ \E tid \in ids :
            /\ client' = [client EXCEPT ![c] = [@ EXCEPT !.state = SentInitPidRequest, !.tid = tid]]
            /\ Exchange({}, {[type |-> InitPidRequest, tid |-> tid,
                              dest |-> FindCoordinator(tid), source |-> c]})
        /\ UNCHANGED cluster_vars

\* After an error the client starts over.
ReceiveInitPidResponse(c, b) ==
    LET me == client[c]
        After(msg) ==
            IF msg.code = OK
            THEN [me EXCEPT !.state = HasPid, !.tc = b, !.pid = msg.pid, !.epoch = msg.pepoch]
            ELSE [me EXCEPT !.state = Ready, !.last_state = me.state, !.last_error = msg.code]
    IN  /\ me.state = SentInitPidRequest
        /\ \E msg \in Inbox(InitPidResponse, b, c) :
            /\ client' = [client EXCEPT ![c] = After(msg)]
            /\ Exchange({msg}, {})
        /\ UNCHANGED cluster_vars

\* One partition at a time, to the broker that the client takes for the coordinator.
SendAddPartitionsToTxnRequest(c) ==
    LET me == client[c]
    IN  /\ me.state \in {HasPid, BegunTxn}
        /\ me.pending_partitions = {}
        /\ \E tp \in TopicPartitions \ me.partitions :
            /\ client' = [client EXCEPT ![c] = [me EXCEPT !.state = BegunTxn,
                                                          !.pending_partitions = {tp}]]
            /\ Exchange({}, {[type |-> AddPartitionsToTxnRequest,
                              tid |-> me.tid, pid |-> me.pid, pepoch |-> me.epoch,
                              partitions |-> {tp}, dest |-> me.tc, source |-> c]})
        /\ UNCHANGED cluster_vars

\* Two errors are worth another try, one of them elsewhere. After any other the client is out
\* for good: were it to come back with a new epoch, two clients could fence each other forever.
ReceiveAddPartitionsToTxnResponse(c, b) ==
    LET me == client[c]
        After(msg) ==
            IF msg.code = OK
            THEN [me EXCEPT !.pending_partitions = @ \ msg.partitions,
                            !.partitions = @ \union msg.partitions]
            ELSE LET sorry == [me EXCEPT !.last_state = me.state, !.last_error = msg.code,
                                         !.pending_partitions = {}]
                 IN  CASE msg.code = NotCoordinator -> [sorry EXCEPT !.tc = FindCoordinator(me.tid)]
                       [] msg.code = ConcurrentTransactions -> sorry
                       [] OTHER -> [sorry EXCEPT !.state = Terminated, !.partitions = {}]
    IN  /\ me.state = BegunTxn
        /\ \E msg \in Inbox(AddPartitionsToTxnResponse, b, c) :
            /\ client' = [client EXCEPT ![c] = After(msg)]
            /\ Exchange({msg}, {})
        /\ UNCHANGED cluster_vars

--------------------------------------------------------------------------------
\* Coordinators: decisions

\* Whether a broker believes it leads; it may be the last to know that it no longer does.
IsPartitionLeader(b, p) == tc_log_metadata[b][p].leader = b

\* A decision is the transaction as it is going to be. Of an attempt to decide comes either
\* [code |-> OK, transition |-> decision] or nothing but a code.
Refused(code) == [code |-> code]

\* From txn to the decision by way of the states on the route, unless another decision on the
\* same id is pending.
Attempt(b, tid, txn, decision, route) ==
    LET states == <<txn.state>> \o route \o <<decision.state>>
        legal == \A i \in 1 .. Len(states) - 1 : <<states[i], states[i + 1]>> \in LegalSteps
    IN  IF tc_tid_transition[b][tid] # None THEN Refused(ConcurrentTransactions)
        ELSE IF ~ legal THEN Refused(InvalidTransition)
        ELSE [code |-> OK, transition |-> decision]

\* An entry of the log: a decision, and the answers to give if the leader loses the lead before
\* the entry commits (err) and when it commits (response).
LogEntry(tid, decision, reason, err, response) ==
    [tid |-> tid, transition |-> decision,
     callback |-> [type |-> reason, err |-> err, response |-> response]]

\* Into the leader's own log, for the time being.
Decide(b, entry) ==
    /\ tc_log' = [tc_log EXCEPT ![b][PartitionFor(entry.tid)] = Append(@, entry)]
    /\ tc_tid_transition' = [tc_tid_transition EXCEPT ![b][entry.tid] = entry.transition]

--------------------------------------------------------------------------------
\* Coordinators: requests

\* Producer ids are never used up, so an id keeps its own.
InitPidAttempt(b, tid, txn) ==
    LET renewed == [pid |-> txn.pid, pepoch |-> txn.pepoch + 1, last_pepoch |-> txn.pepoch,
                    state |-> Empty, partitions |-> {}]
        aborting == [renewed EXCEPT !.last_pepoch = -1, !.state = PrepareAbort,
                                    !.partitions = txn.partitions]
    IN  CASE txn.state \in {Empty, CompleteCommit, CompleteAbort} -> Attempt(b, tid, txn, renewed, <<>>)
          [] txn.state = Ongoing -> Attempt(b, tid, txn, aborting, <<PrepareEpochFence>>)
          [] txn.state \in {PrepareCommit, PrepareAbort} -> Refused(ConcurrentTransactions)
          [] OTHER -> Refused(IllegalState)

\* An id that b has never heard of is given a producer id. If a transaction has to be aborted
\* first, the client is told to try again once this is under way. Note pid_source: it follows
\* whichever id asked last, and goes back if that one had its producer id long before.
ReceiveInitPidRequest(b, c) ==
    \E msg \in Inbox(InitPidRequest, c, b) :
        LET tid == msg.tid
            txn == IF tc_tid_metadata[b][tid] # None
                   THEN tc_tid_metadata[b][tid]
                   ELSE [pid |-> pid_source + 1, last_pid |-> -1, pepoch |-> -1,
                         last_pepoch |-> -1, state |-> Empty, partitions |-> {}]
            attempt == InitPidAttempt(b, tid, txn)
            decision == attempt.transition
            entry == IF decision.state = PrepareAbort
                     THEN LogEntry(tid, decision, PrepareAbort,
                                   PidError(msg, NotCoordinator),
                                   PidError(msg, ConcurrentTransactions))
                     ELSE LogEntry(tid, decision, InitPidRequest,
                                   PidError(msg, NotCoordinator),
                                   PidAnswer(msg, OK, decision.pid, decision.pepoch))
        IN  /\ IF ~ IsPartitionLeader(b, PartitionFor(tid))
               THEN /\ Exchange({msg}, {PidError(msg, NotCoordinator)})
                    /\ UNCHANGED <<pid_source, tc_tid_vars, tc_log>>
               ELSE /\ pid_source' = txn.pid
                    /\ tc_tid_metadata' = [tc_tid_metadata EXCEPT ![b][tid] = txn]
                    /\ IF attempt.code = OK
                       THEN Decide(b, entry) /\ Exchange({msg}, {})
                       ELSE /\ Exchange({msg}, {PidError(msg, attempt.code)})
                            /\ UNCHANGED <<tc_tid_transition, tc_log>>
            /\ UNCHANGED <<client, tc_log_hwm, tc_log_metadata, txn_log_vars, topic_vars,
                           t_to_p_mapping, aux_coord_ctr>>

\* Only the producer with the latest id and epoch may add partitions.
AddPartitionsAttempt(b, request) ==
    LET tid == request.tid
        txn == tc_tid_metadata[b][tid]
        larger == [pid |-> txn.pid, pepoch |-> txn.pepoch, last_pepoch |-> txn.last_pepoch,
                   state |-> Ongoing, partitions |-> txn.partitions \union request.partitions]
    IN  IF ~ IsPartitionLeader(b, PartitionFor(tid)) THEN Refused(NotCoordinator)
        ELSE IF txn = None THEN Refused(InvalidProducerIdMapping)
        ELSE IF txn.pid # request.pid THEN Refused(InvalidProducerIdMapping)
        ELSE IF txn.pepoch # request.pepoch THEN Refused(ProducerFenced)
        ELSE IF txn.state \in {PrepareAbort, PrepareCommit} THEN Refused(ConcurrentTransactions)
        ELSE Attempt(b, tid, txn, larger, <<>>)

ReceiveAddPartitionsToTxnRequest(b, c) ==
    \E msg \in Inbox(AddPartitionsToTxnRequest, c, b) :
        LET attempt == AddPartitionsAttempt(b, msg)
            decision == attempt.transition
        IN  /\ IF attempt.code = OK
               THEN /\ Decide(b, LogEntry(msg.tid, decision, AddPartitionsToTxnRequest,
                                           PartitionsError(msg, NotCoordinator),
                                           PartitionsAnswer(msg, OK, decision.partitions)))
                    /\ Exchange({msg}, {})
               ELSE /\ Exchange({msg}, {PartitionsError(msg, attempt.code)})
                    /\ UNCHANGED <<tc_log, tc_tid_transition>>
            /\ UNCHANGED <<client, tc_tid_metadata, tc_log_hwm, tc_log_metadata, txn_log_vars,
                           topic_vars, aux_vars>>

\* The next entry reaches all replicas and is committed in the same step; nothing commits
\* between an election and the moment when all brokers know of it. The decision is then in
\* force and the client gets its answer. If it was to abort (or to commit), the leader goes
\* on at once to complete that, with an entry that nobody waits for.
CommitTxnLogAppend(b, p) ==
    LET offset == tc_log_hwm[b][p] + 1
        entry == tc_log[b][p][offset]
        reason == entry.callback.type
        completed == [entry.transition EXCEPT
                        !.state = IF @ = PrepareCommit THEN CompleteCommit ELSE CompleteAbort]
        next == IF reason \in {PrepareAbort, PrepareCommit}
                THEN <<LogEntry(entry.tid, completed, completed.state, None, None)>>
                ELSE <<>>
    IN  /\ offset <= Len(tc_log[b][p])
        /\ b = txn_log_leader[p]
        /\ Cardinality({tc_log_metadata[replica][p].cepoch : replica \in Brokers}) = 1
        /\ tc_log' = [replica \in Brokers |->
                [tc_log[replica] EXCEPT ![p] = @ \o (IF replica = b THEN next ELSE <<entry>>)]]
        /\ tc_log_hwm' = [replica \in Brokers |-> [tc_log_hwm[replica] EXCEPT ![p] = offset]]
        /\ tc_tid_metadata' = [tc_tid_metadata EXCEPT ![b][entry.tid] = entry.transition]
        /\ tc_tid_transition' = [tc_tid_transition EXCEPT ![b][entry.tid] =
                IF next = <<>> THEN None ELSE completed]
        /\ Exchange({}, IF reason \in {CompleteAbort, CompleteCommit}
                        THEN {} ELSE {entry.callback.response})
        /\ UNCHANGED <<client, tc_log_metadata, txn_log_vars, topic_vars, aux_vars>>

--------------------------------------------------------------------------------
\* Coordinators: elections

\* What b, elected in one partition, knows from then on of an id in another: nothing, even if it is
\* the coordinator there.
OtherTxn(b, tid) == None

\* b is elected, and knows it in the same step; the others learn of it in BecomeFollower. To
\* know the transactions b would have to replay the log; what the leader so far knows is the
\* same, and besides new ids whose first decision never was committed.
BecomeLeader(b, p) ==
    LET cepoch == txn_log_epoch[p] + 1
        replayed == tc_tid_metadata[txn_log_leader[p]]
    IN  /\ aux_coord_ctr < MaxCoordinatorChanges
        /\ ~ IsPartitionLeader(b, p)
        /\ txn_log_leader' = [txn_log_leader EXCEPT ![p] = b]
        /\ txn_log_epoch' = [txn_log_epoch EXCEPT ![p] = cepoch]
        /\ tc_log_metadata' = [tc_log_metadata EXCEPT ![b][p] = [leader |-> b, cepoch |-> cepoch]]
        /\ tc_tid_metadata' = [tc_tid_metadata EXCEPT ![b] =
                [tid \in TransactionIds |->
                    IF PartitionFor(tid) = p THEN replayed[tid] ELSE OtherTxn(b, tid)]]
        /\ aux_coord_ctr' = aux_coord_ctr + 1
        /\ UNCHANGED <<client, tc_tid_transition, tc_log, tc_log_hwm, topic_vars,
                       pid_source, t_to_p_mapping, net_vars>>

\* What b's replica becomes: the leader's log as it stands, committed or not.
FollowerLog(b, p) == tc_log[txn_log_leader[p]][p]

\* b learns of an election. It takes over the leader's log, forgets the ids in p, and answers for
\* the entries above its high watermark that a client waits for.
\* The high watermark is compared with the leader's, not set. The published action assigns
\* tc_log_hwm' and also leaves tc_log_hwm UNCHANGED; TLC takes the second for a test of the
\* first, and so does logic. A commit moves all high watermarks at once: the test never fails.
BecomeFollower(b, p) ==
    LET leader == txn_log_leader[p]
        uncommitted == (tc_log_hwm[b][p] + 1) .. Len(tc_log[b][p])
        Forget(known) ==
            [tid \in TransactionIds |-> IF PartitionFor(tid) = p THEN None ELSE known[tid]]
    IN  /\ leader # b
        /\ tc_log_metadata[b][p].cepoch < txn_log_epoch[p]
        /\ tc_log_hwm[leader][p] = tc_log_hwm[b][p]
        /\ tc_log_metadata' = [tc_log_metadata EXCEPT ![b][p] =
                [leader |-> leader, cepoch |-> txn_log_epoch[p]]]
        /\ tc_log' = [tc_log EXCEPT ![b][p] = FollowerLog(b, p)]
        /\ tc_tid_metadata' = [tc_tid_metadata EXCEPT ![b] = Forget(@)]
        /\ tc_tid_transition' = [tc_tid_transition EXCEPT ![b] = Forget(@)]
        /\ Exchange({}, {tc_log[b][p][i].callback.err : i \in uncommitted} \ {None})
        /\ UNCHANGED <<client, tc_log_hwm, txn_log_vars, topic_vars, aux_vars>>

--------------------------------------------------------------------------------
\* The specification

\* Some elements of the range are used once more than others, if need be, but not twice.
Spread(mapping, range) ==
    \A r1, r2 \in range :
        Quantify(DOMAIN mapping, LAMBDA d : mapping[d] = r1)
            <= 1 + Quantify(DOMAIN mapping, LAMBDA d : mapping[d] = r2)

\* Ids over partitions and leaders over brokers are spread evenly, in the one way that CHOOSE
\* picks: there is a single initial state.
Init ==
    LET leaders == CHOOSE f \in [TxnLogPartitions -> Brokers] : Spread(f, Brokers)
        Everywhere(value) == [b \in Brokers |-> value]
        PerPartition(value) == [p \in TxnLogPartitions |-> value]
        nothing == [tid \in TransactionIds |-> None]
        newcomer == [state |-> Ready, tc |-> None, tid |-> None, pid |-> -1, epoch |-> -1,
                     last_state |-> None, last_error |-> None,
                     pending_partitions |-> {}, partitions |-> {}]
    IN  /\ client = [c \in Clients |-> newcomer]
        /\ tc_tid_metadata = Everywhere(nothing)
        /\ tc_tid_transition = Everywhere(nothing)
        /\ tc_log = Everywhere(PerPartition(<<>>))
        /\ tc_log_metadata = Everywhere(
                [p \in TxnLogPartitions |-> [leader |-> leaders[p], cepoch |-> 1]])
        /\ tc_log_hwm = Everywhere(PerPartition(0))
        /\ topic_partitions = [tp \in TopicPartitions |-> <<>>]
        /\ txn_log_leader = leaders
        /\ txn_log_epoch = PerPartition(1)
        /\ t_to_p_mapping = CHOOSE f \in [TransactionIds -> TxnLogPartitions] :
                                Spread(f, TxnLogPartitions)
        /\ pid_source = 0 /\ aux_coord_ctr = 0
        /\ messages = {} /\ messages_discard = {}

Next ==
    \/ \E c \in Clients : SendInitPidRequest(c)
    \/ \E b \in Brokers : \E c \in Clients : ReceiveInitPidRequest(b, c)
    \/ \E b \in Brokers : \E c \in Clients : ReceiveInitPidResponse(c, b)
    \/ \E c \in Clients : SendAddPartitionsToTxnRequest(c)
    \/ \E b \in Brokers : \E c \in Clients : ReceiveAddPartitionsToTxnRequest(b, c)
    \/ \E b \in Brokers : \E c \in Clients : ReceiveAddPartitionsToTxnResponse(c, b)
    \/ \E p \in TxnLogPartitions : \E b \in Brokers : CommitTxnLogAppend(b, p)
    \/ \E p \in TxnLogPartitions : \E b \in Brokers : BecomeLeader(b, p)
    \/ \E p \in TxnLogPartitions : \E b \in Brokers : BecomeFollower(b, p)

\* All that is received, committed or learnt in due time is dealt with; elections need never
\* happen. What clients send is strongly fair, though nothing but themselves could stop them.
Fairness ==
    /\ \A c \in Clients :
        /\ SF_vars(SendInitPidRequest(c)) /\ SF_vars(SendAddPartitionsToTxnRequest(c))
        /\ \A b \in Brokers :
            /\ WF_vars(ReceiveInitPidRequest(b, c)) /\ WF_vars(ReceiveInitPidResponse(c, b))
            /\ WF_vars(ReceiveAddPartitionsToTxnRequest(b, c))
            /\ WF_vars(ReceiveAddPartitionsToTxnResponse(c, b))
    /\ \A b \in Brokers : \A p \in TxnLogPartitions :
        WF_vars(CommitTxnLogAppend(b, p)) /\ WF_vars(BecomeFollower(b, p))

Spec == Init /\ [][Next]_vars
LivenessSpec == Spec /\ Fairness

--------------------------------------------------------------------------------
\* What is checked

TypeOK == messages \subseteq MessageType

\* The model never gives the answers that stand for its own mistakes.
NoBadStateResponse ==
    \A msg \in messages :
        msg.type = InitPidResponse => msg.code \notin {IllegalState, InvalidTransition}

\* To be replaced by whatever one would like to see an example of.
TestInv == TRUE

\* In the end every client has a producer id.
EventuallyAllClientsGetPid == <>[](\A c \in Clients : client[c].pid >= 0)

\* In the end there is a client with all partitions in its transaction.
EventuallyOneClientAddsAllPartitions ==
    <>[](\E c \in Clients : client[c].state = BegunTxn /\ TopicPartitions \subseteq client[c].partitions)

--------------------------------------------------------------------------------
\* For the model checker

\* Of the two variables left out, messages_discard is history and aux_coord_ctr follows from
\* txn_log_epoch: nothing is lost.
NetworkView == <<messages>>
View == <<client, tc_tid_vars, tc_log_vars, txn_log_vars, topic_vars, pid_source, t_to_p_mapping,
          NetworkView>>

\* Init singles out a broker (and, with several partitions, more than that), so of two states
\* that symmetry takes for one, perhaps only one is reachable.
SymmetryClients == Permutations(Clients)
SymmetryBrokers == Permutations(Brokers)
SymmetryPartitions == Permutations(TxnLogPartitions)
SymmetryTids == Permutations(TransactionIds)
Symmetry == SymmetryTids \union SymmetryPartitions \union SymmetryBrokers \union SymmetryClients

===============================================================================
