-------------------------------- MODULE Util --------------------------------
\* The extremes of a finite nonempty set of numbers, and the image of a function.
EXTENDS Integers

Max(set) == CHOOSE top \in set : ~ \E other \in set : other > top

Min(set) == CHOOSE bottom \in set : ~ \E other \in set : other < bottom

Range(fn) == {fn[arg] : arg \in DOMAIN fn}
=============================================================================
