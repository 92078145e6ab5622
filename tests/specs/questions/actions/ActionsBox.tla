---- MODULE ActionsBox ----
VARIABLE content
Put(it) == it \notin content /\ content' = content \union {it}
====
