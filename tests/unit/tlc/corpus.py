"""The corpus of TLC's outputs (see ``tests/corpus/tlc/regenerate.py``), and summaries of results to compare."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

from tla2py.model.outcome import Stats
from tla2py.model.run import RunResult, TerminationReason
from tla2py.model.trace import Location, Trace
from tla2py.tla.value import format_value
from tla2py.tlc.output.messages import iter_messages, plain_to_messages
from tla2py.tlc.output.result import interpret

FOLDER = Path(__file__).parents[2] / "corpus" / "tlc"


@dataclass(frozen=True)
class Case:
    name: str
    version: str
    stdout: bytes
    exit_code: int | None
    arguments: dict[str, Any]
    expected: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.name}-{self.version}"

    def interpret(
        self, stdout: bytes | None = None, ended_by: TerminationReason | None = None, framed: bool = True
    ) -> RunResult:
        """The result of this output or another, with the exit code of this case."""
        lines = (self.stdout if stdout is None else stdout).splitlines(keepends=True)
        return interpret(
            iter_messages(lines) if framed else plain_to_messages(lines),
            exit_code=self.exit_code,
            termination_reason=ended_by,
            bounded=self.arguments.get("stop_after", False) or "mode" in self.arguments,
            candidates={
                "invariant": self.arguments.get("invariants", ()),
                "temporal_property": self.arguments.get("properties", ()),
                "postcondition": self.arguments.get("postconditions", ()),
            },
        )

    @property
    def plain(self) -> bytes | None:
        """The output without ``-tool``, None if the corpus does not have it."""
        path = FOLDER / self.name / f"{self.version}.plain.txt"
        return path.read_bytes() if path.exists() else None


def iter_cases() -> Iterator[Case]:
    for path in sorted(FOLDER.glob("*/expected.json")):
        description = json.loads(path.read_text())
        for version, exit_code in description["exit_code"].items():
            expected = {**description["expected"], **description.get("differs", {}).get(version, {})}
            yield Case(
                name=path.parent.name,
                version=version,
                stdout=(path.parent / f"{version}.txt").read_bytes(),
                exit_code=exit_code,
                arguments=description.get("interpret", {}),
                expected={name: part for name, part in expected.items() if part},
            )


def summary(result: RunResult) -> dict[str, Any]:
    """The parts of a result that are not empty, in short form."""
    named = [item for item in result.coverage if item.kind != "expression"]
    parts = {
        "outcome": result.outcome.value,
        "verdict": result.verdict.value,
        "violations": [[violation.kind, violation.name] for violation in result.violations],
        "traces": [_trace(trace) for trace in result.traces],
        "stats": list(astuple(result.stats)[:4]) if replace(result.stats, initial=None) != Stats() else [],
        "behaviours": result.stats.behaviours,
        "coverage": [
            f"{item.kind} {item.name}:{item.location.begin_line} {item.distinct}:{item.generated}"
            for item in named
        ],
        "diagnostics": [
            f"{diagnostic.severity} {diagnostic.code} {_place(diagnostic.location)}".strip()
            for diagnostic in result.diagnostics
        ],
        "prints": list(result.prints),
    }
    return {name: part for name, part in parts.items() if part}


def _trace(trace: Trace) -> dict[str, Any]:
    last = trace.states[-1]
    assert [state.index for state in trace.states] == list(range(1, len(trace.states) + 1))
    return {
        "of": f"{trace.kind} {trace.name}".strip(),
        "actions": [
            "".join([state.action or "-", *(f" {argument}" for argument in state.action_args or ())])
            for state in trace.states
        ],
        "places": dict(Counter(_place(state.location) for state in trace.states if state.location)),
        "last": {name: format_value(value) for name, value in last.values.items()},
        "ends": "stutters" if trace.stuttering else f"back to {trace.loop_start}" if trace.loop_start else "",
    }


def _place(location: Location | None) -> str:
    return "" if location is None else f"{location.module}:{location.begin_line}:{location.begin_column}"
