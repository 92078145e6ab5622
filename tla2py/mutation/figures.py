"""What the statuses of mutants add up to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tla2py.mutation.row import STATUSES, MutantReport, MutantRow, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFigures:
    """How many mutants a check notices, and how many of them no other check notices.

    asked: how many mutants ran where it is checked; None for what no config asks, such as an error of evaluation.
    """

    check: str
    asked: int | None
    kills: int
    alone: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How many mutants are killed, of those that could be: killed and survived."""

    name: str
    killed: int
    of: int


def status_counts(report: MutantReport) -> dict[Status, int]:
    """The number of mutants of each status, without statuses that none has."""
    counts = Counter(each.status for each in report.mutants)
    return {status: counts[status] for status in STATUSES if counts[status]}


def score(report: MutantReport) -> Share:
    """The share of killed mutants."""
    return _share("all", list(report.mutants))


def definition_shares(report: MutantReport) -> list[Share]:
    """The share of killed mutants of each definition, in the order of the modules."""
    groups: dict[tuple[str, str], list[MutantRow]] = {}
    for each in report.mutants:
        groups.setdefault((each.module, each.definition), []).append(each)
    names = Counter(name for _, name in groups)
    shares = (
        _share(f"{module}!{name}" if names[name] > 1 else name, rows)
        for (module, name), rows in groups.items()
    )
    return [share for share in shares if share.of]


def check_figures(report: MutantReport) -> list[CheckFigures]:
    """How many mutants each check notices, the checks in the order of the config.

    A mutant runs only until something notices it, so checks of later points are not asked.
    """
    labels = [{killer.label for killer in each.killed_by} for each in _noticed(report)]
    names = dict.fromkeys([*report.checks, *sorted(set().union(*labels))])
    return [
        CheckFigures(
            check=name,
            asked=report.checks.get(name),
            kills=sum(name in found for found in labels),
            alone=sum(found == {name} for found in labels),
        )
        for name in names
    ]


def sizes(report: MutantReport) -> list[tuple[int, int]]:
    """The points that mutants ran at, the smallest first, each with how many mutants die there."""
    counts = Counter(each.point for each in _noticed(report))
    return [(point, counts[point]) for point in report.points]


def _noticed(report: MutantReport) -> list[MutantRow]:
    """The killed mutants, without those of checks."""
    return [
        each
        for each in report.with_status("killed")
        if not any(killer.kind == "mutant" for killer in each.killed_by)
    ]


def _share(name: str, rows: list[MutantRow]) -> Share:
    killed = sum(each.status == "killed" for each in rows)
    return Share(name=name, killed=killed, of=killed + sum(each.status == "survived" for each in rows))
