---------------------------- MODULE TwoPhaseTrace ----------------------------
(***************************************************************************)
(* Which behaviours of TwoPhase explain a log of two_phase.py? The         *)
(* environment variable LOG names the merged log of a run. A line has the  *)
(* name of the action, its arguments, and the part of the state that its   *)
(* process saw change.                                                     *)
(***************************************************************************)
EXTENDS TwoPhase, Naturals, Sequences, TLC, Json, IOUtils

Log == ndJsonDeserialize(IOEnv.LOG)

VARIABLE l \* the number of the next line

Line == Log[l]

\* The next state agrees with what the line says of it, and the line says little.
Observed ==
  LET state == Line.state IN
  /\ "tmState" \in DOMAIN state => tmState' = state.tmState
  /\ "rmState" \in DOMAIN state =>
       \A r \in DOMAIN state.rmState : rmState'[r] = state.rmState[r]

TraceInit == Init /\ l = 1

TraceNext ==
  /\ l <= Len(Log)
  /\ l' = l + 1
  /\ \/ Line.action = "TMRcvPrepared" /\ TMRcvPrepared(Line.args.r)
     \/ Line.action = "TMCommit" /\ TMCommit
     \/ Line.action = "TMAbort" /\ TMAbort
     \/ Line.action = "RMPrepare" /\ RMPrepare(Line.args.r)
     \/ Line.action = "RMChooseToAbort" /\ RMChooseToAbort(Line.args.r)
     \/ Line.action = "RMRcvCommitMsg" /\ RMRcvCommitMsg(Line.args.r)
     \/ Line.action = "RMRcvAbortMsg" /\ RMRcvAbortMsg(Line.args.r)
  /\ Observed

TraceSpec == TraceInit /\ [][TraceNext]_<<vars, l>>

\* Every step takes one line, so the longest behaviour tells how many lines fit.
Matched == TLCGet("stats").diameter - 1

Accepted ==
  \/ Matched = Len(Log)
  \/ Print(<<"no behaviour explains line", Matched + 1>>, FALSE)
==============================================================================
