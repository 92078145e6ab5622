---- MODULE LivenessRace_TTrace_1795563211 ----
EXTENDS Sequences, TLCExt, Toolbox, LivenessRace, Naturals, TLC

_expression ==
    LET LivenessRace_TEExpression == INSTANCE LivenessRace_TEExpression
    IN LivenessRace_TEExpression!expression
----

_trace ==
    LET LivenessRace_TETrace == INSTANCE LivenessRace_TETrace
    IN LivenessRace_TETrace!trace
----

_inv ==
    ~(
        TLCGet("level") = Len(_TETrace)
        /\
        x = (1)
    )
----

_init ==
    /\ x = _TETrace[1].x
----

_next ==
    /\ \E i,j \in DOMAIN _TETrace:
        /\ \/ /\ j = i + 1
              /\ i = TLCGet("level")
        /\ x  = _TETrace[i].x
        /\ x' = _TETrace[j].x

\* Uncomment the ASSUME below to write the states of the error trace
\* to the given file in Json format. Note that you can pass any tuple
\* to `JsonSerialize`. For example, a sub-sequence of _TETrace.
    \* ASSUME
    \*     LET J == INSTANCE Json
    \*         IN J!JsonSerialize("LivenessRace_TTrace_1795563211.json", _TETrace)

=============================================================================

 Note that you can extract this module `LivenessRace_TEExpression`
  to a dedicated file to reuse `expression` (the module in the 
  dedicated `LivenessRace_TEExpression.tla` file takes precedence 
  over the module `LivenessRace_TEExpression` below).

---- MODULE LivenessRace_TEExpression ----
EXTENDS Sequences, TLCExt, Toolbox, LivenessRace, Naturals, TLC

expression == 
    [
        \* To hide variables of the `LivenessRace` spec from the error trace,
        \* remove the variables below.  The trace will be written in the order
        \* of the fields of this record.
        x |-> x
        
        \* Put additional constant-, state-, and action-level expressions here:
        \* ,_stateNumber |-> _TEPosition
        \* ,_xUnchanged |-> x = x'
        
        \* Format the `x` variable as Json value.
        \* ,_xJson |->
        \*     LET J == INSTANCE Json
        \*     IN J!ToJson(x)
        
        \* Lastly, you may build expressions over arbitrary sets of states by
        \* leveraging the _TETrace operator.  For example, this is how to
        \* count the number of times a spec variable changed up to the current
        \* state in the trace.
        \* ,_xModCount |->
        \*     LET F[s \in DOMAIN _TETrace] ==
        \*         IF s = 1 THEN 0
        \*         ELSE IF _TETrace[s].x # _TETrace[s-1].x
        \*             THEN 1 + F[s-1] ELSE F[s-1]
        \*     IN F[_TEPosition - 1]
    ]

=============================================================================



Parsing and semantic processing can take forever if the trace below is long.
 In this case, it is advised to uncomment the module below to deserialize the
 trace from a generated binary file.

\*
\*---- MODULE LivenessRace_TETrace ----
\*EXTENDS IOUtils, LivenessRace, TLC
\*
\*trace == IODeserialize("LivenessRace_TTrace_1795563211.bin", TRUE)
\*
\*=============================================================================
\*

---- MODULE LivenessRace_TETrace ----
EXTENDS LivenessRace, TLC

trace == 
    <<
    ([x |-> 0]),
    ([x |-> 1]),
    ([x |-> 0]),
    ([x |-> 1])
    >>
----


=============================================================================

---- CONFIG LivenessRace_TTrace_1795563211 ----

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
\* Generated on Tue Nov 24 23:33:32 UTC 2026