--------------------- MODULE BookKeeperProtocolNoFence ---------------------
(***************************************************************************)
(* An exercise: recovery reads that do not fence.  Everything is as in     *)
(* BookKeeperProtocol except for one definition, which the configuration   *)
(* has to replace:                                                         *)
(*                                                                         *)
(*     CONSTANTS RecoveryReadsFence <- ReadsDoNotFence                     *)
(*                                                                         *)
(* A fence request that is lost then leaves its bookie open to the writer  *)
(* even after that bookie has told a recovery that it has no such entry.   *)
(***************************************************************************)
EXTENDS BookKeeperProtocol

ReadsDoNotFence == FALSE

\* Forgetting the replacement shall not look like a proof.
ASSUME RecoveryReadsFence = ReadsDoNotFence
=============================================================================
