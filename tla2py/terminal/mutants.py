"""Mutants on a terminal: what they cost before they run, and the survivors in the text of the modules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from tla2py.mutation.execution.rounds import Cost
from tla2py.mutation.figures import check_figures, definition_shares, score, sizes, status_counts
from tla2py.mutation.mutant import Mutant, one_line
from tla2py.mutation.row import LeftOut, MutantReport, MutantRow
from tla2py.mutation.trial import Trial
from tla2py.terminal.figures import number, seconds
from tla2py.terminal.layout import plain_table
from tla2py.text import counted, cut

_WORDS = {
    "survived": "no check notices the change",
    "unknown": "unknown: more states or time than its budget",
}
_LONGEST = 100


def mutant_list(trial: Trial) -> Iterator[RenderableType]:
    """The mutants of a trial, none of which has run."""
    table = plain_table("mutant", "operator", "definition", "place", "change")
    for each in trial.mutants:
        table.add_row(each.mutant, each.operator, each.definition, each.place, cut(each.words, _LONGEST))
    yield table
    yield _count_line(trial)


def cost_lines(trial: Trial, costs: Sequence[Cost], left_out: Sequence[LeftOut]) -> Iterator[Text]:
    """What the mutants may cost, by what the original cost."""
    yield _count_line(trial)
    for each in left_out:
        yield Text(f"  point {each.point} ({each.parameters}) is left out: {each.reason}")
    for cost in costs:
        once, most = cost.wall_seconds, cost.wall_seconds * cost.mutants
        yield Text(
            f"  point {cost.point} ({cost.parameters}): {counted(cost.distinct, 'state')}, {seconds(once)}; "
            f"at most {seconds(most)} if all {counted(cost.mutants, 'mutant')} get there"
        )


def _count_line(trial: Trial) -> Text:
    sample = f", a sample of {number(trial.total)}" if trial.total > len(trial.mutants) else ""
    same = f", {number(len(trial.duplicates))} of them with the same text" if trial.duplicates else ""
    return Text(f"{counted(len(trial.mutants), 'mutant')}{sample}{same}", "bold")


def mutation_view(
    report: MutantReport, mutants: Mapping[str, Mutant], store: object
) -> Iterator[RenderableType]:
    """The survivors at their places, and what the statuses add up to."""
    shown = [each for each in report.mutants if each.status in _WORDS]
    places = {each.mutant: mutants[each.mutant] for each in shown if each.mutant in mutants}
    for file, some in groupby(
        shown, lambda row: places[row.mutant].file if row.mutant in places else row.module
    ):
        yield Text(file, "bold")
        yield from _in_source(list(some), places)
    yield from _tables(report)
    yield from _sums(report)
    yield Text.assemble(("Store  ", "bold"), str(store))
    killed = next((each for each in report.mutants if each.run_id), None)
    if killed is not None:
        yield Text(f'       tla2py query {store} "SELECT * FROM mutants"')  # noqa: S608 - shown, not run


def _in_source(rows: Sequence[MutantRow], places: Mapping[str, Mutant]) -> Iterator[Text]:
    """The lines of a module that survivors change, each with what they would change."""
    for (definition, line), some in groupby(rows, lambda row: (row.definition, row.line)):
        group = list(some)
        mutant = places.get(group[0].mutant)
        text = _line(mutant) if mutant is not None else one_line(group[0].before)
        algorithm = f" (line {mutant.algorithm} of the algorithm)" if mutant and mutant.algorithm else ""
        yield Text.assemble((f"{line:>5} ", "dim"), text, (f"   {definition}{algorithm}", "dim"))
        for row in group:
            change = f"{one_line(row.before)} -> {one_line(row.after) or '(nothing)'}"
            yield Text.assemble(
                "      ",
                (f"{row.operator}: ", "yellow"),
                cut(change, _LONGEST),
                (f"   {_WORDS[row.status]} [{row.mutant}]", "dim"),
            )


def _line(mutant: Mutant) -> str:
    """The line of the user's file that a mutant changes."""
    try:
        lines = Path(mutant.file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    return lines[mutant.line - 1].rstrip() if mutant.line <= len(lines) else one_line(mutant.edit.before)


def _tables(report: MutantReport) -> Iterator[Table]:
    shares = plain_table("definition", "killed")
    for share in definition_shares(report):
        shares.add_row(share.name, f"{share.killed} of {share.of}")
    if shares.row_count:
        yield shares
    checks = plain_table("check", "asked", "notices", "alone")
    for check in check_figures(report):
        others = "" if check.alone or not check.kills else "  others notice the same"
        checks.add_row(
            check.check, _number(check.asked), number(check.kills), f"{number(check.alone)}{others}"
        )
    if checks.row_count:
        yield checks


def _number(count: int | None) -> str:
    return "" if count is None else number(count)


def _sums(report: MutantReport) -> Iterator[Text]:
    died = sizes(report)
    words = ", ".join(f"{number(count)} at point {point}" for point, count in died)
    yield Text(f"killed where: {words}")
    if len(died) > 1 and died[-1][1]:
        yield Text(f"{counted(died[-1][1], 'mutant')} noticed only at the largest point, {died[-1][0]}")
    for each in report.left_out:
        yield Text(f"left out: point {each.point} ({each.parameters}): {each.reason}")
    share, counts = score(report), status_counts(report)
    rest = ", ".join(f"{number(count)} {status}" for status, count in counts.items())
    sample = f" (a sample of {number(report.total)})" if report.total > len(report.mutants) else ""
    yield Text(
        f"{share.killed} of {share.of} mutants killed that could be; "
        f"{counted(len(report.mutants), 'mutant')}{sample}: {rest}",
        "bold",
    )
