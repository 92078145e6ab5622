---------------------------- MODULE SequencesExt ----------------------------
(* What the specifications here use of the module of this name in the       *)
(* TLA+ CommunityModules.                                                   *)
EXTENDS Sequences, Naturals

\* The last element of a sequence that is not empty.
Last(seq) == seq[Len(seq)]
=============================================================================
