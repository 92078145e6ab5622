------------------------------ MODULE ChainById -------------------------------
(* The chain of ledgers, with the invariant on open ledgers stated on ids.      *)
EXTENDS LedgerChaining

\* At most one of the listed ledgers is open.
OneListedLedgerOpen ==
    \A i, j \in DOMAIN md_llist :
        (md_ledgers[md_llist[i]].open /\ md_ledgers[md_llist[j]].open) => i = j

\* It is the last one.
OnlyLastLedgerOpen ==
    \A i \in DOMAIN md_llist : md_ledgers[md_llist[i]].open => i = Len(md_llist)

===============================================================================
