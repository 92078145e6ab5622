----------------------------- MODULE IdSequence -----------------------------
\* Numbers handed out once each, in order, from 0 up to MaxId. Leader epochs and
\* record ids both come from an instance of this module.
EXTENDS Integers

CONSTANT MaxId      \* the last id there is: a number

ASSUME MaxId \in Nat

VARIABLE nextId     \* the id to be handed out next; MaxId + 1 when none is left

IdSet == 0 .. MaxId

\* The step that hands out id, possible for the one id whose turn it is.
NextId(id) ==
    /\ nextId = id
    /\ MaxId >= nextId
    /\ nextId' = id + 1

\* The id whose turn it is.
GetNextId == CHOOSE id \in IdSet : nextId = id

-----------------------------------------------------------------------------
Init == nextId = 0

Next == \E id \in IdSet : NextId(id)

Spec == Init /\ [][Next]_nextId

TypeOk == nextId \in 0 .. (MaxId + 1)

THEOREM Spec => []TypeOk
=============================================================================
