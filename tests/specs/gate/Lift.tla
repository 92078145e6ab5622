---- MODULE Lift ----
\* A lift that goes up and down between the ground and its top.
EXTENDS Naturals
CONSTANTS
  Top,    \* the highest floor, a number
  Goal    \* where it is not to stop
VARIABLE floor
Roof == 2
ASSUME Top < 9
Init == floor = 0
Up == floor < Top /\ floor' = floor + 1
Down == floor > 0 /\ floor' = floor - 1
Next == Up \/ Down
Spec == Init /\ [][Next]_floor
Inside == floor \in 0..8
Low == floor < 2
NotThere == floor /= Goal
====
