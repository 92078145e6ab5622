---- MODULE LetBound_TTrace_1795563196 ----
EXTENDS Sequences, TLCExt, LetBound, Toolbox, Naturals, TLC

_expression ==
    LET LetBound_TEExpression == INSTANCE LetBound_TEExpression
    IN LetBound_TEExpression!expression
----

_trace ==
    LET LetBound_TETrace == INSTANCE LetBound_TETrace
    IN LetBound_TETrace!trace
----

_inv ==
    ~(
        TLCGet("level") = Len(_TETrace)
        /\
        leaders = ([n1 |-> "n1", n2 |-> "n2"])
        /\
        colours = ([n1 |-> "red", n2 |-> "red"])
    )
----

_init ==
    /\ leaders = _TETrace[1].leaders
    /\ colours = _TETrace[1].colours
----

_next ==
    /\ \E i,j \in DOMAIN _TETrace:
        /\ \/ /\ j = i + 1
              /\ i = TLCGet("level")
        /\ leaders  = _TETrace[i].leaders
        /\ leaders' = _TETrace[j].leaders
        /\ colours  = _TETrace[i].colours
        /\ colours' = _TETrace[j].colours

\* Uncomment the ASSUME below to write the states of the error trace
\* to the given file in Json format. Note that you can pass any tuple
\* to `JsonSerialize`. For example, a sub-sequence of _TETrace.
    \* ASSUME
    \*     LET J == INSTANCE Json
    \*         IN J!JsonSerialize("LetBound_TTrace_1795563196.json", _TETrace)

=============================================================================

 Note that you can extract this module `LetBound_TEExpression`
  to a dedicated file to reuse `expression` (the module in the 
  dedicated `LetBound_TEExpression.tla` file takes precedence 
  over the module `LetBound_TEExpression` below).

---- MODULE LetBound_TEExpression ----
EXTENDS Sequences, TLCExt, LetBound, Toolbox, Naturals, TLC

expression == 
    [
        \* To hide variables of the `LetBound` spec from the error trace,
        \* remove the variables below.  The trace will be written in the order
        \* of the fields of this record.
        leaders |-> leaders
        ,colours |-> colours
        
        \* Put additional constant-, state-, and action-level expressions here:
        \* ,_stateNumber |-> _TEPosition
        \* ,_leadersUnchanged |-> leaders = leaders'
        
        \* Format the `leaders` variable as Json value.
        \* ,_leadersJson |->
        \*     LET J == INSTANCE Json
        \*     IN J!ToJson(leaders)
        
        \* Lastly, you may build expressions over arbitrary sets of states by
        \* leveraging the _TETrace operator.  For example, this is how to
        \* count the number of times a spec variable changed up to the current
        \* state in the trace.
        \* ,_leadersModCount |->
        \*     LET F[s \in DOMAIN _TETrace] ==
        \*         IF s = 1 THEN 0
        \*         ELSE IF _TETrace[s].leaders # _TETrace[s-1].leaders
        \*             THEN 1 + F[s-1] ELSE F[s-1]
        \*     IN F[_TEPosition - 1]
    ]

=============================================================================



Parsing and semantic processing can take forever if the trace below is long.
 In this case, it is advised to uncomment the module below to deserialize the
 trace from a generated binary file.

\*
\*---- MODULE LetBound_TETrace ----
\*EXTENDS IOUtils, LetBound, TLC
\*
\*trace == IODeserialize("LetBound_TTrace_1795563196.bin", TRUE)
\*
\*=============================================================================
\*

---- MODULE LetBound_TETrace ----
EXTENDS LetBound, TLC

trace == 
    <<
    ([leaders |-> [n1 |-> "n1", n2 |-> "n1"],colours |-> [n1 |-> "blue", n2 |-> "blue"]]),
    ([leaders |-> [n1 |-> "n1", n2 |-> "n2"],colours |-> [n1 |-> "red", n2 |-> "red"]])
    >>
----


=============================================================================

---- CONFIG LetBound_TTrace_1795563196 ----

INVARIANT
    _inv

CHECK_DEADLOCK
    \* CHECK_DEADLOCK off because of PROPERTY or INVARIANT above.
    FALSE

INIT
    _init

NEXT
    _next

CONSTANT
    _TETrace <- _trace

ALIAS
    _expression
=============================================================================
\* Generated on Tue Nov 24 23:33:17 UTC 2026