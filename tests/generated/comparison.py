"""A generated model, what running it needs, and how two answers to it compare."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from tests import command
from tests.command import CommandResult
from tests.plain import PlainRun, run_plain_tlc


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Whether tla2py agrees with the reading; ``answer`` names the kind of answer, ``detail`` both answers."""

    agrees: bool
    answer: str
    detail: str


@dataclass(frozen=True, kw_only=True)
class MutantRunner:
    """Where a model is tried: a folder for its files, and a TLC."""

    folder: Path
    jar: Path

    def write(self, name: str, files: Mapping[str, str]) -> Path:
        """Write files to a new folder of this name and return it."""
        place = self.folder / name
        place.mkdir(parents=True)
        for file, text in files.items():
            (place / file).write_text(text)
        return place

    def run_tla2py(self, folder: Path, *args: str) -> CommandResult:
        """Run a command of tla2py in a folder, with the TLC of this bench."""
        return command.run(*args, "--tla2tools", self.jar, cwd=folder)

    def run_reading(self, files: Mapping[str, str], *options: str) -> PlainRun:
        """Return what plain TLC says of the module ``M`` of some files."""
        return run_plain_tlc("M", self.write("reading", files), self.jar, *options)


class GeneratedModel(ABC):
    """A model drawn at random; ``kind`` is the construct that it has."""

    kind: ClassVar[str]

    @abstractmethod
    def compare(self, bench: MutantRunner) -> Comparison:
        """Ask tla2py and the independent reading."""


def gate_reasons(sweep: Mapping[str, Any]) -> set[str]:
    """Return the reasons for which a gate, as JSON, is red; of a finding that is its code."""
    problems = list(sweep["problems"])
    for point in sweep["points"]:
        problems += point["problems"]
    reasons = set()
    for problem in problems:
        if problem["reason"] == "finding":
            reasons.add(problem["subject"].split()[0])
        else:
            reasons.add(problem["reason"])
    return reasons


def counted(run: PlainRun) -> tuple[str, int | None]:
    """Return a verdict of plain TLC with the states that decide it: a violation ends the search early."""
    return run.verdict, run.distinct if run.verdict == "holds" else None


def counted_row(row: Mapping[str, Any]) -> tuple[str, int | None]:
    """Return the same of a row of ``runs``."""
    return row["verdict"], row["distinct"] if row["verdict"] == "holds" else None
