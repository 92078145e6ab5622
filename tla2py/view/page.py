"""The page of a store: the explorer, and below it tables of actions, errors, logs and mutants, and charts of growth."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from string import ascii_uppercase

from markdown_it import MarkdownIt

from tla2py.analysis.charts import Growth, Series, make_growth
from tla2py.analysis.points import GridPoint, action_counts, varying
from tla2py.analysis.view import StoreView
from tla2py.errors import InputError
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.model.trace_text import trace_text
from tla2py.mutation.plan import check_figures, definition_shares
from tla2py.store.fragments import read_rows
from tla2py.store.read import start_days, unmatched_lines
from tla2py.store.refresh import table_files
from tla2py.version import __version__
from tla2py.view.counterexamples import NO_LANES, LaneOptions
from tla2py.view.explorer import packed, source_lines, store_data
from tla2py.view.markup import STYLE, templates
from tla2py.view.mutants import mutation_sums
from tla2py.view.server import bundle, content_policy
from tla2py.view.tools import errors_with_points, excerpt_lines, points_are

# More curves cannot be told apart; longer names go into a legend.
_MOST_CURVES = 5
_LONGEST = 22


def growth_charts(view: StoreView, points: Sequence[GridPoint]) -> Iterator[dict[str, object]]:
    """The growth of states and time along each parameter whose values are numbers or sets."""
    for parameter in varying(points):
        for value in ("distinct", "wall_seconds"):
            try:
                growth = make_growth(view, parameter, value)
            except InputError:
                continue
            curves = [one for one in growth.series if len(one.numbers) > 1]
            if curves:
                yield _chart(growth, curves, varying(points))


def _chart(growth: Growth, found: Sequence[Series], parameters: Sequence[str]) -> dict[str, object]:
    # The curves that reach the largest numbers.
    curves = sorted(found, key=lambda one: -one.numbers[-1])[:_MOST_CURVES]
    differ = [name for name in curves[0].fixed if len({one.fixed[name] for one in curves}) > 1]
    names = differ or [name for name in parameters if name != growth.parameter]
    labels = [replace(one, fixed={name: one.fixed[name] for name in names}).label for one in curves]
    legend = labels if max(map(len, labels)) > _LONGEST else []
    drawn = curves_chart(dict(zip(ascii_uppercase if legend else labels, curves, strict=False)))
    title, left = f"{growth.value} by {growth.parameter}", len(found) - len(curves)
    return {"title": title, "parameter": growth.parameter, "legend": legend, "left": left, **drawn}


# The area of the curves, and how far apart the labels at their ends are.
_ACROSS, _DOWN = 392.0, 250.0
_APART = 13.0


def curves_chart(curves: Mapping[str, Series]) -> dict[str, object]:
    """Labelled curves with a logarithmic y axis, as ``pictures.svg.j2`` draws them."""
    numbers = [number for one in curves.values() for number in one.numbers]
    sizes = {size: text for one in curves.values() for size, text in zip(one.sizes, one.values, strict=True)}
    low = math.floor(math.log10(min(numbers)))
    high = max(math.ceil(math.log10(max(numbers))), low + 1)
    first, last = min(sizes), max(sizes)

    def across(size: float) -> float:
        return _ACROSS * ((size - first) / (last - first) if last > first else 0.5)

    def down(number: float) -> float:
        return _DOWN * (high - math.log10(number)) / (high - low)

    drawn: list[dict[str, object]] = []
    ends: list[tuple[float, float]] = []
    for label, one in curves.items():
        pairs = zip(one.sizes, one.numbers, strict=True)
        places = [(across(size), down(number), f"{number:,.0f}") for size, number in pairs]
        x, y = places[-1][0] + 10, places[-1][1] + 4
        while any(abs(y - other) < _APART and abs(x - beside) < _ACROSS / 2 for beside, other in ends):
            y += _APART
        ends.append((x, y))
        drawn.append({"label": label, "places": places, "end": (x, y)})
    return {
        "across": _ACROSS,
        "down": _DOWN,
        "levels": [(down(10.0**power), f"{10.0**power:,.10g}") for power in range(low, high + 1)],
        "sizes": [(across(size), text) for size, text in sorted(sizes.items())],
        "curves": drawn,
    }


def _errors(view: StoreView) -> Iterator[tuple[str, str]]:
    """The first errors of the broken and excluded points, each once: its points, and its text with its place."""
    for verdict in (Verdict.BROKEN, Verdict.EXCLUDED):
        for error, points in errors_with_points(view, view.run_rows, verdict).items():
            lines = [error.text]
            if error.place is not None:
                lines = [f"{error.place}: {error.text}", *(line.plain for line in excerpt_lines(error.place))]
            yield points_are(points, verdict.value), "\n".join(lines)


_ORDER = (Verdict.VIOLATED, Verdict.BROKEN, Verdict.INCONCLUSIVE, Verdict.EXCLUDED, Verdict.HOLDS)
_COLUMNS = ("run_id", "point", "file", "verdict", "matched", "lines", "said", "first_unmatched")


def _logs(view: StoreView) -> list[dict[str, object]]:
    """A row per log: how much of it some behaviour explains, and the first line that none does."""
    files = table_files(view.store, "logs")
    texts = unmatched_lines(files, table_files(view.store, "log_lines"))
    found = [dict(zip(_COLUMNS, row, strict=True)) for row in read_rows(files, _COLUMNS)]
    for row in found:
        row["text"] = texts[row["run_id"]].text if row["run_id"] in texts else ""
    return sorted(found, key=lambda row: _ORDER.index(Verdict(row["verdict"])))


_FOLDER = Path(__file__).parent
# Notes with more characters are folded.
_BRIEF = 4000


def report_page(
    view: StoreView,
    *,
    notes: str = "",
    notes_folder: Path = Path(),
    target: Path = Path(),
    lanes: LaneOptions = NO_LANES,
    other: StoreView | None = None,
) -> str:
    """A store's page, compared with ``other``, to be written to the folder ``target``.

    ``notes`` are Markdown for its top, whose links are relative to ``notes_folder``. Counterexamples are laid out by the
    arguments ``lanes``. Raises InputError as ``Trace.lanes`` does, if lanes or messages were requested.
    """
    data = store_data(view, lanes, other=other)
    points, names = data.points, varying(data.points)
    parameters = points[0].parameters if points else {}
    style = STYLE + (_FOLDER / "page.css").read_text(encoding="utf-8") + bundle("explorer.css")
    script = bundle("page.js")
    mutants = view.store.mutants()
    template = templates().get_template("page.html.j2")
    return template.render(
        name=view.manifest.name,
        modules=view.manifest.modules,
        version=__version__,
        tlc=_span(_tools(point.run) for point in points),
        begun=_span(start_days(table_files(view.store, "runs"))),
        collisions=list(_collisions(view.run_rows)),
        summary=data.overview["summary"],
        findings=view.findings,
        laws=[each for each in data.explained if each.telling],
        same={name: text for name, text in parameters.items() if name not in names},
        style=style,
        script=script,
        policy=content_policy(script, style),
        overview=packed(data.overview),
        chunks=[packed(chunk) for chunk in data.chunks()],
        notes=_markdown(notes, notes_folder, target),
        brief=len(notes) < _BRIEF,
        logs=_logs(view),
        mutants=mutants,
        survivors=mutants.with_status("survived") if mutants else [],
        definitions=definition_shares(mutants) if mutants else [],
        checks=check_figures(mutants) if mutants else [],
        sums=[line.plain for line in mutation_sums(mutants)] if mutants else [],
        line_of=source_lines(view),
        errors=list(_errors(view)),
        growth=list(growth_charts(view, points)),
        coverage=sorted(action_counts(view), key=lambda count: not count.never_enabled),
        kinds=data.kinds,
        counterexamples=sum(len(kind.members) for kind in data.kinds),
        shortest=[
            f"{trace_text(view.trace(each.point, each.trace))}\n{view.why_line(each.point, each.trace)}"
            for each in (kind.shortest for kind in data.kinds)
        ],
    )


def _collisions(runs: Sequence[RunRow]) -> Iterator[str]:
    """The largest of each of TLC's estimates that it missed a state, with its point."""
    for column, by in (("collision_optimistic", "number of states"), ("collision_observed", "fingerprints")):
        if found := [(value, -row.point) for row in runs if (value := getattr(row, column)) is not None]:
            value, point = max(found)
            yield f"{value:.1E} by the {by} (point {-point})"


def _tools(run: RunRow) -> str | None:
    """The TLC of a run, with the digest of its jar if the run has one."""
    jar = f", sha256 {run.jar_sha256[:12]}" if run.jar_sha256 else ""
    return f"{run.tlc}{jar}" if run.tlc else None


def _span(texts: Iterable[str | None]) -> str:
    """The distinct texts in one line; of three or more, the first and the last."""
    found = sorted({text for text in texts if text})
    return ", ".join(found) if len(found) < 3 else f"{found[0]} to {found[-1]}"


def _markdown(notes: str, folder: Path, target: Path) -> str:
    """Notes as HTML for a page in the folder ``target``; their links are relative to ``folder``."""
    # HTML in the notes stays text, and their title is one level below that of the page.
    page = MarkdownIt("commonmark", {"html": False}).enable("table").render(notes)
    page = re.sub(r"(</?h)([1-5])>", lambda found: f"{found[1]}{int(found[2]) + 1}>", page)
    return re.sub(
        r'href="([^"#:]+)(?=["#])', lambda found: f'href="{os.path.relpath(folder / found[1], target)}', page
    )
