---- MODULE Tla2pyLog ----
\* Written for tla2py: each run has its own.
Tla2py_Lines(path) == <<>>
Tla2py_Value(path) == <<>>
Tla2py_Environment == [LC_ALL |-> ""]
====
