"""The answers about mutants: a row of the table ``mutants`` each, and the report of a sweep."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

import msgspec

from tla2py.model.trace import label_of

Status = Literal["killed", "survived", "equivalent", "duplicate", "stillborn", "unknown"]
STATUSES: tuple[Status, ...] = get_args(Status)


def one_line(text: str) -> str:
    """A text on one line, white space collapsed."""
    return " ".join(text.split())


def change_words(before: str, after: str) -> str:
    """A change on one line."""
    return f"{one_line(before)} -> {one_line(after) or '(nothing)'}"


class Killer(msgspec.Struct, frozen=True):
    """A check that a mutant violates: its kind and its name, as in ``violated`` of ``runs``."""

    kind: str
    name: str

    @property
    def label(self) -> str:
        """What it is called, see ``label_of``; a kind with spaces."""
        return label_of(self.kind.replace("_", " "), self.name)


class MutantRow(msgspec.Struct, frozen=True, kw_only=True):
    """A mutant and its status: a row of ``mutants``, whose columns are annotated as those of ``RunRow`` are."""

    mutant: Annotated[str, "digest of the changed definition and the change"]
    operator: Annotated[str, "the mutation operator"]
    definition: Annotated[str, "the changed definition"]
    module: Annotated[str, "its module"]
    line: Annotated[int, "int32", "line of the change in the user's file, from 1"]
    column: Annotated[int, "int32", "column of the change, from 1"]
    before: Annotated[str, "the text that is replaced"]
    after: Annotated[str, "what takes its place"]
    status: Annotated[Status, "killed, survived, equivalent, duplicate, stillborn or unknown"]
    killed_by: Annotated[tuple[Killer, ...], "the checks that notice the change: kind and name"] = ()
    point: Annotated[int | None, "int32", "the smallest point of the sweep that kills it"] = None
    trace_length: Annotated[int | None, "int32", "number of states of the counterexample there"] = None
    run_id: Annotated[str | None, "the run that kills it"] = None

    @property
    def words(self) -> str:
        """The change on one line."""
        return change_words(self.before, self.after)


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """A point that no mutant runs at, and why."""

    point: int
    parameters: str
    reason: str


class MutantReport(msgspec.Struct, frozen=True, kw_only=True):
    """The answers about all mutants of a sweep.

    ``points`` are those that mutants ran at, the smallest first. ``checks`` has the labels of what they check, each with the
    number of mutants that ran where it is checked. ``total`` counts the mutants that were left after ``--operators`` and ``--actions``, before a sample was drawn.
    """

    sweep: str
    mutants: tuple[MutantRow, ...]
    points: tuple[int, ...]
    left_out: tuple[LeftOut, ...] = ()
    checks: dict[str, int] = {}
    total: int = 0

    def with_status(self, status: Status) -> list[MutantRow]:
        """The mutants with a status."""
        return [each for each in self.mutants if each.status == status]
