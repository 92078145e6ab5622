------------------------------ MODULE compaction ------------------------------
(* Topic compaction in Apache Pulsar, for one topic and one broker.             *)
(*                                                                              *)
(* A compaction reads the topic twice. Phase one notes, for every key, where    *)
(* its newest message is. Phase two copies those messages into a new compacted  *)
(* ledger and then switches over to it in four further steps, none of which is  *)
(* atomic with another: the in-memory context, the in-memory horizon, the       *)
(* cursor on disk, the removal of the previous ledger. A crash between any two  *)
(* of them loses what is in memory and keeps what is on disk.                   *)
EXTENDS Integers, FiniteSets, Sequences, TLC

CONSTANTS
    MessageSentLimit,      \* a number: messages the topic ends up with
    CompactionTimesLimit,  \* a number: compacted ledgers that may ever be written
    ModelConsumer,         \* TRUE or FALSE: the consumer takes steps (they change nothing)
    ConsumeTimesLimit,     \* a number: reads after which a modelled consumer is content
    KeySpace,              \* set of numbers above 0: keys a message may have
    ValueSpace,            \* set of numbers above 0: payloads a message may have
    RetainNullKey,         \* TRUE or FALSE: compaction keeps messages that have no key
    MaxCrashTimes,         \* a number: crashes of the broker
    ModelProducer          \* TRUE or FALSE: messages arrive one by one; if FALSE, every
                           \* possible full topic is an initial state

CONSTANTS
    Nil,                                 \* a model value: absent, or deleted
    Compactor_In_PhaseOne,               \* a model value: idle, or scanning the topic
    Compactor_In_PhaseTwoWrite,          \* a model value: about to write the new ledger
    Compactor_In_PhaseTwoUpdateContext,  \* a model value: about to point readers at it
    Compactor_In_PhaseTwoUpdateHorizon,  \* a model value: about to move the horizon
    Compactor_In_PhaseTwoPersistCusror,  \* a model value: about to save both on disk
    Compactor_In_PhaseTwoDeleteLedger    \* a model value: about to drop the ledger before it

ASSUME
    /\ MessageSentLimit \in Nat
    /\ CompactionTimesLimit \in Nat
    /\ ConsumeTimesLimit \in Nat
    /\ MaxCrashTimes \in Nat

ASSUME
    /\ ModelProducer \in BOOLEAN
    /\ ModelConsumer \in BOOLEAN
    /\ RetainNullKey \in BOOLEAN

\* 0 stands for "no key" and for "no payload".
ASSUME
    /\ KeySpace \subseteq Nat \ {0}
    /\ ValueSpace \subseteq Nat \ {0}

VARIABLES
    \* on disk
    messages,              \* the topic: a sequence of messages, each numbered by its place
    compactedLedgers,      \* ledger number -> the messages in it, or Nil
    cursor,                \* what a restarted broker reads back, or Nil
    \* in the broker's memory
    compactorState,
    phaseOneResult,        \* what the scan found, or Nil
    compactionHorizon,     \* last message that is served from the compacted ledger
    compactedTopicContext, \* number of the compacted ledger in use, 0 for none
    \* counters that keep the model finite
    crashTimes,
    consumeTimes

bookieVars == <<messages, compactedLedgers, cursor>>
compactorVars == <<compactorState, phaseOneResult, compactionHorizon, compactedTopicContext>>
otherVars == <<crashTimes, consumeTimes>>
vars == <<bookieVars, compactorVars, otherVars>>

NullKey == 0
NullValue == 0
KeySet == KeySpace \cup {NullKey}
ValueSet == ValueSpace \cup {NullValue}

ConstructMessage(inputId, inputKey, inputValue) ==
    [id |-> inputId, key |-> inputKey, value |-> inputValue]

LOCAL Message == [id: 1..MessageSentLimit, key: KeySet, value: ValueSet]

CompactorState ==
    { Compactor_In_PhaseOne,
      Compactor_In_PhaseTwoWrite,
      Compactor_In_PhaseTwoUpdateContext,
      Compactor_In_PhaseTwoUpdateHorizon,
      Compactor_In_PhaseTwoPersistCusror,
      Compactor_In_PhaseTwoDeleteLedger }

Max(s) == CHOOSE top \in s : {x \in s : x > top} = {}

LOCAL Elements(seq) == {seq[i] : i \in DOMAIN seq}

-------------------------------------------------------------------------------
(* The producer                                                                 *)

Producer ==
    LET place == Len(messages) + 1
    IN  /\ place <= MessageSentLimit
        /\ \E k \in KeySet, v \in ValueSet :
              messages' = Append(messages, ConstructMessage(place, k, v))
        /\ UNCHANGED <<compactedLedgers, cursor, compactorVars, otherVars>>

