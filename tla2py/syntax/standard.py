"""The modules that TLC brings along, and those that people expect it to."""

from __future__ import annotations

# tla2sany/StandardModules in the jars of TLC 2.15, 2.19 and 2.20; 2.15 and 2.19 lack Json, TLCExt and those with a _.
STANDARD_MODULES = frozenset(
    {
        "Bags",
        "FiniteSets",
        "Integers",
        "Json",
        "Naturals",
        "Randomization",
        "RealTime",
        "Reals",
        "Sequences",
        "TLC",
        "TLCExt",
        "Toolbox",
        "_DotTrace",
        "_JsonTrace",
        "_TLAPlusCounterExample",
        "_TLAPlusDebugger",
        "_TLCActionTrace",
        "_TLCTESpec",
        "_TLCTrace",
        "_TLCTracePlain",
    }
)

# github.com/tlaplus/CommunityModules, which is a jar (and a folder of modules) of its own.
COMMUNITY_MODULES = frozenset(
    {
        "BagsExt",
        "Bitwise",
        "Combinatorics",
        "CSV",
        "DifferentialEquations",
        "DyadicRationals",
        "FiniteSetsExt",
        "Folds",
        "Functions",
        "Graphs",
        "GraphViz",
        "HTML",
        "IOUtils",
        "Relation",
        "SequencesExt",
        "ShiViz",
        "Statistics",
        "SVG",
        "UndirectedGraphs",
        "VectorClocks",
    }
)

# What is in no folder here of the library of the TLA+ proof system, and that of Apalache.
PROOF_MODULES = frozenset(
    {
        "FunctionTheorems",
        "BagsTheorems",
    }
)
APALACHE_MODULES = frozenset({"Apalache", "Variants", "Option"})

# What the standard modules define that an expression in a sweep file may use, by module; of Reals and the modules
# around it nothing is here, as TLC evaluates none of it.
_OPERATORS = {
    "Naturals": ["+", "-", "*", "^", "%", "\\div", "<", ">", "<=", ">=", "..", "Nat"],
    "Integers": ["-.", "Int"],
    "Sequences": ["Seq", "Len", "\\o", "Append", "Head", "Tail", "SubSeq", "SelectSeq"],
    "FiniteSets": ["IsFiniteSet", "Cardinality"],
    "Bags": [
        "IsABag",
        "BagToSet",
        "SetToBag",
        "BagIn",
        "EmptyBag",
        "(+)",
        "(-)",
        "BagUnion",
        "SubBag",
        "BagOfAll",
        "BagCardinality",
        "CopiesIn",
        "\\sqsubseteq",
    ],
    "TLC": [
        ":>",
        "@@",
        "Permutations",
        "SortSeq",
        "RandomElement",
        "Any",
        "ToString",
        "TLCEval",
        "TLCGet",
        "TLCSet",
        "Print",
        "PrintT",
        "Assert",
        "JavaTime",
    ],
    "Randomization": ["RandomSubset", "RandomSetOfSubsets", "RandomSubsetSet", "TestRandomSetOfSubsets"],
    "TLCExt": [
        "AssertError",
        "AssertEq",
        "Trace",
        "CounterExample",
        "ToTrace",
        "PickSuccessor",
        "TLCModelValue",
        "TLCCache",
        "TLCFP",
        "TLCDefer",
        "TLCNoOp",
    ],
    "Json": [
        "ToJson",
        "ToJsonArray",
        "ToJsonObject",
        "JsonSerialize",
        "JsonDeserialize",
        "ndJsonSerialize",
        "ndJsonDeserialize",
    ],
}
_MODULE_OF = {operator: module for module, operators in _OPERATORS.items() for operator in operators}


def standard_module_of(name: str) -> str | None:
    """Return the standard module that defines a name or symbol, None where none does."""
    return _MODULE_OF.get(name)
