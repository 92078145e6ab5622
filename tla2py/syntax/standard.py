"""The modules and operators that TLC includes, and the modules of well-known libraries."""

from __future__ import annotations

# Lists of words are easier to read than one string a line.
# ruff: noqa: SIM905

# tla2sany/StandardModules in the jars of TLC 2.15, 2.19, 2.20 and those of 2026; 2.15 and 2.19 lack Json, TLCExt and
# those with a _.
STANDARD_MODULES = frozenset(
    (
        "Bags FiniteSets Integers Json Naturals Randomization RealTime Reals Sequences TLC TLCExt Toolbox _DotTrace "
        "_JsonTrace _Possible _TLAPlusCounterExample _TLAPlusDebugger _TLCActionTrace _TLCTESpec _TLCTrace _TLCTracePlain"
    ).split()
)

# github.com/tlaplus/CommunityModules, a jar and a folder of modules.
COMMUNITY_MODULES = frozenset(
    (
        "BagsExt Bitwise Combinatorics CSV DifferentialEquations DyadicRationals FiniteSetsExt Folds Functions Graphs "
        "GraphViz HTML IOUtils Relation SequencesExt ShiViz Statistics SVG UndirectedGraphs VectorClocks"
    ).split()
)

# Modules of the TLA+ proof system that tla2py does not include, and those of Apalache.
PROOF_MODULES = frozenset({"FunctionTheorems", "BagsTheorems"})
APALACHE_MODULES = frozenset({"Apalache", "Variants", "Option"})

# The operators of the standard modules that an expression in a sweep file may use. TLC evaluates none of Reals.
_OPERATORS = {
    "Naturals": r"+ - * ^ % \div < > <= >= .. Nat",
    "Integers": "-. Int",
    "Sequences": r"Seq Len \o Append Head Tail SubSeq SelectSeq",
    "FiniteSets": "IsFiniteSet Cardinality",
    "Bags": r"IsABag BagToSet SetToBag BagIn EmptyBag (+) (-) BagUnion SubBag BagOfAll BagCardinality CopiesIn \sqsubseteq",
    "TLC": ":> @@ Permutations SortSeq RandomElement Any ToString TLCEval TLCGet TLCSet Print PrintT Assert JavaTime",
    "Randomization": "RandomSubset RandomSetOfSubsets RandomSubsetSet TestRandomSetOfSubsets",
    "TLCExt": "AssertError AssertEq Trace CounterExample ToTrace PickSuccessor TLCModelValue TLCCache TLCFP TLCDefer TLCNoOp",
    "Json": "ToJson ToJsonArray ToJsonObject JsonSerialize JsonDeserialize ndJsonSerialize ndJsonDeserialize",
}
_MODULE_OF = {operator: module for module, operators in _OPERATORS.items() for operator in operators.split()}


def standard_module_of(name: str) -> str | None:
    """The standard module that defines a name or symbol, None if there is none."""
    return _MODULE_OF.get(name)
