"""Rows of expectations that a gate proposes for the configs of a folder, from their names and comments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tla2py.config.read import ConfigFile
from tla2py.gate.decision import Decision, PointDecision
from tla2py.model.outcome import Outcome, Verdict
from tla2py.sweep.sections import ExpectSection
from tla2py.sweep.sweep import Sweep
from tla2py.tables.runs import RunRow
from tla2py.text import cut
from tla2py.toml import toml_string

# Words in the names of configs that are meant to violate something.
_NAMES = frozenset(
    ("bug", "bugs", "buggy", "naive", "broken", "unsafe", "fail", "fails", "violated", "violation")
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# What a comment says of the result: "must violate Safe", "TLC should report a deadlock", "expected to fail".
_COMMENT = re.compile(
    r"\b(?:must|should|shall|has to|expected to|expect TLC to)\s+(?:be\s+)?"
    r"(?:violated?|fail|break|report|find|deadlock|produce an? (?:error|counterexample|violation))\b"
    r"|\b(?:violates|expected (?:violation|failure|counterexample))\b",
    re.IGNORECASE,
)
_LONGEST = 120
_HEADER = """\
# What tla2py gate expects of the configs below this folder; without a row a config has to hold.
# A row with `proposed` is a guess: read it, correct it, and remove that line. Until then the gate is red.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """Why a config is likely to violate something, and which of its checks a comment names."""

    why: str
    names: tuple[str, ...] = ()


def hint_of(config: ConfigFile) -> Hint | None:
    """What the comments of a config, or else its name, say about its result; None if they say nothing."""
    checks = (*config.config.invariants, *config.config.properties)
    for comment in config.statements.tokens.comments:
        if _COMMENT.search(text := " ".join(comment.text.strip("\\*() \n").split())):
            words = set(re.findall(r"\w+", text))
            return Hint(
                why=f"the comment in line {comment.line}: {cut(text, _LONGEST)}",
                names=tuple(name for name in checks if name in words),
            )
    word = next((each for each in _WORD.findall(config.path.stem) if each.lower() in _NAMES), None)
    return None if word is None else Hint(why=f"the name has {word}")


def proposals(sweep: Sweep, decision: Decision) -> list[str]:
    """The rows to propose, as TOML, for points that no row and no EXPECT is about."""
    return [
        _row(point, hint)
        for point in decision.points
        if isinstance(point.expected, ExpectSection)
        and (hint := hint_of(sweep.configs[point.point.parameters["config"]])) is not None
    ]


def write_proposals(path: Path, rows: list[str]) -> None:
    """Add rows to the file of a folder."""
    before = path.read_text(encoding="utf-8") if path.is_file() else _HEADER
    path.write_text("\n".join([before, *rows]), encoding="utf-8")


def _row(point: PointDecision, hint: Hint) -> str:
    config, why = toml_string(point.point.parameters["config"]), toml_string(_why(point.row, hint))
    expected = _expected(point.row, hint)
    return f"[[expect.point]]\nmatch = {{ config = {config} }}\n{expected}\nproposed = {why}\n"


def _expected(row: RunRow | None, hint: Hint) -> str:
    names = hint.names
    if not names and row is not None and row.verdict is Verdict.VIOLATED:
        if row.outcome in (Outcome.VIOLATION_DEADLOCK, Outcome.VIOLATION_ASSERT):
            return f"outcome = {toml_string(row.outcome.value)}"
        names = tuple(row.violated_names)
    if not names:
        return f"verdict = {toml_string(Verdict.VIOLATED.value)}"
    return f"violates = [{', '.join(map(toml_string, names))}]"


def _why(row: RunRow | None, hint: Hint) -> str:
    if row is None:
        return hint.why
    names = f" {', '.join(row.violated_names)}" if row.violated_names else ""
    return f"{hint.why}; the run: {row.verdict.value}{names}"
