---- MODULE LivenessRace ----
\* More than one worker and a temporal property: a violation is missed at some runs.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' \in {0, 1}
Once == []((x = 1) => []((x = 0) => [](x = 0)))
Checked == (x = x) ~> (x = x)
====
