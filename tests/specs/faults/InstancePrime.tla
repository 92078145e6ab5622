---- MODULE InstancePrime ----
\* ENABLED of an expression with a primed variable of an instance.
VARIABLE a
Inner == INSTANCE InstancePrimeInner WITH x <- a
Init == a = 0
Next == UNCHANGED a
Possible == ENABLED (Inner!Later \in {0, 1})
====
