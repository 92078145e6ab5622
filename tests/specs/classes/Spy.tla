---- MODULE Spy ----
Try(what, with) == ""
====