-------------------------------------------------------------------------------
(* The compactor. Each phase is one step, and the phases follow one another.    *)

LOCAL Proceed(from, to) ==
    /\ compactorState = from
    /\ compactorState' = to

GetKeys(msgs) == {m.key : m \in Elements(msgs)} \ {NullKey}

\* What the scan keeps: how far it read, and the place of the newest message of each key.
LOCAL ScanOf(msgs) ==
    [ readPosition |-> Len(msgs),
      latestForKey |-> [k \in GetKeys(msgs) |-> Max({i \in DOMAIN msgs : msgs[i].key = k})] ]

CompactorPhaseOne ==
    /\ Proceed(Compactor_In_PhaseOne, Compactor_In_PhaseTwoWrite)
    /\ phaseOneResult = Nil
    /\ messages # <<>>
    /\ phaseOneResult' = ScanOf(messages)
    /\ UNCHANGED <<bookieVars, compactionHorizon, compactedTopicContext, otherVars>>

\* Ledgers are numbered upwards; 0 when none is left.
MaxCompactedLedgerId(ledgers) ==
    Max({0} \cup {n \in DOMAIN ledgers : ledgers[n] # Nil})

\* A message goes into the compacted ledger if it is the newest of its key; one without a key
\* competes with nobody, and RetainNullKey decides. (A message's id is its place in the topic.)
CompactMessages(msgs, scan) ==
    SelectSeq(SubSeq(msgs, 1, scan.readPosition),
              LAMBDA m : IF m.key = NullKey THEN RetainNullKey
                                            ELSE scan.latestForKey[m.key] = m.id)

CompactorPhaseTwoWrite ==
    /\ Proceed(Compactor_In_PhaseTwoWrite, Compactor_In_PhaseTwoUpdateContext)
    /\ phaseOneResult # Nil
    /\ LET fresh == MaxCompactedLedgerId(compactedLedgers) + 1
       IN  /\ fresh <= CompactionTimesLimit
           /\ compactedLedgers' =
                 [compactedLedgers EXCEPT ![fresh] = CompactMessages(messages, phaseOneResult)]
    /\ UNCHANGED <<messages, cursor, phaseOneResult, compactionHorizon, compactedTopicContext,
                   otherVars>>

CompactorPhaseTwoUpdateContext ==
    /\ Proceed(Compactor_In_PhaseTwoUpdateContext, Compactor_In_PhaseTwoUpdateHorizon)
    /\ compactedTopicContext' = MaxCompactedLedgerId(compactedLedgers)
    /\ UNCHANGED <<bookieVars, phaseOneResult, compactionHorizon, otherVars>>

CompactorPhaseTwoUpdateHorizon ==
    /\ Proceed(Compactor_In_PhaseTwoUpdateHorizon, Compactor_In_PhaseTwoPersistCusror)
    /\ compactionHorizon' = phaseOneResult.readPosition
    /\ UNCHANGED <<bookieVars, phaseOneResult, compactedTopicContext, otherVars>>

LOCAL Position(horizon, context) ==
    [compactionHorizon |-> horizon, compactedTopicContext |-> context]

CompactorPhaseTwoPersistCusror ==
    /\ Proceed(Compactor_In_PhaseTwoPersistCusror, Compactor_In_PhaseTwoDeleteLedger)
    /\ cursor' = Position(compactionHorizon, compactedTopicContext)
    /\ UNCHANGED <<messages, compactedLedgers, phaseOneResult, compactionHorizon,
                   compactedTopicContext, otherVars>>

\* Only the immediate predecessor of the newest ledger is looked at. An older one that a crash
\* left behind is never found again.
CompactorPhaseTwoDeleteLedger ==
    /\ Proceed(Compactor_In_PhaseTwoDeleteLedger, Compactor_In_PhaseOne)
    /\ phaseOneResult' = Nil
    /\ LET outdated == MaxCompactedLedgerId(compactedLedgers) - 1
       IN  compactedLedgers' = [n \in DOMAIN compactedLedgers |->
                                   IF n = outdated THEN Nil ELSE compactedLedgers[n]]
    /\ UNCHANGED <<messages, cursor, compactionHorizon, compactedTopicContext, otherVars>>

-------------------------------------------------------------------------------
(* The broker, and the consumer                                                 *)

\* The compactor starts over, at the position last saved.
BrokerCrash ==
    /\ crashTimes < MaxCrashTimes
    /\ crashTimes' = crashTimes + 1
    /\ compactorState' = Compactor_In_PhaseOne
    /\ phaseOneResult' = Nil
    /\ LET saved == IF cursor = Nil THEN Position(0, 0) ELSE cursor
       IN  /\ compactionHorizon' = saved.compactionHorizon
           /\ compactedTopicContext' = saved.compactedTopicContext
    /\ UNCHANGED <<bookieVars, consumeTimes>>

\* A placeholder: reading leaves no mark, consumeTimes included.
Consumer == UNCHANGED vars

-------------------------------------------------------------------------------
(* The whole                                                                    *)

\* An empty topic, or any full one.
LOCAL InitMessages ==
    IF ModelProducer
    THEN messages = <<>>
    ELSE \E draft \in [1..MessageSentLimit -> [key: KeySet, value: ValueSet]] :
            messages = [i \in 1..MessageSentLimit |->
                           ConstructMessage(i, draft[i].key, draft[i].value)]

Init ==
    /\ InitMessages
    /\ compactedLedgers = [n \in 1..CompactionTimesLimit |-> Nil]
    /\ cursor = Nil
    /\ compactorState = Compactor_In_PhaseOne
    /\ phaseOneResult = Nil
    /\ compactionHorizon = 0
    /\ compactedTopicContext = 0
    /\ crashTimes = 0
    /\ consumeTimes = 0

\* All messages sent, all ledgers used up: the compactor waits with one compaction too many.
LOCAL Finished ==
    /\ Len(messages) = MessageSentLimit
    /\ MaxCompactedLedgerId(compactedLedgers) = CompactionTimesLimit
    /\ compactorState = Compactor_In_PhaseTwoWrite
    /\ ~ModelConsumer \/ consumeTimes = ConsumeTimesLimit

\* A finished system stutters, so that it is not taken for a deadlock.
Terminating == Finished /\ UNCHANGED vars

Next ==
    \/ ModelProducer /\ Producer
    \/ CompactorPhaseOne
    \/ CompactorPhaseTwoWrite
    \/ CompactorPhaseTwoUpdateContext
    \/ CompactorPhaseTwoUpdateHorizon
    \/ CompactorPhaseTwoPersistCusror
    \/ CompactorPhaseTwoDeleteLedger
    \/ BrokerCrash
    \/ ModelConsumer /\ Consumer
    \/ Terminating

Spec == Init /\ [][Next]_vars

-------------------------------------------------------------------------------
(* Invariants                                                                   *)

TypeSafe ==
    LET Places == 1..Len(messages)
    IN  /\ Elements(messages) \subseteq Message
        /\ \A n \in 1..CompactionTimesLimit :
              compactedLedgers[n] = Nil \/ Elements(compactedLedgers[n]) \subseteq Message
        /\ \/ cursor = Nil
           \/ cursor \in [ compactionHorizon: 1..MessageSentLimit,
                           compactedTopicContext: 1..CompactionTimesLimit ]
        /\ compactorState \in CompactorState
        /\ \/ phaseOneResult = Nil
           \/ /\ phaseOneResult.readPosition \in Places
              /\ Elements(phaseOneResult.latestForKey) \subseteq Places
        /\ compactionHorizon \in 0..MessageSentLimit
        /\ compactedTopicContext \in 0..CompactionTimesLimit
        /\ crashTimes \in 0..MaxCrashTimes

\* At no time are there more than two compacted ledgers: the one in use and the one that is
\* being written or is about to be deleted. This fails: see the README.
CompactedLedgerLeak ==
    Cardinality({n \in 1..CompactionTimesLimit : compactedLedgers[n] # Nil}) < 3

\* Nothing is lost up to the horizon: each message there, except for one without a key that
\* compaction may drop, is in the compacted ledger in use, or a newer one of its key is.
\* (That ledger may already reach beyond the horizon.)
CompactionHorizonCorrectness ==
    \A i \in 1..compactionHorizon :
        \/ messages[i].key = NullKey /\ ~RetainNullKey
        \/ \E m \in Elements(compactedLedgers[compactedTopicContext]) :
              m.key = messages[i].key /\ m.id >= messages[i].id

\* A message without a key is not delivered twice, from the compacted ledger and again from the
\* part of the topic behind the horizon. This fails: see the README.
DuplicateNullKeyMessage ==
    (RetainNullKey /\ compactedTopicContext > 0) =>
        LET uncompacted == {messages[i] : i \in (compactionHorizon + 1)..Len(messages)}
        IN  \A m \in Elements(compactedLedgers[compactedTopicContext]) :
               m.key = NullKey => m \notin uncompacted

-------------------------------------------------------------------------------
(* Liveness. It needs more than Spec, which allows any step never to be taken.  *)

Termination == <>Finished

===============================================================================
