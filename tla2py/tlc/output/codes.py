"""TLC's message numbers and exit statuses, and the outcomes that they mean.

The numbers are those of ``tlc2.output.EC``. They mean the same in every TLC from 2.15 (January 2020) to the releases
of 2026, except where a comment says otherwise.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from tla2py.model.outcome import Outcome
from tla2py.model.trace import ViolationKind


class Code(IntEnum):
    """The messages that are read by number; all others are read by level only."""

    # Progress.
    VERSION = 2262
    MODE_CHECK = 2187
    MODE_DEPTH_FIRST = 2271
    MODE_SIMULATE = 2188
    SANY_START = 2220
    SANY_END = 2219
    INITIAL_STATES_START = 2189
    INITIAL_STATES_PROGRESS = 2269
    INITIAL_STATES = 2190
    INITIAL_STATES_DISTINCT = 2191
    SUCCESS = 2193
    FINISHED = 2186

    # Counts.
    STATS = 2199
    STATS_DEPTH_FIRST = 2204
    STATS_SIMULATE = 2210
    PROGRESS = 2200
    PROGRESS_LEVEL = 2205
    PROGRESS_DEPTH_FIRST = 2206
    PROGRESS_SIMULATE = 2209
    DEPTH = 2194

    # Coverage; 2778 and 2779 since the rolling releases after 1.7.
    COVERAGE_START = 2201
    COVERAGE_INIT = 2773
    COVERAGE_ACTION = 2772
    COVERAGE_PROPERTY = 2774
    COVERAGE_CONSTRAINT = 2778
    COVERAGE_VARIABLE = 2779
    COVERAGE_VALUE = 2221
    COVERAGE_VALUE_COST = 2775
    COVERAGE_END = 2202
    COVERAGE_END_OVERHEAD = 2777

    # Traces.
    BEHAVIOR = 2121
    COUNTEREXAMPLE = 2264
    STATE_WITHOUT_ACTION = 2216
    STATE = 2217
    STUTTERING = 2218
    BACK_TO_STATE = 2122
    RECOVER_INITIAL_FAILED = 2123
    RECOVER_NEXT_FAILED = 2117

    # Violations.
    ASSUMPTION_FALSE = 2104
    # Since April 2026, when configs may have several; TLC stops at the first that is false. Earlier rolling releases
    # use 2104 and 2105 for postconditions too.
    POSTCONDITION_FALSE = 2404
    INVARIANT_INITIAL = 2107
    INVARIANT = 2110
    PROPERTY_INITIAL = 2108
    ACTION_PROPERTY = 2112
    # Since March 2026 it names the properties, by reading of TLC's sources: "Temporal property P was violated.",
    # "Temporal properties A and B were violated."
    TEMPORAL_PROPERTY = 2116
    DEADLOCK = 2114
    ASSERT = 2132

    # TLC evaluates a check that reads no variable before it computes the first state. The same message refuses a
    # constraint that reads none.
    CONSTANT_VALUE = 2230
    # A conjunct of the specification or of a property is a definition that is FALSE. TLC says of both that "the spec is
    # trivially false", and computes no state.
    TRIVIALLY_FALSE = 2237

    # Evaluation failures.
    ASSUMPTION_FAILED = 2105
    POSTCONDITION_FAILED = 2405
    INITIAL_STATE_FAILED = 2102
    NESTED_EXPRESSION = 2103
    INITIAL_INCOMPLETE = 2106
    SUCCESSOR_INCOMPLETE = 2109
    SUCCESSOR_INCOMPLETE_LIVENESS = 2148
    NO_NEXT_ACTION = 2115
    FINGERPRINT_FAILED = 2147
    INVARIANT_FAILED = 2111
    INVARIANT_LEVEL = 2146
    ACTION_PROPERTY_FAILED = 2113
    TAUTOLOGY = 2253

    # Warnings.
    SUBSCRIPT_INCOMPLETE = 2140

    # Parse errors.
    PARSING_FAILED = 3002
    PARSING_FAILED_WITH = 2171
    CONFIG_UNREADABLE = 5001
    CONFIG_GENERAL = 5002

    # Other errors.
    GENERAL = 1000
    OUT_OF_MEMORY = 1001
    OUT_OF_MEMORY_INITIAL = 1002
    OUT_OF_MEMORY_LIVENESS = 1003
    STACK_OVERFLOW = 1005


class Meaning(NamedTuple):
    """The outcome of a run whose first error is this message, and the kind of violation, if any."""

    outcome: Outcome
    violation: ViolationKind | None = None


_ASSUMPTION = Outcome.VIOLATION_ASSUMPTION
_LIVENESS = Outcome.VIOLATION_LIVENESS
_SPEC_EVAL = Meaning(Outcome.FAILURE_SPEC_EVAL)
_SAFETY_EVAL = Meaning(Outcome.FAILURE_SAFETY_EVAL)
_CONFIG = Meaning(Outcome.ERROR_CONFIG_PARSE)
_MEMORY = Meaning(Outcome.OUT_OF_MEMORY)

# The config errors that EC.ExitStatus maps to 151, and config syntax errors, which come inside a 1000.
_CONFIG_CODES = (*range(2222, 2246), *range(2272, 2275), 2280, 2281, *range(5001, 5007))

# As EC.ExitStatus.errorConstantToExitStatus maps them, except 1001 to 1005 and config syntax errors, which have no
# exit status of their own. TLC says that a stack overflow is probably an incorrect recursive definition.
MEANINGS: dict[int, Meaning] = {
    Code.ASSUMPTION_FALSE: Meaning(_ASSUMPTION, "assumption"),
    Code.ASSUMPTION_FAILED: Meaning(_ASSUMPTION),
    Code.POSTCONDITION_FALSE: Meaning(_ASSUMPTION, "postcondition"),
    Code.POSTCONDITION_FAILED: Meaning(_ASSUMPTION),
    Code.INVARIANT_INITIAL: Meaning(Outcome.VIOLATION_SAFETY, "invariant"),
    Code.INVARIANT: Meaning(Outcome.VIOLATION_SAFETY, "invariant"),
    Code.PROPERTY_INITIAL: Meaning(_LIVENESS, "temporal_property"),
    Code.ACTION_PROPERTY: Meaning(_LIVENESS, "action_property"),
    Code.ACTION_PROPERTY_FAILED: Meaning(_LIVENESS),
    Code.TEMPORAL_PROPERTY: Meaning(_LIVENESS, "temporal_property"),
    Code.DEADLOCK: Meaning(Outcome.VIOLATION_DEADLOCK, "deadlock"),
    Code.ASSERT: Meaning(Outcome.VIOLATION_ASSERT, "assert"),
    Code.INITIAL_STATE_FAILED: _SPEC_EVAL,
    Code.INITIAL_INCOMPLETE: _SPEC_EVAL,
    Code.NESTED_EXPRESSION: _SPEC_EVAL,
    Code.SUCCESSOR_INCOMPLETE: _SPEC_EVAL,
    Code.SUCCESSOR_INCOMPLETE_LIVENESS: _SPEC_EVAL,
    Code.NO_NEXT_ACTION: _SPEC_EVAL,
    Code.FINGERPRINT_FAILED: _SPEC_EVAL,
    Code.STACK_OVERFLOW: _SPEC_EVAL,
    Code.INVARIANT_FAILED: _SAFETY_EVAL,
    Code.INVARIANT_LEVEL: _SAFETY_EVAL,
    Code.TAUTOLOGY: Meaning(Outcome.FAILURE_LIVENESS_EVAL),
    Code.PARSING_FAILED: Meaning(Outcome.ERROR_SPEC_PARSE),
    Code.PARSING_FAILED_WITH: Meaning(Outcome.ERROR_SPEC_PARSE),
    Code.OUT_OF_MEMORY: _MEMORY,
    Code.OUT_OF_MEMORY_INITIAL: _MEMORY,
    Code.OUT_OF_MEMORY_LIVENESS: _MEMORY,
    **dict.fromkeys(_CONFIG_CODES, _CONFIG),
}

# EC.ExitStatus without its general errors: 255, and 152 and 153, which TLC never returns. 1 is not in it: TLC
# ends with 1 after bad options and exceptions before the run.
EXIT_STATUSES: dict[int, Outcome] = {
    0: Outcome.SUCCESS,
    10: Outcome.VIOLATION_ASSUMPTION,
    11: Outcome.VIOLATION_DEADLOCK,
    12: Outcome.VIOLATION_SAFETY,
    13: Outcome.VIOLATION_LIVENESS,
    14: Outcome.VIOLATION_ASSERT,
    75: Outcome.FAILURE_SPEC_EVAL,
    76: Outcome.FAILURE_SAFETY_EVAL,
    77: Outcome.FAILURE_LIVENESS_EVAL,
    150: Outcome.ERROR_SPEC_PARSE,
    151: Outcome.ERROR_CONFIG_PARSE,
}


ENTRY = -5
"""The code of what tells which entry of a log no behaviour explains, where no line does."""
# Earlier rolling releases than those of 2026 report a postcondition as an assumption.
POSTCONDITIONS = {
    Code.ASSUMPTION_FALSE: Code.POSTCONDITION_FALSE,
    Code.ASSUMPTION_FAILED: Code.POSTCONDITION_FAILED,
}
# The errors that say why a model rejects itself; a counterexample does not.
EXPLAINING = frozenset(
    {
        ENTRY,
        Code.ASSERT,
        Code.CONSTANT_VALUE,
        Code.TRIVIALLY_FALSE,
        *POSTCONDITIONS,
        *POSTCONDITIONS.values(),
    }
)


def meaning(code: int) -> Meaning:
    """The meaning of an error message; numbers that are not in ``MEANINGS`` mean a general error."""
    return MEANINGS.get(code, Meaning(Outcome.ERROR))


OUTCOMES: dict[str, Outcome] = {
    each.violation: each.outcome for each in MEANINGS.values() if each.violation is not None
}
"""The outcome of each kind of violation."""
