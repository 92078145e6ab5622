"""TLC's errors at their place in the user's files, with the source line and a caret."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from tla2py.errors import MOST_LINES, Place
from tla2py.explore.view import StoreView
from tla2py.model.outcome import OUTCOME_WORDS, REMEDIES, Diagnostic, Outcome, Verdict
from tla2py.tables.details import first_errors
from tla2py.tables.files import table_files
from tla2py.tables.runs import RunRow
from tla2py.text import counted

# Of a longer line, only the part around the place is shown.
_WIDTH = 100
# At most this many different errors are shown, and points of each.
_MOST = 3
_POINTS = 8
# Remedies for faults in TLC, by the stack frame that reveals them.
_FAULTS = {
    "tlc2.value.impl.MVPerms.permutationSubgroup": (
        "This TLC fails on a symmetry with only one permutation, such as that of a set with one value; TLC 1.7.4 and "
        'newer do not. symmetry = ["Procs"], which names the constants, omits the symmetry if they have one value.'
    )
}


def points_without_answer(view: StoreView, runs: Sequence[RunRow]) -> list[RenderableType]:
    """TLC's errors at the broken and excluded points, and how to get an answer for the inconclusive ones."""
    parts: list[RenderableType] = []
    for verdict, style in ((Verdict.BROKEN, "bold magenta"), (Verdict.EXCLUDED, "bold")):
        errors = errors_with_points(view, runs, verdict)
        for error, points in list(errors.items())[:_MOST]:
            parts += [Text(points_are(points, verdict.value), style), diagnostic_text(error)]
        if len(errors) > _MOST:
            more = counted(len(errors) - _MOST, "more error")
            parts.append(Text(f"and {more}, see the table diagnostics", "dim"))
    unanswered: dict[Outcome, list[int]] = {}
    for run in runs:
        if run.verdict is Verdict.INCONCLUSIVE and not run.simulated:
            unanswered.setdefault(run.outcome, []).append(run.point)
    for outcome, points in unanswered.items():
        sentence = points_are(points, f"inconclusive: {OUTCOME_WORDS[outcome]}")
        parts += [Text(sentence, "bold yellow"), Text(REMEDIES[outcome])]
    return [*parts, ""] if parts else []


def errors_with_points(
    view: StoreView, runs: Sequence[RunRow], verdict: Verdict
) -> dict[Diagnostic, list[int]]:
    """The first errors of the points with a verdict, each with its points."""
    found: dict[Diagnostic, list[int]] = {}
    concerned = [run for run in runs if run.verdict is verdict]
    first = first_errors(table_files(view.store, "diagnostics")) if concerned else {}
    for run in concerned:
        unknown = Diagnostic(code=0, severity="error", text=run.outcome.value)
        found.setdefault(first.get(run.run_id, unknown), []).append(run.point)
    return found


def points_are(points: Sequence[int], what: str) -> str:
    """A sentence such as ``Points 1, 2 are broken``."""
    shown = ", ".join(map(str, points[:_POINTS]))
    more = f" and {len(points) - _POINTS} more" if len(points) > _POINTS else ""
    return f"Points {shown}{more} are {what}" if len(points) > 1 else f"Point {shown} is {what}"


def diagnostics_text(found: Sequence[Diagnostic]) -> list[RenderableType]:
    """The messages with their places; a place is not repeated for a message at the same place."""
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
    """The source line of a place with a caret under its column, or its several lines; empty if they are unknown."""
    line = place.excerpt.replace("\t", " ").rstrip()
    if not line:
        return []
    if "\n" in line:
        # A caret in the first line could point at correct text.
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
