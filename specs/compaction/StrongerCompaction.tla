------------------------- MODULE StrongerCompaction -------------------------
(* Invariants that are not among the published ones. Each notices changes of  *)
(* the specification that the published ones do not, see the README.          *)
EXTENDS FairCompaction

\* The ledger that readers use exists, and so does the one that a restarted broker would use.
LedgersInUseExist ==
    LET Exists(n) == n = 0 \/ compactedLedgers[n] # Nil
    IN  /\ Exists(compactedTopicContext)
        /\ cursor = Nil \/ Exists(cursor.compactedTopicContext)

\* What was saved stays compacted, also after a crash.
NothingSavedIsLost ==
    \/ cursor = Nil
    \/ /\ compactionHorizon >= cursor.compactionHorizon
       /\ compactedTopicContext >= cursor.compactedTopicContext

\* The old ledger goes only once the position in the new one is saved.
SavedBeforeDeletion ==
    compactorState = Compactor_In_PhaseTwoDeleteLedger =>
        cursor = [ compactionHorizon |-> compactionHorizon,
                   compactedTopicContext |-> compactedTopicContext ]

\* Without a crash a compaction leaves one ledger behind.
OneLedgerRemains ==
    crashTimes = 0 /\ compactorState = Compactor_In_PhaseOne =>
        Cardinality({n \in 1..CompactionTimesLimit : compactedLedgers[n] # Nil}) < 2

\* The compactor holds the result of a scan in all phases but the first.
ScanIsKept == (phaseOneResult = Nil) <=> (compactorState = Compactor_In_PhaseOne)
=============================================================================
