--------------------------- MODULE MessagePassing ---------------------------
(***************************************************************************)
(* A network that may lose any message and reorder all of them.            *)
(*                                                                         *)
(* messages remembers every message ever sent, as a function from the      *)
(* message to what became of it.  Since a message is a key of that         *)
(* function, the same message is never sent twice; a retry has to differ   *)
(* in some field, for instance in the lac it carries.                      *)
(*                                                                         *)
(* Loss is decided when a message is sent.  The sender of a request sees   *)
(* the loss of it, or of the answer, as a timeout, and may act upon it at  *)
(* any later time.                                                         *)
(*                                                                         *)
(* Every message has the fields type, bookie and cid: each is exchanged    *)
(* between one bookie and one client, in one direction or the other.       *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, FiniteSetsExt, Sequences, SequencesExt, TLC

CONSTANTS AddEntryRequestMessage,   \* model value: a client asks a bookie to store an entry
          AddEntryResponseMessage,  \* model value: the bookie stored it, or refuses because of a fence
          FenceRequestMessage,      \* model value: a recovery client asks for a fence and for the lac
          FenceResponseMessage,     \* model value: the fence is up; carries the lac of the bookie
          ReadRequestMessage,       \* model value: a recovery client asks for one entry
          ReadResponseMessage       \* model value: the entry, or that the bookie does not have it

VARIABLES messages                  \* function from messages to their fate

\* The three fates.
Lost     == -1      \* will never arrive; a timeout waits to be noticed
Done     == 0       \* handled, ignored, or lost and the timeout acted upon
InFlight == 1       \* arrived or about to: whoever it is for may handle it

WriteTypes == {AddEntryRequestMessage, AddEntryResponseMessage}
ReadTypes  == {ReadRequestMessage, ReadResponseMessage}

-----------------------------------------------------------------------------
(* Sending *)

\* Sends all of msgs at once, provided that all are new.  There is one
\* successor for each way to lose some of them, none or all.
SendMessagesToEnsemble(msgs) ==
    /\ msgs \cap DOMAIN messages = {}
    /\ \E fates \in [msgs -> {Lost, InFlight}] : messages' = messages @@ fates

\* A bookie handles a request and answers it, in one step.
Answer(request, response) ==
    /\ messages[request] = InFlight
    /\ response \notin DOMAIN messages
    /\ \E fate \in {Lost, InFlight} :
          messages' = (response :> fate) @@ [messages EXCEPT ![request] = Done]

-----------------------------------------------------------------------------
(* Receiving *)

Receivable(msg, msg_type) ==
    /\ msg.type = msg_type
    /\ messages[msg] = InFlight

\* Add requests and their responses between one client and one bookie are
\* handled in the order of the entries, as on one connection.
InEntryOrder(msg) ==
    LET SameStream(m) == /\ m.bookie = msg.bookie
                         /\ m.cid = msg.cid
                         /\ m.recovery = msg.recovery
    IN  \A m \in DOMAIN messages :
            Receivable(m, msg.type) /\ SameStream(m) => m.entry.id >= msg.entry.id

\* A client takes a response off the network.
Handle(msg) ==
    /\ messages[msg] = InFlight
    /\ messages' = [messages EXCEPT ![msg] = Done]

\* Whether nothing but msg is still on its way between the client that msg
\* is for and these bookies, as far as reads are concerned.
NoOtherReadInFlight(msg, bookies) ==
    \A m \in DOMAIN messages \ {msg} :
        ~ /\ messages[m] = InFlight
          /\ m.type \in ReadTypes
          /\ m.cid = msg.cid
          /\ m.bookie \in bookies

-----------------------------------------------------------------------------
(* Timeouts *)

\* The lost add requests and responses of a client, of its recovery or not.
LostWrites(cid, is_recovery) ==
    { m \in DOMAIN messages : /\ messages[m] = Lost
                              /\ m.type \in WriteTypes
                              /\ m.cid = cid
                              /\ m.recovery = is_recovery }

WriteTimeout(cid, bookie, is_recovery) ==
    \E m \in LostWrites(cid, is_recovery) : m.bookie = bookie

\* The client has acted upon the timeouts of these bookies.
ClearWriteTimeouts(cid, bookies, is_recovery) ==
    LET cleared == { m \in LostWrites(cid, is_recovery) : m.bookie \in bookies }
    IN  messages' = [m \in DOMAIN messages |->
                        IF m \in cleared THEN Done ELSE messages[m]]

\* How many of these bookies have failed to answer some read of the client.
ReadTimeoutCount(cid, bookies) ==
    Quantify(bookies, LAMBDA b :
        \E m \in DOMAIN messages : /\ messages[m] = Lost
                                   /\ m.type \in ReadTypes
                                   /\ m.cid = cid
                                   /\ m.bookie = b)
=============================================================================
