-------------------------------- MODULE TLAPS --------------------------------
(* The names of the module TLAPS of the TLA+ proof system, so that TLC reads
   modules with proofs where that is not installed. TLC passes over proofs, so
   none of these means anything here. *)

\* Provers and tactics.
SMT == TRUE
CVC3 == TRUE
CVC4 == TRUE
Yices == TRUE
veriT == TRUE
Zipper == TRUE
Z3 == TRUE
Spass == TRUE
LS4 == TRUE
PTL == TRUE
PropositionalTemporalLogic == TRUE
Zenon == TRUE
SlowZenon == TRUE
SlowerZenon == TRUE
VerySlowZenon == TRUE
SlowestZenon == TRUE
Isa == TRUE
IsaWithSetExtensionality == TRUE
Auto == TRUE
SlowAuto == TRUE
SlowerAuto == TRUE
SlowestAuto == TRUE
Force == TRUE
SlowForce == TRUE
SlowerForce == TRUE
SlowestForce == TRUE
SimplifyAndSolve == TRUE
SlowSimplifyAndSolve == TRUE
SlowerSimplifyAndSolve == TRUE
SlowestSimplifyAndSolve == TRUE
Simplification == TRUE
SlowSimplification == TRUE
SlowerSimplification == TRUE
SlowestSimplification == TRUE
Blast == TRUE
SlowBlast == TRUE
SlowerBlast == TRUE
SlowestBlast == TRUE
AutoBlast == TRUE
AllProvers == TRUE
AllSMT == TRUE
AllIsa == TRUE
SimpleArithmetic == TRUE
ExpandENABLED == TRUE
ExpandCdot == TRUE
AutoUSE == TRUE
Lambdify == TRUE
ENABLEDaxioms == TRUE
LevelComparison == TRUE
Trivial == TRUE

\* The same with a time limit; Isabelle's with a tactic.
SMTT(seconds) == TRUE
CVC3T(seconds) == TRUE
CVC4T(seconds) == TRUE
YicesT(seconds) == TRUE
veriTT(seconds) == TRUE
ZipperT(seconds) == TRUE
Z3T(seconds) == TRUE
SpassT(seconds) == TRUE
LS4T(seconds) == TRUE
ZenonT(seconds) == TRUE
IsaT(seconds) == TRUE
AllProversT(seconds) == TRUE
AllSMTT(seconds) == TRUE
AllIsaT(seconds) == TRUE
IsaM(tactic) == TRUE
IsaMT(tactic, seconds) == TRUE

EnabledWrapper(Op(_)) == FALSE
CdotWrapper(Op(_)) == FALSE

\* Theorems, of which the names are enough.
THEOREM SetExtensionality == TRUE
THEOREM NoSetContainsEverything == TRUE
THEOREM RuleTLA1 == TRUE
THEOREM RuleTLA2 == TRUE
THEOREM RuleINV1 == TRUE
THEOREM RuleINV2 == TRUE
THEOREM RuleWF1 == TRUE
THEOREM RuleWF2 == TRUE
THEOREM RuleSF1 == TRUE
THEOREM RuleSF2 == TRUE
THEOREM RuleInvImplication == TRUE
THEOREM RuleStepSimulation == TRUE
==============================================================================
