---- MODULE InstancePrimeInner ----
VARIABLE x
Later == x'
====
