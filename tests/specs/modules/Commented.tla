---- MODULE Commented ----
\* Sizes of the model
CONSTANTS
    Servers,   \* the set of servers
    \* how often
    \* leaders change
    MaxTerm,
    Nil        (* stands for
                  nothing *)
CONSTANT Lone (* alone *)

(***************************)
(* In a box,               *)
(* two lines of it.        *)
(***************************)
CONSTANT Boxed
CONSTANTS First, Second \* both of them
====
