------------------------ MODULE BookKeeperProtocol ------------------------
(***************************************************************************)
(* The life of one BookKeeper ledger: it is created, written by its        *)
(* creator through quorums of bookies, and closed, either by that writer   *)
(* or by a client that believes the writer gone and recovers the ledger.   *)
(* Several clients may try to recover it at the same time, and the writer  *)
(* may be alive all the while.                                             *)
(*                                                                         *)
(* The ledger's metadata are in a store with compare-and-set updates; what *)
(* must hold is that the last entry recorded there at closing is neither   *)
(* below an entry that was acknowledged nor above what bookies can serve.  *)
(*                                                                         *)
(* Entries are numbered from 1, so that a lac of 0 says "none yet".  Every *)
(* entry goes to the whole ensemble: there is no striping.  Bookies do not *)
(* lose what they have stored.                                             *)
(***************************************************************************)
EXTENDS MessagePassing, Naturals, Integers, FiniteSets, FiniteSetsExt,
        Sequences, SequencesExt, TLC

CONSTANTS Bookies,          \* set of model values: the storage nodes
          Clients,          \* set of model values: one of them will be the writer, the others may recover
          WriteQuorum,      \* number: how many bookies each entry is sent to
          AckQuorum,        \* number: how many of them must have stored it before it counts as written
          SendLimit,        \* number: how many entries the writer writes at most
          InflightLimit     \* number: how far the writer may run ahead of what is acknowledged

CONSTANTS Nil,                  \* model value: no value yet
          NoSuchEntry,          \* model value: result of a read, the bookie does not have the entry
          Unknown,              \* model value: result of a recovery read that cannot be decided
          OK,                   \* model value: result of a read, here is the entry
          NeedMoreResponses,    \* model value: a recovery read that is not decided yet
          STATUS_OPEN,          \* model value: status of a ledger, and of its writer
          STATUS_IN_RECOVERY,   \* model value: status of a ledger, and of a client recovering it
          STATUS_CLOSED,        \* model value: status of a ledger, and of the client that closed it
          CLIENT_WITHDRAWN,     \* model value: status of a writer that has found itself replaced
          RECOVERY_ABORTED      \* model value: status of a recovery client that gave up

\* The metadata store
VARIABLES meta_status,      \* Nil before creation, then one of the three ledger statuses
          meta_fragments,   \* the ledger's fragments, a sequence
          meta_last_entry,  \* where the ledger ends, meaningful once it is closed
          meta_version      \* incremented by each update, which must name the previous one

\* The bookies, each variable a function on Bookies
VARIABLES b_entries,        \* the entries stored
          b_fenced,         \* whether the writer is locked out
          b_lac             \* the "last add confirmed" that came with the latest add

\* The clients
VARIABLES clients           \* function from Clients to the records that NewClient lists

bookie_vars == <<b_entries, b_fenced, b_lac>>
meta_vars   == <<meta_status, meta_fragments, meta_last_entry, meta_version>>
vars        == <<messages, clients, bookie_vars, meta_vars>>

Positive == Nat \ {0}

ASSUME SendLimit \in Positive
ASSUME WriteQuorum \in Positive
ASSUME AckQuorum \in Positive
ASSUME AckQuorum <= WriteQuorum

\* Not an exact symmetry: SelectEnsemble below picks by CHOOSE, which prefers
\* some bookies to others.
Symmetry == Permutations(Clients) \cup Permutations(Bookies)

-----------------------------------------------------------------------------
(* Vocabulary *)

EntryIds == 1..SendLimit

\* The writer numbers entries and writes as data the number itself, so that
\* an entry out of place shows.
Entry == [id : EntryIds, data : {Nil} \cup EntryIds]

\* A fragment is a stretch of the ledger, from first_entry_id up to the next
\* fragment, that one ensemble holds.  Its id is its place in the sequence.
MakeFragment(place, bookies, first) ==
    [id |-> place, ensemble |-> bookies, first_entry_id |-> first]

\* An entry that was or is to be sent to the bookies of a fragment, and is
\* not yet acknowledged.  The ensemble is that of the fragment at that time.
MakePendingOp(e, fragment) ==
    [entry |-> e, fragment_id |-> fragment.id, ensemble |-> fragment.ensemble]

\* The phases of a recovery
NotStarted     == 0
FencingPhase   == 1
ReadWritePhase == 2

\* A client that has not touched the ledger.
NewClient(name) ==
    [id                     |-> name,
     meta_version           |-> Nil,   \* version of the metadata it knows
     status                 |-> Nil,
     fragments              |-> <<>>,  \* its copy of the fragments
     curr_fragment          |-> Nil,   \* the one it writes to
     pending_add_ops        |-> {},    \* what MakePendingOp builds
     lap                    |-> 0,     \* last add pushed: highest entry sent, or found by a recovery read
     lac                    |-> 0,     \* last add confirmed: up to here all is acknowledged
     confirmed              |-> [e \in EntryIds |-> {}],    \* who has stored what
     \* the rest is of use in a recovery only
     fenced                 |-> {},    \* bookies known to be fenced
     recovery_ensemble      |-> {},    \* bookies to read from: those of the last fragment at the start
     curr_read_entry        |-> Nil,   \* id of the entry being read
     read_responses         |-> {},    \* the answers to that so far
     recovery_phase         |-> NotStarted,
     last_recoverable_entry |-> Nil]   \* where the ledger shall end

IsWriter(cid)     == clients[cid].status = STATUS_OPEN
IsRecovering(cid) == clients[cid].status = STATUS_IN_RECOVERY

\* Assigns the record of one client.
Becomes(cid, record) == clients' = [clients EXCEPT ![cid] = record]

Holds(b, entry_id) == \E e \in b_entries[b] : e.id = entry_id

\* The fragment an entry belongs to, according to the metadata.
FragmentOf(entry_id) ==
    LET begun == { i \in DOMAIN meta_fragments :
                        meta_fragments[i].first_entry_id <= entry_id }
    IN  meta_fragments[Max(begun)]

-----------------------------------------------------------------------------
(* The messages *)

AddEntryRequests(c, e, is_recovery, bookies) ==
    { [cid |-> c.id, recovery |-> is_recovery, type |-> AddEntryRequestMessage,
       bookie |-> b, entry |-> e, lac |-> c.lac] : b \in bookies }

AddEntryResponse(request, stored) ==
    [cid |-> request.cid, recovery |-> request.recovery, type |-> AddEntryResponseMessage,
     bookie |-> request.bookie, entry |-> request.entry, success |-> stored]

FenceRequests(c, bookies) ==
    { [cid |-> c.id, type |-> FenceRequestMessage, bookie |-> b] : b \in bookies }

FenceResponse(request) ==
    [cid |-> request.cid, type |-> FenceResponseMessage, bookie |-> request.bookie,
     lac |-> b_lac[request.bookie]]

\* A bookie that is asked for an entry by a recovery locks the writer out
\* too.  The exercise that BookKeeperProtocolNoFence is about is to do
\* without, by replacing this definition.
RecoveryReadsFence == TRUE

ReadRequests(c, which, bookies) ==
    { [cid |-> c.id, entry_id |-> which, type |-> ReadRequestMessage,
       bookie |-> b, fence |-> RecoveryReadsFence] : b \in bookies }

ReadResponse(request) ==
    LET found   == { e \in b_entries[request.bookie] : e.id = request.entry_id }
        nothing == [id |-> request.entry_id, data |-> Nil]
        e       == IF found = {} THEN nothing ELSE CHOOSE x \in found : TRUE
    IN  [cid |-> request.cid, type |-> ReadResponseMessage, bookie |-> request.bookie,
         fence |-> request.fence, entry |-> e,
         code |-> IF e \in found THEN OK ELSE NoSuchEntry]

-----------------------------------------------------------------------------
(* Quorums and ensembles *)

\* Whether so many bookies of a cohort are enough to leave no ack quorum of
\* the cohort without one of them.  Fencing needs that, so that no ack quorum
\* can form behind its back; so does the conclusion that an entry was never
\* acknowledged.
HasQuorumCoverage(count, cohort_size) ==
    count > cohort_size - AckQuorum

\* An ensemble that keeps some bookies, avoids others, and is not that of any
\* fragment in the metadata.
IsValidEnsemble(ensemble, keep, avoid) ==
    /\ keep \subseteq ensemble
    /\ ensemble \subseteq Bookies \ avoid
    /\ Cardinality(ensemble) = WriteQuorum
    /\ \A i \in DOMAIN meta_fragments : meta_fragments[i].ensemble # ensemble

EnsembleAvailable(keep, avoid) ==
    \E ensemble \in SUBSET Bookies : IsValidEnsemble(ensemble, keep, avoid)

SelectEnsemble(keep, avoid) ==
    CHOOSE ensemble \in SUBSET Bookies : IsValidEnsemble(ensemble, keep, avoid)

-----------------------------------------------------------------------------
(* Writing: creation *)

\* Any client may create the ledger, if nobody has.
ClientCreatesLedger(cid) ==
    LET first == MakeFragment(1, SelectEnsemble({}, {}), 1)
    IN  /\ meta_status = Nil
        /\ clients[cid].meta_version = Nil
        /\ meta_status' = STATUS_OPEN
        /\ meta_version' = 1
        /\ meta_fragments' = <<first>>
        /\ Becomes(cid, [clients[cid] EXCEPT !.status        = STATUS_OPEN,
                                             !.meta_version  = 1,
                                             !.fragments     = <<first>>,
                                             !.curr_fragment = first])
        /\ UNCHANGED <<messages, bookie_vars, meta_last_entry>>

-----------------------------------------------------------------------------
(* Writing: adding entries *)

\* The writer sends the next entry to the whole ensemble, and its lac with it.
ClientSendsAddEntryRequests(cid) ==
    LET c    == clients[cid]
        next == c.lap + 1
        e    == [id |-> next, data |-> next]
    IN  /\ IsWriter(cid)
        /\ next <= SendLimit
        /\ c.lap - c.lac < InflightLimit
        /\ SendMessagesToEnsemble(AddEntryRequests(c, e, FALSE, c.curr_fragment.ensemble))
        /\ Becomes(cid, [c EXCEPT !.lap = next,
                                  !.pending_add_ops = @ \cup {MakePendingOp(e, c.curr_fragment)}])
        /\ UNCHANGED <<bookie_vars, meta_vars>>

\* A bookie stores an entry: any, as long as it is not fenced, and one that a
\* recovery writes back even then.
BookieSendsAddConfirmedResponse ==
    \E msg \in DOMAIN messages :
        /\ Receivable(msg, AddEntryRequestMessage)
        /\ InEntryOrder(msg)
        /\ \/ ~b_fenced[msg.bookie]
           \/ msg.recovery
        /\ b_entries' = [b_entries EXCEPT ![msg.bookie] = @ \cup {msg.entry}]
        /\ b_lac' = [b_lac EXCEPT ![msg.bookie] = msg.lac]
        /\ Answer(msg, AddEntryResponse(msg, TRUE))
        /\ UNCHANGED <<clients, b_fenced, meta_vars>>

\* A fenced bookie refuses an entry of the writer.
BookieSendsAddFencedResponse ==
    \E msg \in DOMAIN messages :
        /\ Receivable(msg, AddEntryRequestMessage)
        /\ InEntryOrder(msg)
        /\ b_fenced[msg.bookie] /\ ~msg.recovery
        /\ Answer(msg, AddEntryResponse(msg, FALSE))
        /\ UNCHANGED <<clients, bookie_vars, meta_vars>>

\* A client, writer or recovering, learns that a bookie has stored an entry.
\* The lac moves up to the last entry that has an ack quorum together with
\* all entries before it; these are acknowledged and no longer pending.
ReceiveAddConfirmed(cid, is_recovery) ==
    LET c == clients[cid]
    IN  \E msg \in DOMAIN messages :
            /\ Receivable(msg, AddEntryResponseMessage)
            /\ msg.cid = cid
            /\ msg.recovery = is_recovery
            /\ msg.success
            /\ msg.bookie \in c.curr_fragment.ensemble
            /\ InEntryOrder(msg)
            /\ LET confirmed == [c.confirmed EXCEPT ![msg.entry.id] = @ \cup {msg.bookie}]
                   HasAckQuorum(id) == Cardinality(confirmed[id]) >= AckQuorum
                   upto == Max({0} \cup { id \in EntryIds : \A i \in 1..id : HasAckQuorum(i) })
                   settled == { op \in c.pending_add_ops :
                                    op.entry.id <= upto /\ HasAckQuorum(op.entry.id) }
               IN  Becomes(cid, [c EXCEPT !.confirmed       = confirmed,
                                          !.lac             = Max({@, upto}),
                                          !.pending_add_ops = @ \ settled])
            /\ Handle(msg)
            /\ UNCHANGED <<bookie_vars, meta_vars>>

ClientReceivesAddConfirmedResponse(cid) ==
    /\ IsWriter(cid)
    /\ ReceiveAddConfirmed(cid, FALSE)

\* The writer learns of a fence: a recovery is under way, and it writes no more.
ClientReceivesAddFencedResponse(cid) ==
    /\ IsWriter(cid)
    /\ \E msg \in DOMAIN messages :
          /\ Receivable(msg, AddEntryResponseMessage)
          /\ msg.cid = cid
          /\ ~msg.recovery /\ ~msg.success
          /\ msg.bookie \in clients[cid].curr_fragment.ensemble
          /\ InEntryOrder(msg)
          /\ Becomes(cid, [clients[cid] EXCEPT !.status = CLIENT_WITHDRAWN])
          /\ Handle(msg)
    /\ UNCHANGED <<bookie_vars, meta_vars>>

-----------------------------------------------------------------------------
(* Writing: a new ensemble in place of bookies that do not answer *)

\* Whether an entry was sent to another ensemble than the present one.  As
\* a guard this is two ways to take the same step, and TLC counts both.
IsOutdated(op, fragment) ==
    \/ op.ensemble # fragment.ensemble
    \/ op.fragment_id # fragment.id

\* The new ensemble serves from the first entry that is not acknowledged.  If
\* the present fragment has no other, it is rewritten, else one is appended.
WithEnsemble(c, first, bookies) ==
    LET count == Len(c.fragments)
    IN  IF c.curr_fragment.first_entry_id = first
        THEN [c.fragments EXCEPT ![count].ensemble = bookies]
        ELSE Append(c.fragments, MakeFragment(count + 1, bookies, first))

\* The writer records its new fragments at once and cannot go on otherwise.
\* A recovery keeps them to itself until it closes the ledger, since another
\* recovery would read from bookies that never had the entries.  In either
\* case what is left from an earlier change of ensemble is resent first.
ChangeEnsemble(cid, is_recovery) ==
    LET c       == clients[cid]
        present == c.curr_fragment.ensemble
        first   == c.lac + 1
    IN  /\ ~is_recovery => c.meta_version = meta_version
        /\ \A op \in c.pending_add_ops : ~IsOutdated(op, c.curr_fragment)
        /\ \E failed \in SUBSET present :
              /\ failed # {}
              \* exactly those that timed out; each lost message tells it once
              /\ \A b \in present :
                    IF b \in failed THEN WriteTimeout(cid, b, is_recovery)
                                    ELSE ~WriteTimeout(cid, b, is_recovery)
              /\ EnsembleAvailable(present \ failed, failed)
              /\ LET chosen    == SelectEnsemble(present \ failed, failed)
                     fragments == WithEnsemble(c, first, chosen)
                     known     == IF is_recovery THEN c.meta_version ELSE meta_version + 1
                 IN  /\ Becomes(cid, [c EXCEPT
                            !.meta_version  = known,
                            !.fragments     = fragments,
                            !.curr_fragment = Last(fragments),
                            !.confirmed     = [id \in EntryIds |->
                                                  IF id < first THEN @[id] ELSE @[id] \ failed]])
                     /\ IF is_recovery
                        THEN UNCHANGED <<meta_fragments, meta_version>>
                        ELSE meta_fragments' = fragments /\ meta_version' = known
              /\ ClearWriteTimeouts(cid, failed, is_recovery)
        /\ UNCHANGED <<bookie_vars, meta_status, meta_last_entry>>

ClientChangesEnsemble(cid) ==
    /\ IsWriter(cid)
    /\ meta_status = STATUS_OPEN
    /\ ChangeEnsemble(cid, FALSE)

\* Sends the oldest entry of an earlier ensemble to the newcomers.
ResendPendingAddOp(cid, is_recovery) ==
    LET c == clients[cid]
    IN  /\ \E op \in c.pending_add_ops :
              /\ IsOutdated(op, c.curr_fragment)
              /\ \A other \in c.pending_add_ops :
                    /\ other.ensemble = op.ensemble
                    /\ other.fragment_id = op.fragment_id
                    => op.entry.id <= other.entry.id
              /\ SendMessagesToEnsemble(
                    AddEntryRequests(c, op.entry, is_recovery, c.curr_fragment.ensemble \ op.ensemble))
              /\ Becomes(cid, [c EXCEPT !.pending_add_ops =
                    (@ \ {op}) \cup {MakePendingOp(op.entry, c.curr_fragment)}])
        /\ UNCHANGED <<bookie_vars, meta_vars>>

ClientResendsPendingAddOp(cid) ==
    /\ IsWriter(cid)
    /\ ResendPendingAddOp(cid, FALSE)

-----------------------------------------------------------------------------
(* Writing: the writer closes the ledger, which it may do at any time *)

ClientClosesLedgerSuccess(cid) ==
    /\ IsWriter(cid)
    /\ meta_status = STATUS_OPEN
    /\ meta_version = clients[cid].meta_version
    /\ meta_status' = STATUS_CLOSED
    /\ meta_last_entry' = clients[cid].lac
    /\ meta_version' = meta_version + 1
    /\ Becomes(cid, [clients[cid] EXCEPT !.status       = STATUS_CLOSED,
                                         !.meta_version = meta_version'])
    /\ UNCHANGED <<messages, bookie_vars, meta_fragments>>

\* Somebody recovers the ledger, or has closed it.
ClientClosesLedgerFail(cid) ==
    /\ IsWriter(cid)
    /\ meta_status # STATUS_OPEN
    /\ Becomes(cid, [clients[cid] EXCEPT !.status       = CLIENT_WITHDRAWN,
                                         !.meta_version = Nil])
    /\ UNCHANGED <<messages, bookie_vars, meta_vars>>

-----------------------------------------------------------------------------
(* Recovery: fencing *)

\* A client that is not the writer announces the recovery in the metadata,
\* and asks the last ensemble to fence the ledger and for the lac.
ClientStartsRecovery(cid) ==
    LET c    == clients[cid]
        last == Last(meta_fragments)
    IN  /\ c.status = Nil
        /\ meta_status \in {STATUS_OPEN, STATUS_IN_RECOVERY}
        /\ meta_status' = STATUS_IN_RECOVERY
        /\ meta_version' = meta_version + 1
        /\ SendMessagesToEnsemble(FenceRequests(c, last.ensemble))
        /\ Becomes(cid, [c EXCEPT !.status            = STATUS_IN_RECOVERY,
                                  !.meta_version      = meta_version',
                                  !.fragments         = meta_fragments,
                                  !.curr_fragment     = last,
                                  !.recovery_ensemble = last.ensemble,
                                  !.recovery_phase    = FencingPhase])
        /\ UNCHANGED <<bookie_vars, meta_fragments, meta_last_entry>>

\* The fence of a bookie, never lifted again.
RaiseFence(bookie) == b_fenced' = [b_fenced EXCEPT ![bookie] = TRUE]

\* A bookie fences a ledger even if it has stored nothing of it.
BookieSendsFencingReadLacResponse ==
    \E msg \in DOMAIN messages :
        /\ Receivable(msg, FenceRequestMessage)
        /\ RaiseFence(msg.bookie)
        /\ Answer(msg, FenceResponse(msg))
        /\ UNCHANGED <<clients, b_entries, b_lac, meta_vars>>

\* Reading will begin after the highest lac heard of, and in any case within
\* the last fragment, as all earlier ones are complete.
ClientReceivesFencingReadLacResponse(cid) ==
    LET c == clients[cid]
    IN  /\ c.recovery_phase = FencingPhase
        /\ \E msg \in DOMAIN messages :
              /\ Receivable(msg, FenceResponseMessage)
              /\ msg.cid = cid
              /\ LET heard == Max({msg.lac, c.curr_fragment.first_entry_id - 1})
                 IN  Becomes(cid, [c EXCEPT !.fenced = @ \cup {msg.bookie},
                                            !.lac    = Max({@, heard}),
                                            !.lap    = Max({@, heard})])
              /\ Handle(msg)
        /\ UNCHANGED <<bookie_vars, meta_vars>>

-----------------------------------------------------------------------------
(* Recovery: reading one entry after the other, until one is not there *)

\* The first read takes quorum coverage of fences, the later ones that the
\* read before has found something.  Reads go to the ensemble at the start of
\* the recovery, whatever has replaced it since.
ClientSendsRecoveryReadRequests(cid) ==
    LET c     == clients[cid]
        which == c.lap + 1
        MayBegin == /\ c.recovery_phase = FencingPhase
                    /\ HasQuorumCoverage(Cardinality(c.fenced), Cardinality(c.recovery_ensemble))
        MayGoOn  == /\ c.recovery_phase = ReadWritePhase
                    /\ c.curr_read_entry = Nil
                    /\ c.last_recoverable_entry = Nil
    IN  /\ IsRecovering(cid)
        /\ MayBegin \/ MayGoOn
        /\ SendMessagesToEnsemble(ReadRequests(c, which, c.recovery_ensemble))
        /\ Becomes(cid, [c EXCEPT !.recovery_phase  = ReadWritePhase,
                                  !.curr_read_entry = which,
                                  !.fenced          = {}])
        /\ UNCHANGED <<bookie_vars, meta_vars>>

BookieSendsReadResponse ==
    \E msg \in DOMAIN messages :
        /\ Receivable(msg, ReadRequestMessage)
        /\ IF msg.fence THEN RaiseFence(msg.bookie) ELSE UNCHANGED b_fenced
        /\ Answer(msg, ReadResponse(msg))
        /\ UNCHANGED <<clients, b_entries, b_lac, meta_vars>>

\* One bookie that has the entry is enough to go on with it.  That it was
\* never acknowledged takes quorum coverage of bookies without it.
ReadStatus(c, responses) ==
    LET Count(result) == Quantify(responses, LAMBDA r : r.code = result)
        found  == Count(OK) > 0
        absent == ~found /\ HasQuorumCoverage(Count(NoSuchEntry), WriteQuorum)
        heard  == Cardinality(responses) + ReadTimeoutCount(c.id, c.recovery_ensemble)
    IN  CASE found  -> OK
          [] absent -> NoSuchEntry
          [] ~(found \/ absent) /\ heard = WriteQuorum -> Unknown
          [] OTHER  -> NeedMoreResponses

\* What a recovery client makes of a response to its present read.
AfterRead(c, msg, responses, result) ==
    LET read == [c EXCEPT !.curr_read_entry = Nil, !.read_responses = {}]
        next == c.lap + 1
        e    == [id |-> next, data |-> msg.entry.data]
    IN  CASE result = OK ->                 \* to be written back, then read the next
               [read EXCEPT !.lap = next,
                            !.pending_add_ops = @ \cup {MakePendingOp(e, c.curr_fragment)}]
          [] result = NoSuchEntry ->        \* the ledger ends before it
               [read EXCEPT !.recovery_ensemble = {},
                            !.last_recoverable_entry = msg.entry.id - 1]
          [] result = Unknown ->
               [read EXCEPT !.recovery_ensemble = {},
                            !.status = RECOVERY_ABORTED]
          [] result = NeedMoreResponses ->
               [c EXCEPT !.read_responses = responses]

\* A read is decided only by a response that is the last on its way: while
\* another read message is in flight, only a response that leaves the matter
\* open can be handled.
ClientReceivesRecoveryReadResponse(cid) ==
    LET c == clients[cid]
    IN  /\ IsRecovering(cid)
        /\ c.recovery_phase = ReadWritePhase
        /\ \E msg \in DOMAIN messages :
              /\ Receivable(msg, ReadResponseMessage)
              /\ msg.cid = cid
              /\ msg.entry.id = c.curr_read_entry
              /\ LET responses == c.read_responses \cup {msg}
                     result    == ReadStatus(c, responses)
                 IN  /\ result # NeedMoreResponses => NoOtherReadInFlight(msg, c.recovery_ensemble)
                     /\ Becomes(cid, AfterRead(c, msg, responses, result))
              /\ Handle(msg)
        /\ UNCHANGED <<bookie_vars, meta_vars>>

-----------------------------------------------------------------------------
(* Recovery: writing back what was read, to the present ensemble *)

\* The oldest entry that was not sent yet goes first.
ClientWritesBackEntry(cid) ==
    LET c == clients[cid]
        WasSent(op) == \E msg \in DOMAIN messages :
                            /\ msg.type = AddEntryRequestMessage
                            /\ msg.cid = cid
                            /\ msg.recovery
                            /\ msg.entry = op.entry
        unsent == { op \in c.pending_add_ops : ~WasSent(op) }
    IN  /\ IsRecovering(cid)
        /\ c.recovery_phase = ReadWritePhase
        /\ \E op \in unsent :
              /\ \A other \in unsent : op.entry.id <= other.entry.id
              /\ SendMessagesToEnsemble(
                    AddEntryRequests(c, op.entry, TRUE, c.curr_fragment.ensemble))
        /\ UNCHANGED <<clients, bookie_vars, meta_vars>>

RecoveryClientReceivesAddConfirmedResponse(cid) ==
    /\ IsRecovering(cid)
    /\ ReceiveAddConfirmed(cid, TRUE)

RecoveryClientChangesEnsemble(cid) ==
    /\ IsRecovering(cid)
    /\ meta_status = STATUS_IN_RECOVERY
    /\ ChangeEnsemble(cid, TRUE)

RecoveryClientSendsPendingAddOp(cid) ==
    /\ IsRecovering(cid)
    /\ ResendPendingAddOp(cid, TRUE)

\* The end is known and all before it written back.  If another recovery has
\* updated the metadata meanwhile, this one cannot.
RecoveryClientClosesLedger(cid) ==
    LET c == clients[cid]
    IN  /\ IsRecovering(cid)
        /\ c.recovery_phase = ReadWritePhase
        /\ c.last_recoverable_entry # Nil
        /\ c.pending_add_ops = {}
        /\ meta_status = STATUS_IN_RECOVERY
        /\ meta_version = c.meta_version
        /\ meta_status' = STATUS_CLOSED
        /\ meta_fragments' = c.fragments
        /\ meta_last_entry' = c.last_recoverable_entry
        /\ meta_version' = meta_version + 1
        /\ Becomes(cid, [c EXCEPT !.status = STATUS_CLOSED, !.meta_version = meta_version'])
        /\ UNCHANGED <<messages, bookie_vars>>

-----------------------------------------------------------------------------
(* The specification *)

Init ==
    /\ meta_status = Nil
    /\ meta_fragments = <<>>
    /\ meta_last_entry = 0
    /\ meta_version = 0
    /\ b_entries = [b \in Bookies |-> {}]
    /\ b_fenced = [b \in Bookies |-> FALSE]
    /\ b_lac = [b \in Bookies |-> 0]
    /\ clients = [cid \in Clients |-> NewClient(cid)]
    /\ messages = [m \in {} |-> Done]

Next ==
    \* bookies
    \/ BookieSendsAddConfirmedResponse
    \/ BookieSendsAddFencedResponse
    \/ BookieSendsFencingReadLacResponse
    \/ BookieSendsReadResponse
    \/ \E cid \in Clients :
        \* the writer
        \/ ClientCreatesLedger(cid)
        \/ ClientSendsAddEntryRequests(cid)
        \/ ClientReceivesAddConfirmedResponse(cid)
        \/ ClientReceivesAddFencedResponse(cid)
        \/ ClientChangesEnsemble(cid)
        \/ ClientResendsPendingAddOp(cid)
        \/ ClientClosesLedgerSuccess(cid)
        \/ ClientClosesLedgerFail(cid)
        \* recovery
        \/ ClientStartsRecovery(cid)
        \/ ClientReceivesFencingReadLacResponse(cid)
        \/ ClientSendsRecoveryReadRequests(cid)
        \/ ClientReceivesRecoveryReadResponse(cid)
        \/ ClientWritesBackEntry(cid)
        \/ RecoveryClientReceivesAddConfirmedResponse(cid)
        \/ RecoveryClientChangesEnsemble(cid)
        \/ RecoveryClientSendsPendingAddOp(cid)
        \/ RecoveryClientClosesLedger(cid)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Invariants *)

TypeOK ==
    /\ meta_status \in {Nil, STATUS_OPEN, STATUS_IN_RECOVERY, STATUS_CLOSED}
    /\ {meta_last_entry, meta_version} \subseteq Nat
    /\ b_entries \in [Bookies -> SUBSET Entry]
    /\ b_fenced \in [Bookies -> BOOLEAN]
    /\ b_lac \in [Bookies -> Nat]

\* A closed ledger was closed by one client, which agrees with the metadata on
\* where it ends, and no writer has had an entry acknowledged beyond that end:
\* it would be lost.  A recovery that came too late may have got further than
\* the one that closed the ledger; that does no harm, as nobody will read it.
NoDivergenceBetweenClientAndMetaData ==
    LET HasClosed(c) == /\ clients[c].status = STATUS_CLOSED
                        /\ clients[c].lac = meta_last_entry
        MayDiffer(c) == clients[c].status \in {Nil, STATUS_IN_RECOVERY, RECOVERY_ABORTED}
    IN  meta_status = STATUS_CLOSED =>
            /\ Quantify(Clients, HasClosed) = 1
            /\ \A c \in Clients : ~MayDiffer(c) => clients[c].lac <= meta_last_entry

\* Some bookie of the right ensemble has every entry that was acknowledged.
AllAckedEntriesAreReadable ==
    \A cid \in Clients :
        clients[cid].status \in {STATUS_OPEN, STATUS_CLOSED} =>
            \A id \in 1..clients[cid].lac :
                \E b \in FragmentOf(id).ensemble : Holds(b, id)

\* Once the ledger is closed, an ack quorum of the right ensemble has each of
\* its entries.
AllCommittedEntriesReachAckQuorum ==
    meta_status = STATUS_CLOSED =>
        \A id \in 1..meta_last_entry :
            Quantify(FragmentOf(id).ensemble, LAMBDA b : Holds(b, id)) >= AckQuorum

\* Entries are stored under the number they were written with.
NoOutOfOrderEntries ==
    \A b \in Bookies : { e \in b_entries[b] : e.data # e.id } = {}

-----------------------------------------------------------------------------
(* Liveness *)

\* As the design states it.  TLC cannot evaluate it: clients is a function,
\* and no set to quantify over.
LedgerIsClosed ==
    /\ meta_status = STATUS_CLOSED
    /\ \E c \in clients : c.status = STATUS_CLOSED

Liveness == WF_vars(Next) /\ []<>LedgerIsClosed

\* What it means, in a form that TLC can check, with the fairness where it
\* belongs.
SpecWithFairness == Spec /\ WF_vars(Next)

LedgerGetsClosed ==
    []<>( /\ meta_status = STATUS_CLOSED
          /\ \E cid \in Clients : clients[cid].status = STATUS_CLOSED )
=============================================================================
