------------------------------ MODULE TwoPhase ------------------------------
(***************************************************************************)
(* Two-phase commit. A transaction manager (TM) and the resource managers  *)
(* (RMs) decide together whether a transaction commits. Each RM prepares   *)
(* or gives up; the TM commits once all have prepared, and may abort at    *)
(* any time before. Names and steps are those of the specification by Gray *)
(* and Lamport in "Consensus on Transaction Commit".                       *)
(***************************************************************************)
CONSTANT RM \* the resource managers

VARIABLES
  rmState,    \* of each RM: "working", "prepared", "committed" or "aborted"
  tmState,    \* "init" until the TM decides, then "committed" or "aborted"
  tmPrepared, \* the RMs that the TM knows to have prepared
  msgs        \* all messages sent so far; a message can be received many times

vars == <<rmState, tmState, tmPrepared, msgs>>

Prepared(r) == [type |-> "Prepared", rm |-> r]
Commit == [type |-> "Commit"]
Abort == [type |-> "Abort"]

TypeOK ==
  /\ rmState \in [RM -> {"working", "prepared", "committed", "aborted"}]
  /\ tmState \in {"init", "committed", "aborted"}
  /\ tmPrepared \subseteq RM
  /\ msgs \subseteq {Prepared(r) : r \in RM} \cup {Commit, Abort}

Init ==
  /\ rmState = [r \in RM |-> "working"]
  /\ tmState = "init"
  /\ tmPrepared = {}
  /\ msgs = {}

-----------------------------------------------------------------------------
\* The transaction manager

\* Hearing of the same RM again changes nothing.
TMRcvPrepared(r) ==
  /\ tmState = "init"
  /\ Prepared(r) \in msgs
  /\ tmPrepared' = tmPrepared \cup {r}
  /\ UNCHANGED <<rmState, tmState, msgs>>

TMCommit ==
  /\ tmState = "init"
  /\ tmPrepared = RM
  /\ tmState' = "committed"
  /\ msgs' = msgs \cup {Commit}
  /\ UNCHANGED <<rmState, tmPrepared>>

\* The reason, such as a timeout, is left out.
TMAbort ==
  /\ tmState = "init"
  /\ tmState' = "aborted"
  /\ msgs' = msgs \cup {Abort}
  /\ UNCHANGED <<rmState, tmPrepared>>

-----------------------------------------------------------------------------
\* The resource managers

RMPrepare(r) ==
  /\ rmState[r] = "working"
  /\ rmState' = [rmState EXCEPT ![r] = "prepared"]
  /\ msgs' = msgs \cup {Prepared(r)}
  /\ UNCHANGED <<tmState, tmPrepared>>

\* The RM tells nobody: the TM never hears that it prepared.
RMChooseToAbort(r) ==
  /\ rmState[r] = "working"
  /\ rmState' = [rmState EXCEPT ![r] = "aborted"]
  /\ UNCHANGED <<tmState, tmPrepared, msgs>>

RMRcvCommitMsg(r) ==
  /\ Commit \in msgs
  /\ rmState' = [rmState EXCEPT ![r] = "committed"]
  /\ UNCHANGED <<tmState, tmPrepared, msgs>>

RMRcvAbortMsg(r) ==
  /\ Abort \in msgs
  /\ rmState' = [rmState EXCEPT ![r] = "aborted"]
  /\ UNCHANGED <<tmState, tmPrepared, msgs>>

-----------------------------------------------------------------------------
Next ==
  \/ TMCommit
  \/ TMAbort
  \/ \E r \in RM :
       \/ TMRcvPrepared(r)
       \/ RMPrepare(r)
       \/ RMChooseToAbort(r)
       \/ RMRcvCommitMsg(r)
       \/ RMRcvAbortMsg(r)

Spec == Init /\ [][Next]_vars

\* No two RMs end differently.
Consistent == \A r, s \in RM : ~(rmState[r] = "committed" /\ rmState[s] = "aborted")
=============================================================================
