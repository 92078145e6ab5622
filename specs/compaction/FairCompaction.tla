---------------------------- MODULE FairCompaction ----------------------------
(* Compaction under weak fairness: as long as some step is possible that        *)
(* changes something, one is taken. Which one, the producer's, the compactor's  *)
(* or a crash, is left open; the limits make every such run finite.             *)
EXTENDS compaction

FairSpec == Spec /\ WF_vars(Next)

===============================================================================
