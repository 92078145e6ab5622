---------------------------- MODULE LedgerChaining ----------------------------
(* One unbounded log made of BookKeeper ledgers, one after the other.           *)
(*                                                                              *)
(* A ledger has one writer and can be closed for good. The log's ledgers, in    *)
(* order, are a list in the metadata store. Whoever leads may extend it: close  *)
(* the ledger at its end, create another, append that to the list, write. How   *)
(* the leader is elected is left out; it may change at any moment, and the old  *)
(* one goes on until it notices. Two things protect the log from it: every      *)
(* change of metadata is a compare-and-set on a version, and closing a ledger   *)
(* fences it at the bookies, so that nothing can be written to it afterwards.   *)
EXTENDS Integers, FiniteSets, Sequences, TLC

CONSTANTS
    Clients                \* set of model values: those that take turns as leader

CONSTANTS
    WAITING,               \* a model value: not the leader, as far as it knows
    GET_MD_FOR_CLOSING,    \* a model value: new leader, has to read the metadata
    CLOSE_LAST_LEDGER,     \* a model value: has read it, has to close the last ledger
    PENDING_CREATE_LEDGER, \* a model value: the last ledger is closed, the next one is due
    PENDING_APPEND_LEDGER, \* a model value: has a new ledger that is not in the list yet
    HAS_OPEN_LEDGER        \* a model value: its ledger is in the list, it may write

VARIABLES
    c_state,               \* what each client knows and is about to do
    \* in the metadata store
    md_llist,              \* the list: ids of the log's ledgers, in the order of the log
    md_llist_version,
    md_ledgers,            \* id -> metadata, of all ledgers ever created, listed or not
    md_leader,
    md_next_lid,
    \* at the bookies
    b_ledgers,             \* ledgers that were written or fenced
    \* for the invariants only
    next_entry_id          \* entries are numbered in the order in which they are written

vars == <<c_state, md_llist, md_llist_version, md_ledgers, md_leader, md_next_lid,
          b_ledgers, next_entry_id>>

LOCAL metadata == <<md_llist, md_llist_version, md_ledgers, md_leader, md_next_lid>>
LOCAL storage == <<b_ledgers, next_entry_id>>

LOCAL LedgerMd(lid, isOpen, v) == [id |-> lid, open |-> isOpen, version |-> v]

NoLedgerMetadata == LedgerMd(0, FALSE, -1)

Last(seq) == seq[Len(seq)]

LOCAL Elements(seq) == {seq[i] : i \in DOMAIN seq}

LOCAL Newcomer ==
    [ leader        |-> FALSE,
      status        |-> WAITING,
      llist         |-> <<>>,
      llist_version |-> -1,
      ledger        |-> NoLedgerMetadata ]

Init ==
    /\ c_state = [c \in Clients |-> Newcomer]
    /\ md_llist = <<>>
    /\ md_llist_version = 0
    /\ md_ledgers = <<>>
    /\ md_leader = CHOOSE c \in Clients : TRUE
    /\ md_next_lid = 1
    /\ b_ledgers = {}
    /\ next_entry_id = 0

-------------------------------------------------------------------------------
(* What the actions are made of                                                 *)

\* c takes itself for the leader and has come as far as `stage`.
LOCAL Leads(c, stage) == c_state[c].leader /\ c_state[c].status = stage

\* The clients' state with c moved on to `stage`.
LOCAL Moved(c, stage) == [c_state EXCEPT ![c].status = stage]

LOCAL StepDown(c) == c_state' = [Moved(c, WAITING) EXCEPT ![c].leader = FALSE]

\* The metadata of c's ledger as the store has it now; c's own copy may be older.
LOCAL Stored(c) == md_ledgers[c_state[c].ledger.id]

LOCAL LedgerIsCurrent(c) == c_state[c].ledger.version = Stored(c).version
LOCAL LedgerIsStale(c) == c_state[c].ledger.version < Stored(c).version

\* The write of the compare-and-set that closes a ledger.
LOCAL MarkClosed(lid) ==
    md_ledgers' = [md_ledgers EXCEPT ![lid] = LedgerMd(lid, FALSE, @.version + 1)]

LOCAL BookieLedger(lid, eid, isFenced) == [id |-> lid, entry |-> eid, fenced |-> isFenced]

\* The bookies' copy of a ledger: a set of one, or empty if they have not heard of it.
LOCAL CopyOf(lid) == {l \in b_ledgers : l.id = lid}

\* A ledger that was never written is fenced too: it comes into being, empty and fenced.
FenceLedger(ledger_id) ==
    LET known == CopyOf(ledger_id)
    IN  b_ledgers' = (b_ledgers \ known) \cup
                     IF known = {}
                     THEN {BookieLedger(ledger_id, -1, TRUE)}
                     ELSE {BookieLedger(ledger_id, l.entry, TRUE) : l \in known}

-------------------------------------------------------------------------------
(* Leadership                                                                   *)

\* The store decides; no client is told.
LeaderChosen(c) ==
    /\ md_leader # c
    /\ md_leader' = c
    /\ UNCHANGED <<c_state, md_llist, md_llist_version, md_ledgers, md_next_lid, storage>>

BecomeLeader(c) ==
    /\ md_leader = c
    /\ ~c_state[c].leader
    /\ c_state' = [Moved(c, GET_MD_FOR_CLOSING) EXCEPT ![c].leader = TRUE]
    /\ UNCHANGED <<metadata, storage>>

\* An old leader finds out. Its ledger stays open: the successor will close it.
Abdicate(c) ==
    /\ md_leader # c
    /\ c_state[c].leader
    /\ StepDown(c)
    /\ UNCHANGED <<metadata, storage>>

-------------------------------------------------------------------------------
(* Closing the ledger at the end of the list                                    *)

\* The version of the list that is read here is the one that the append will be compared with.
GetLastLedger(c) ==
    /\ Leads(c, GET_MD_FOR_CLOSING)
    /\ LET read(stage) == [Moved(c, stage) EXCEPT ![c].llist = md_llist,
                                                  ![c].llist_version = md_llist_version]
       IN  c_state' = IF md_llist = <<>>
                      THEN read(PENDING_CREATE_LEDGER)
                      ELSE [read(CLOSE_LAST_LEDGER) EXCEPT
                               ![c].ledger = md_ledgers[Last(md_llist)]]
    /\ UNCHANGED <<metadata, storage>>

LedgerAlreadyClosed(c) ==
    /\ Leads(c, CLOSE_LAST_LEDGER)
    /\ ~c_state[c].ledger.open
    /\ c_state' = Moved(c, PENDING_CREATE_LEDGER)
    /\ UNCHANGED <<metadata, storage>>

CloseLastLedgerSuccess(c) ==
    /\ Leads(c, CLOSE_LAST_LEDGER)
    /\ c_state[c].ledger.open
    /\ LedgerIsCurrent(c)
    /\ FenceLedger(c_state[c].ledger.id)
    /\ MarkClosed(c_state[c].ledger.id)
    /\ c_state' = Moved(c, PENDING_CREATE_LEDGER)
    /\ UNCHANGED <<md_llist, md_llist_version, md_leader, md_next_lid, next_entry_id>>

\* Someone was faster: read again.
CloseLastLedgerBadVersion(c) ==
    /\ Leads(c, CLOSE_LAST_LEDGER)
    /\ c_state[c].ledger.open
    /\ LedgerIsStale(c)
    /\ c_state' = Moved(c, GET_MD_FOR_CLOSING)
    /\ UNCHANGED <<metadata, storage>>

-------------------------------------------------------------------------------
(* The next ledger                                                              *)

\* Ids are given out without gaps, so the new ledger's place in md_ledgers is its id.
CreateLedger(c) ==
    /\ Leads(c, PENDING_CREATE_LEDGER)
    /\ LET created == LedgerMd(md_next_lid, TRUE, 0)
       IN  /\ md_ledgers' = Append(md_ledgers, created)
           /\ c_state' = [Moved(c, PENDING_APPEND_LEDGER) EXCEPT ![c].ledger = created]
    /\ md_next_lid' = md_next_lid + 1
    /\ UNCHANGED <<md_llist, md_llist_version, md_leader, storage>>

AppendLedgerSuccess(c) ==
    /\ Leads(c, PENDING_APPEND_LEDGER)
    /\ c_state[c].llist_version = md_llist_version
    /\ md_llist' = Append(c_state[c].llist, c_state[c].ledger.id)
    /\ md_llist_version' = md_llist_version + 1
    /\ c_state' = [Moved(c, HAS_OPEN_LEDGER) EXCEPT ![c].llist = md_llist',
                                                    ![c].llist_version = md_llist_version']
    /\ UNCHANGED <<md_ledgers, md_leader, md_next_lid, storage>>

\* The list has moved on, so there is another leader. The new ledger is abandoned: open, and in
\* no list.
AppendLedgerBadVersion(c) ==
    /\ Leads(c, PENDING_APPEND_LEDGER)
    /\ c_state[c].llist_version < md_llist_version
    /\ StepDown(c)
    /\ UNCHANGED <<metadata, storage>>

-------------------------------------------------------------------------------
(* The open ledger                                                              *)

\* One entry stands for all that a ledger receives. A fenced ledger takes none.
WriteToLedger(c) ==
    /\ Leads(c, HAS_OPEN_LEDGER)
    /\ CopyOf(c_state[c].ledger.id) = {}
    /\ b_ledgers' = b_ledgers \cup {BookieLedger(c_state[c].ledger.id, next_entry_id, FALSE)}
    /\ next_entry_id' = next_entry_id + 1
    /\ UNCHANGED <<c_state, metadata>>

\* The leader rolls over to another ledger.
CloseOwnLedgerSuccess(c) ==
    /\ Leads(c, HAS_OPEN_LEDGER)
    /\ CopyOf(c_state[c].ledger.id) # {}
    /\ LedgerIsCurrent(c)
    /\ MarkClosed(c_state[c].ledger.id)
    /\ c_state' = Moved(c, PENDING_CREATE_LEDGER)
    /\ UNCHANGED <<md_llist, md_llist_version, md_leader, md_next_lid, storage>>

\* Another client has closed it: there is another leader.
CloseOwnLedgerBadVersion(c) ==
    /\ Leads(c, HAS_OPEN_LEDGER)
    /\ CopyOf(c_state[c].ledger.id) # {}
    /\ LedgerIsStale(c)
    /\ StepDown(c)
    /\ UNCHANGED <<metadata, storage>>

-------------------------------------------------------------------------------
(* The whole                                                                    *)

Next ==
    \E c \in Clients :
        \/ LeaderChosen(c)
        \/ BecomeLeader(c)
        \/ Abdicate(c)
        \/ GetLastLedger(c)
        \/ LedgerAlreadyClosed(c)
        \/ CloseLastLedgerSuccess(c)
        \/ CloseLastLedgerBadVersion(c)
        \/ CreateLedger(c)
        \/ AppendLedgerSuccess(c)
        \/ AppendLedgerBadVersion(c)
        \/ WriteToLedger(c)
        \/ CloseOwnLedgerSuccess(c)
        \/ CloseOwnLedgerBadVersion(c)

-------------------------------------------------------------------------------
(* Invariants                                                                   *)

ClientStatuses ==
    { WAITING, GET_MD_FOR_CLOSING, CLOSE_LAST_LEDGER,
      PENDING_CREATE_LEDGER, PENDING_APPEND_LEDGER, HAS_OPEN_LEDGER }

LOCAL NatOrNone == Nat \cup {-1}

LedgerMetadata == [id: Nat, open: BOOLEAN, version: NatOrNone]

Ledger == [id: Nat, entry: NatOrNone, fenced: BOOLEAN]

Client ==
    [ leader:        BOOLEAN,
      status:        ClientStatuses,
      llist:         Seq(Nat),
      llist_version: NatOrNone,
      ledger:        LedgerMetadata ]

TypeOK ==
    /\ c_state \in [Clients -> Client]
    /\ md_llist_version \in Nat
    /\ md_leader \in Clients
    /\ md_next_lid \in Nat \ {0}
    /\ md_ledgers \in [1..(md_next_lid - 1) -> LedgerMetadata]
    /\ b_ledgers \subseteq Ledger

\* What has reached the bookies is part of the log.
AllNonEmptyLedgersInLedgerList ==
    {l.id : l \in b_ledgers} \subseteq Elements(md_llist)

\* Along the log, entries are in the order in which they were written. Ledgers that were fenced
\* while empty have none.
EntryOrderMaintained ==
    LET written == {l \in b_ledgers : l.entry # -1}
    IN  \A l1, l2 \in written : l1.id < l2.id => l1.entry <= l2.entry

\* Meant to say that at most one ledger of the list is open. It takes places in the list for
\* ledger ids, though, and the two are the same only as long as no ledger is abandoned: see the
\* README, and ChainById for the intended statement.
OnlyOneLedgerOpenAtATime ==
    \A l1, l2 \in DOMAIN md_llist :
        (md_ledgers[l1].open /\ md_ledgers[l2].open) => l1 = l2

-------------------------------------------------------------------------------

\* A bound for the model: ledgers are not created without end.
LedgerLimit == md_next_lid < 4

===============================================================================
