------------------------------ MODULE TxnRecovery ------------------------------
(* Three repairs of kafka_transactions_for_web: that a new coordinator finishes what the one *)
(* before began, that a deposed one throws away what was not committed, and that one elected *)
(* in a partition remembers the others. And, what the published module does not state, that  *)
(* producer ids tell producers apart.                                                        *)
EXTENDS kafka_transactions_for_web

\* Only a commit moves an aborting transaction on, and only that of the first entry, by the
\* coordinator that wrote it. After an election the first entry may be committed and the second
\* lost. Here whoever coordinates writes it (again).
CompletePartialTxn(b, tid) ==
    LET txn == tc_tid_metadata[b][tid]
        settled == IF txn.state = PrepareCommit THEN CompleteCommit ELSE CompleteAbort
    IN  /\ IsPartitionLeader(b, PartitionFor(tid))
        /\ txn # None
        /\ txn.state \in {PrepareAbort, PrepareCommit}
        /\ tc_tid_transition[b][tid] = None
        /\ Decide(b, LogEntry(tid, [txn EXCEPT !.state = settled], settled, None, None))
        /\ UNCHANGED <<client, tc_tid_metadata, tc_log_hwm, tc_log_metadata, txn_log_vars,
                       topic_vars, aux_vars, net_vars>>

Completion == \E b \in Brokers : \E tid \in TransactionIds : CompletePartialTxn(b, tid)

CompletionSpec ==
    /\ Init /\ [][Next \/ Completion]_vars
    /\ Fairness
    /\ \A b \in Brokers : \A tid \in TransactionIds : WF_vars(CompletePartialTxn(b, tid))

\* To be put in the place of FollowerLog: as published; or what is not committed is thrown away,
\* since the client is told to ask again.
WholeLog(b, p) == tc_log[txn_log_leader[p]][p]
CommittedLog(b, p) == SubSeq(tc_log[b][p], 1, tc_log_hwm[b][p])

\* To be put in the place of OtherTxn: as published; or what b knew before.
NoTxn(b, tid) == None
KnownTxn(b, tid) == tc_tid_metadata[b][tid]

--------------------------------------------------------------------------------

\* No two clients have the same producer id and epoch: nobody could fence either of them.
ClientsHaveDifferentProducerEpochs ==
    \A c \in Clients : \A d \in Clients \ {c} :
        client[c].pid >= 0 => <<client[c].pid, client[c].epoch>> # <<client[d].pid, client[d].epoch>>

\* A producer id belongs to one transactional id.
ProducerIdsAreDistinct ==
    \A c, d \in Clients :
        client[c].pid >= 0 /\ client[c].pid = client[d].pid => client[c].tid = client[d].tid

===============================================================================
