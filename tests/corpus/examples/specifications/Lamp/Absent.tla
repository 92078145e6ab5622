---- MODULE Absent ----
\* It needs a module that does not come with TLC.
EXTENDS Lamp, FiniteSetsExt
====
