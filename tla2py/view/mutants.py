"""What a terminal shows of mutants, and of a specification that was judged."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from tla2py.analysis.grade_model import Grade, Judgement
from tla2py.model.mutant import LeftOut, MutantReport, MutantRow, one_line
from tla2py.mutation.generate import Mutant
from tla2py.mutation.mutate import Mutation
from tla2py.mutation.plan import Trial, check_figures, definition_shares, score, sizes, status_counts
from tla2py.mutation.run import Cost
from tla2py.text import counted, cut, printable
from tla2py.view.layout import number, plain_table, seconds

_WORDS = {
    "survived": "no check notices the change",
    "unknown": "unknown: more states or time than its budget",
}
_MUTANTS_LONGEST = 100


def mutant_list(trial: Trial) -> Iterator[RenderableType]:
    """The mutants of a trial, none of which has run."""
    table = plain_table("mutant", "operator", "definition", "place", "change")
    for each in trial.mutants:
        change = cut(each.words, _MUTANTS_LONGEST)
        table.add_row(each.mutant, each.operator, each.definition, each.place, change)
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


def mutation_view(mutation: Mutation) -> Iterator[RenderableType]:
    """The survivors at their places, and what the statuses add up to."""
    report, store = mutation.report, mutation.store.path
    places = {each.mutant: each for each in mutation.trial.mutants}
    shown = [each for each in report.mutants if each.status in _WORDS]
    for file, some in groupby(shown, lambda row: places[row.mutant].file):
        yield Text(file, "bold")
        yield from _in_source(list(some), places)
    shares = plain_table("definition", "killed")
    for share in definition_shares(report):
        shares.add_row(share.name, f"{share.killed} of {share.of}")
    checks = plain_table("check", "asked", "notices", "alone")
    for check in check_figures(report):
        others = "" if check.alone or not check.kills else "  others notice the same"
        asked = "" if check.asked is None else number(check.asked)
        checks.add_row(check.check, asked, number(check.kills), f"{number(check.alone)}{others}")
    yield from (table for table in (shares, checks) if table.row_count)
    yield from mutation_sums(report)
    yield Text.assemble(("Store  ", "bold"), str(store))
    if any(each.run_id for each in report.mutants):
        yield Text(f'       tla2py query {store} "SELECT * FROM mutants"')  # noqa: S608 - shown, not run


_GRADE_STYLES: dict[Grade, str] = {
    "pass": "green",
    "fail": "red",
    "doubtful": "yellow",
    "not_applicable": "dim",
}
_JUDGED_STYLES = {"good": "bold green", "bad": "bold red", "doubtful": "bold yellow"}


def judgement_lines(name: str, judgement: Judgement) -> Iterator[RenderableType]:
    """The verdict on a specification, and a line for each of its checks; what is not a pass has the command that repeats it."""
    yield Text.assemble((judgement.verdict, _JUDGED_STYLES[judgement.verdict]), f"  {name}")
    grid = Table.grid(padding=(0, 2))
    for each in judgement.checks:
        words = Text(printable(each.words))
        if each.verdict in ("fail", "doubtful") and each.command:
            words.append(f"\n{shlex.join(each.command)}", "dim")
        verdict = Text(each.verdict.replace("_", " "), _GRADE_STYLES[each.verdict])
        grid.add_row(verdict, Text(each.name, "bold"), words)
    yield grid


def _in_source(rows: Sequence[MutantRow], places: Mapping[str, Mutant]) -> Iterator[Text]:
    """The lines of a module that survivors change, each with what they would change."""
    for (definition, line), some in groupby(rows, lambda row: (row.definition, row.line)):
        group = list(some)
        mutant = places[group[0].mutant]
        algorithm = f" (line {mutant.algorithm} of the algorithm)" if mutant.algorithm else ""
        yield Text.assemble((f"{line:>5} ", "dim"), _line(mutant), (f"   {definition}{algorithm}", "dim"))
        for row in group:
            change, status = cut(row.words, _MUTANTS_LONGEST), f"   {_WORDS[row.status]} [{row.mutant}]"
            yield Text.assemble("      ", (f"{row.operator}: ", "yellow"), change, (status, "dim"))


def _line(mutant: Mutant) -> str:
    """The line of the user's file that a mutant changes."""
    try:
        lines = Path(mutant.file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    return lines[mutant.line - 1].rstrip() if mutant.line <= len(lines) else one_line(mutant.edit.before)


def mutation_sums(report: MutantReport) -> Iterator[Text]:
    """What the statuses of mutants add up to."""
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
