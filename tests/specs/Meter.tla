---- MODULE Meter ----
EXTENDS Naturals, Sequences, TLC
CONSTANTS Most, Limit
VARIABLE level
Init == level = 0
Raise == /\ level < Most
         /\ Assert(level < Limit, "too much")
         /\ level' = level + 1
Watch == /\ Assert(level # 5, <<"at", level>>)
         /\ UNCHANGED level
Next == Raise \/ Watch
Unused == Assert(FALSE, "never reached")
Even == Assert(level # 2, "level " \o ToString(level))
Odd == Assert(level # 1 \/ Limit = 5, "odd") /\ Assert(level # 3, "three")
Twice == Assert(level # 1, "same") /\ Assert(level # 2, "same")
====
