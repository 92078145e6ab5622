---- MODULE WaysInner ----
VARIABLE x
Limit == 1
UsesLimit == Limit
====
