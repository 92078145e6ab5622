------------------------ MODULE StrongerTransactions ------------------------
(* Invariants that the published module lacks. Each notices changes of the    *)
(* specification that the published ones do not, see the README.              *)
EXTENDS TxnRecovery

Committed(b, p) == SubSeq(tc_log[b][p], 1, tc_log_hwm[b][p])

\* What is committed is on all replicas, the same everywhere.
CommittedLogsAgree ==
    \A p \in TxnLogPartitions : \A b1, b2 \in Brokers :
        /\ tc_log_hwm[b1][p] <= Len(tc_log[b1][p])
        /\ Committed(b1, p) = Committed(b2, p)

\* In an epoch there is one leader, and the controller knows of all epochs.
OneLeaderPerEpoch ==
    \A p \in TxnLogPartitions : \A b1, b2 \in Brokers :
        LET known == tc_log_metadata[b1][p]
            other == tc_log_metadata[b2][p]
        IN  /\ known.cepoch = other.cepoch => known.leader = other.leader
            /\ known.cepoch <= txn_log_epoch[p]
            /\ known.cepoch = txn_log_epoch[p] => known.leader = txn_log_leader[p]

\* While the brokers agree on who leads, the leader has a decision pending exactly if its log has
\* an entry that is not committed, and knows what the last committed entry of an id says.
LeaderKnowsItsLog ==
    \A tid \in TransactionIds :
        LET p == PartitionFor(tid)
            b == txn_log_leader[p]
            log == tc_log[b][p]
            Entries(places) == {i \in places : log[i].tid = tid}
            pending == Entries(tc_log_hwm[b][p] + 1 .. Len(log))
            done == Entries(1 .. tc_log_hwm[b][p])
            Last(places) == log[CHOOSE i \in places : \A j \in places : j <= i].transition
            agreed == \A replica \in Brokers : tc_log_metadata[replica][p].leader = b
        IN  agreed =>
                /\ tc_tid_transition[b][tid] = IF pending = {} THEN None ELSE Last(pending)
                /\ done # {} => tc_tid_metadata[b][tid] = Last(done)

\* A client waits for at most one answer, and what it has was committed.
OneRequestPerClient ==
    \A c \in Clients :
        LET mine == {msg \in messages : c \in {msg.source, msg.dest}}
        IN  /\ Cardinality(mine) <= 1
            /\ client[c].state \in {Ready, HasPid, Terminated} => mine = {}
            /\ \A tp \in client[c].partitions : \E b \in Brokers :
                  \E i \in 1 .. tc_log_hwm[b][PartitionFor(client[c].tid)] :
                     tp \in tc_log[b][PartitionFor(client[c].tid)][i].transition.partitions
=============================================================================
