---- MODULE InstanceSubstituted ----
\* The config substitutes a definition that comes through INSTANCE.
EXTENDS Naturals
VARIABLE x
INSTANCE InstanceSubstitutedBase
Fewer == {0, 2}
Small == x < 4
====
