r"""Expectations in a config: a comment ``\* EXPECT SafetyFailure``, or the statement ``_EXPECT SAFETY_VIOLATION``.

Both were proposed for TLC (tlaplus issue 1192 and pull request 1269), with these names of results. An addition here: the
names of the violated definitions may follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tla2py.errors import InputError
from tla2py.model.outcome import Outcome, Verdict
from tla2py.syntax.offsets import line_and_column

_EXPECT = re.compile(r"^(?:[^\n]*?\\\*+[ \t]*_?|[ \t]*_)EXPECT\b:?(?P<result>[^\n]*)", re.MULTILINE)
_RESULTS: dict[str, Outcome | Verdict] = {
    "success": Verdict.HOLDS,
    "noviolation": Verdict.HOLDS,
    "holds": Verdict.HOLDS,
    "violated": Verdict.VIOLATED,
    "runtimeerror": Verdict.BROKEN,
    "safety": Outcome.VIOLATION_SAFETY,
    "deadlock": Outcome.VIOLATION_DEADLOCK,
    "liveness": Outcome.VIOLATION_LIVENESS,
    "stuttering": Outcome.VIOLATION_LIVENESS,
    "assumption": Outcome.VIOLATION_ASSUMPTION,
    "assert": Outcome.VIOLATION_ASSERT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigExpectation:
    """An expected verdict or outcome, the names of the violated definitions if given, and the place."""

    result: Verdict | Outcome
    violates: tuple[str, ...]
    where: str


def result_of(words: str) -> Verdict | Outcome | None:
    """The result of a name in any spelling: ``SafetyFailure``, ``safety failure``, ``SAFETY_VIOLATION``."""
    key = re.sub(r"[^a-z]", "", words.lower())
    return _RESULTS.get(key) or _RESULTS.get(re.sub(r"(failure|violation)$", "", key))


def config_expectation(text: str, path: Path) -> ConfigExpectation | None:
    """The expectation in a config, None without one.

    Raises InputError (``config-expect``) for an unknown result and for a second expectation.
    """
    found = list(_EXPECT.finditer(text))
    if not found:
        return None
    places = [_place(text, path, match) for match in found]
    if len(found) > 1:
        raise InputError("config-expect", "a second EXPECT", where=places[1], hint="keep one of them")
    words = re.split(r"[\s,]+", found[0]["result"].partition("\\*")[0].strip())
    result = result_of(words[0])
    if result is None:
        raise InputError(
            "config-expect",
            f"EXPECT {words[0]}".strip() + " is not a result of TLC",
            where=places[0],
            hint="one of: Success, SafetyFailure, LivenessFailure, StutteringFailure, DeadlockFailure, "
            "AssumptionFailure, AssertFailure, RuntimeErrorFailure",
        )
    return ConfigExpectation(result=result, violates=_names(words[1:], places[0]), where=places[0])


def _names(words: Iterable[str], where: str) -> tuple[str, ...]:
    names = tuple(word for word in words if word)
    for name in names:
        if not re.fullmatch(r"\w+", name):
            raise InputError(
                "config-expect",
                f"not a name: {name}",
                where=where,
                hint="after the result write only names, as in EXPECT SafetyFailure TypeOK",
            )
    return names


def _place(text: str, path: Path, match: re.Match[str]) -> str:
    line, column = line_and_column(text, text.rindex("EXPECT", match.start(), match.start("result")))
    return f"{path}:{line}:{column}"
