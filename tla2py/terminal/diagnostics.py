"""What TLC complains of, at the place in what the user wrote, with the line and a caret under it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from tla2py.errors import MOST_LINES, Place
from tla2py.explore.view import StoreView
from tla2py.model.outcome import OUTCOME_WORDS, REMEDIES, Diagnostic, Outcome, Verdict
from tla2py.tables.details import first_errors
from tla2py.tables.runs import RunRow

# A line longer than this is shown around the place.
_WIDTH = 100
# How many different complaints are shown, and how many points of each.
_MOST = 3
_POINTS = 8
# Where a fault of TLC's own shows, and what to do about it.
_FAULTS = {
    "tlc2.value.impl.MVPerms.permutationSubgroup": (
        "This TLC cannot take a symmetry of one permutation alone, as of a set of one value; TLC 1.7.4 and newer can. "
        'Named by its constants, as in symmetry = ["Procs"], a symmetry is left out where these have one value.'
    )
}


def points_without_answer(view: StoreView, runs: Sequence[RunRow]) -> list[RenderableType]:
    """What TLC says of the points that are broken or excluded, and how to get an answer from those that met a limit."""
    parts: list[RenderableType] = []
    for verdict, style in ((Verdict.BROKEN, "bold magenta"), (Verdict.EXCLUDED, "bold")):
        said = complaints(view, runs, verdict)
        for complaint, points in list(said.items())[:_MOST]:
            parts += [Text(points_are(points, verdict.value), style), diagnostic_text(complaint)]
        if len(said) > _MOST:
            parts.append(Text(f"and {len(said) - _MOST} complaints more, see the table diagnostics", "dim"))
    unanswered: dict[Outcome, list[int]] = {}
    for run in runs:
        if run.verdict is Verdict.INCONCLUSIVE:
            unanswered.setdefault(run.outcome, []).append(run.point)
    for outcome, points in unanswered.items():
        said_so = points_are(points, f"inconclusive: {OUTCOME_WORDS[outcome]}")
        parts += [Text(said_so, "bold yellow"), Text(REMEDIES[outcome])]
    return [*parts, ""] if parts else []


def complaints(view: StoreView, runs: Sequence[RunRow], verdict: Verdict) -> dict[Diagnostic, list[int]]:
    """The first error of every point that has a verdict, broken or excluded, each with the points that have it."""
    said: dict[Diagnostic, list[int]] = {}
    concerned = [run for run in runs if run.verdict is verdict]
    first = first_errors(view.store.table("diagnostics")) if concerned else {}
    for run in concerned:
        nothing = Diagnostic(code=0, severity="error", text=run.outcome.value)
        said.setdefault(first.get(run.run_id, nothing), []).append(run.point)
    return said


def points_are(points: Sequence[int], what: str) -> str:
    """Which points are broken, or excluded, in words."""
    shown = ", ".join(map(str, points[:_POINTS]))
    more = f" and {len(points) - _POINTS} more" if len(points) > _POINTS else ""
    return f"Points {shown}{more} are {what}" if len(points) > 1 else f"Point {shown} is {what}"


def diagnostics_text(found: Sequence[Diagnostic]) -> list[RenderableType]:
    """Each with its place; where TLC was, at the place of the error it tells of, without naming that again."""
    befores = [None, *(each.place for each in found)]
    return [
        Text(each.text.strip(), "magenta") if each.place and each.place == before else diagnostic_text(each)
        for each, before in zip(found, befores, strict=False)
    ]


def diagnostic_text(found: Diagnostic) -> RenderableType:
    """The place, TLC's whole message, and the line with a caret."""
    message = Text(found.text.strip(), "magenta")
    if found.place is None:
        known = [Text(remedy) for frame, remedy in _FAULTS.items() if frame in found.text]
        return Group(message, *known)
    return Group(Text.assemble((f"{found.place}: ", "bold"), message), *excerpt_lines(found.place))


def excerpt_lines(place: Place) -> list[Text]:
    """The line of a place with a caret under its column, or its lines; nothing where they are not known."""
    line = place.excerpt.replace("\t", " ").rstrip()
    if not line:
        return []
    if "\n" in line:
        # A caret at the first would point at what need not be wrong.
        numbers = [f"{(place.line or 1) + n:>5}" for n in range(MOST_LINES)] + [" " * 5]
        pairs = zip(numbers, line.split("\n"), strict=False)
        return [Text.assemble((f"{number} | ", "dim"), each[:_WIDTH]) for number, each in pairs]
    column = place.column or 0
    start = max(column - _WIDTH // 2, 0) if len(line) > _WIDTH else 0
    shown = line[start : start + _WIDTH]
    gutter = f"{place.line:>5} | " if place.line else "      | "
    lines = [Text.assemble((gutter, "dim"), shown)]
    if column:
        lines.append(
            Text.assemble((" " * (len(gutter) - 2) + "| ", "dim"), " " * (column - 1 - start), ("^", "bold"))
        )
    return lines
