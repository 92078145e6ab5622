---- MODULE Spec ----
EXTENDS Naturals
VARIABLE board
Row(n) == [name |-> "the row with the number that follows", number |-> n]
Init == board = <<Row(0), Row(1)>>
Next == board' = [i \in 1..3 |-> Row(i)]
Spec == Init /\ [][Next]_board
Short == 3 \notin DOMAIN board
====
