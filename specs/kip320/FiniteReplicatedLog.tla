------------------------ MODULE FiniteReplicatedLog ------------------------
\* One bounded log for each replica. A log is filled from offset 0 upwards and is
\* cut from the top; the slots at and above its end offset hold Nil.
EXTENDS Integers

CONSTANTS
    Replicas,       \* the owners of the logs: a set of model values
    LogRecords,     \* what can be stored in a slot: a set
    Nil,            \* marks an empty slot, no member of LogRecords: a model value
    LogSize         \* slots of each log: a number

VARIABLE logs       \* for each replica, its end offset and the contents of its slots

Offsets == 0 .. (LogSize - 1)

MaxOffset == LogSize - 1

StartOffset == 0

-----------------------------------------------------------------------------
(* Logs as values *)

LOCAL EmptyLog == [endOffset |-> StartOffset, records |-> [slot \in Offsets |-> Nil]]

LOCAL Pushed(log, record) ==
    [log EXCEPT !.endOffset = @ + 1, !.records = [@ EXCEPT ![log.endOffset] = record]]

LOCAL CutAt(log, end) ==
    [endOffset |-> end,
     records   |-> [slot \in Offsets |-> IF slot >= end THEN Nil ELSE log.records[slot]]]

-----------------------------------------------------------------------------
(* What can be asked of a replica's log *)

GetEndOffset(replica) == logs[replica].endOffset

IsEndOffset(replica, offset) == offset = GetEndOffset(replica)

IsEmpty(replica) == IsEndOffset(replica, StartOffset)

IsFull(replica) == IsEndOffset(replica, LogSize)

HasOffset(replica, offset) == GetEndOffset(replica) > offset

GetRecordAtOffset(replica, offset) == logs[replica].records[offset]

HasEntry(replica, record, offset) ==
    HasOffset(replica, offset) /\ GetRecordAtOffset(replica, offset) = record

IsLatestEntry(replica, record, offset) ==
    IsEndOffset(replica, offset + 1) /\ HasEntry(replica, record, offset)

IsLatestRecord(replica, record) ==
    ~ IsEmpty(replica) /\ HasEntry(replica, record, GetEndOffset(replica) - 1)

GetLatestRecord(replica) ==
    IF GetEndOffset(replica) > StartOffset
    THEN GetRecordAtOffset(replica, GetEndOffset(replica) - 1)
    ELSE Nil

GetAllEntries(replica) ==
    {[offset |-> slot, record |-> GetRecordAtOffset(replica, slot)] :
        slot \in {filled \in Offsets : HasOffset(replica, filled)}}

-----------------------------------------------------------------------------
(* What can be done to it *)

\* The caller names the offset, and must have it right: a log has no holes.
Append(replica, record, offset) ==
    /\ IsEndOffset(replica, offset)
    /\ ~ IsFull(replica)
    /\ logs' = [logs EXCEPT ![replica] = Pushed(@, record)]

\* Cutting at the end offset itself is allowed and changes nothing; a log is never extended.
TruncateTo(replica, newEndOffset) ==
    /\ GetEndOffset(replica) >= newEndOffset
    /\ logs' = [logs EXCEPT ![replica] = CutAt(@, newEndOffset)]

\* Copies the one record that toReplica lacks next, whatever lies below it.
ReplicateTo(fromReplica, toReplica) ==
    LET wanted == GetEndOffset(toReplica)
    IN  /\ HasOffset(fromReplica, wanted)
        /\ Append(toReplica, GetRecordAtOffset(fromReplica, wanted), wanted)

-----------------------------------------------------------------------------
(* The logs on their own, without any protocol *)

Init == logs = [replica \in Replicas |-> EmptyLog]

Next == \E replica \in Replicas :
    \/ \E record \in LogRecords, offset \in Offsets : Append(replica, record, offset)
    \/ \E offset \in Offsets : TruncateTo(replica, offset)
    \/ \E target \in Replicas \ {replica} : ReplicateTo(replica, target)

Spec == Init /\ [][Next]_logs

\* The right shape first, then: records below the end offset, Nil from there on.
LOCAL WellFormed(log) ==
    /\ log \in [endOffset : Offsets \union {LogSize},
                records   : [Offsets -> LogRecords \union {Nil}]]
    /\ \A slot \in Offsets :
        IF slot < log.endOffset THEN log.records[slot] \in LogRecords
                                ELSE log.records[slot] = Nil

TypeOk == \A replica \in Replicas : WellFormed(logs[replica])

THEOREM Spec => []TypeOk
=============================================================================
