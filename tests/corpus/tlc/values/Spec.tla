---- MODULE Spec ----
EXTENDS Naturals, Sequences, TLC
CONSTANTS a, b_1, null
VARIABLES plain, header, frame, lines, wide, underscored, nothing, infinite
vars == <<plain, header, frame, lines, wide, underscored, nothing, infinite>>
Long == "a string that is long enough to wrap"
Init == /\ plain = 0 - 3
        /\ header = "2: <Next line 1, col 1 to line 2, col 2 of module Spec>"
        /\ frame = "@!@!@STARTMSG 2110:1 @!@!@"
        /\ lines = "one\n/\\ plain = 7\t\"two\""
        /\ wide = [k \in 1..3 |-> [first |-> Long, second |-> {<<Long, k>>, <<Long, k + 1>>}]]
        /\ underscored = [k \in {a, b_1} |-> <<Long, Long, Long>>]
        /\ nothing = null
        /\ infinite = SUBSET (1..9)
Next == /\ plain' = plain + 1
        /\ wide' = (1 :> {a} @@ 5 :> {})
        /\ UNCHANGED <<header, frame, lines, underscored, nothing, infinite>>
Spec == Init /\ [][Next]_vars
Negative == plain < 0 - 1
====
