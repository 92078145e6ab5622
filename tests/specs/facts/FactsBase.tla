---- MODULE FactsBase ----
EXTENDS Naturals
VARIABLE x
LEMMA Low == x \in 0..3
====
