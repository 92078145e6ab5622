"""The page of a store: the explorer, and below it tables of actions, errors, logs and mutants, and charts of growth."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from string import ascii_uppercase
from xml.etree import ElementTree as ET

import jinja2
from markdown_it import MarkdownIt

from tla2py import __version__
from tla2py.analysis.growth import Growth, Series, make_growth
from tla2py.analysis.minimal import action_counts
from tla2py.analysis.points import GridPoint, varying
from tla2py.analysis.view import StoreView
from tla2py.errors import InputError
from tla2py.model.mutant import MutantReport
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.model.trace_text import trace_text
from tla2py.mutation.trial import check_figures, definition_shares, score, sizes, status_counts
from tla2py.store.fragments import read_rows
from tla2py.store.runs import start_days, unmatched_lines
from tla2py.store.write import table_files
from tla2py.text import counted, cut, printable
from tla2py.view.counterexamples import LaneOptions
from tla2py.view.explorer import definitions_of, packed, source_lines, store_data
from tla2py.view.markup import STYLE, Element, element, picture_text
from tla2py.view.server import bundle, content_policy
from tla2py.view.tools import errors_with_points, excerpt_lines, points_are

# More curves cannot be told apart; longer names go into a legend.
_MOST_CURVES = 5
_LONGEST = 22


def growth_pictures(view: StoreView, points: Sequence[GridPoint]) -> Iterator[Element]:
    """The growth of states and time along each parameter whose values are numbers or sets."""
    for parameter in varying(points):
        for value in ("distinct", "wall_seconds"):
            try:
                growth = make_growth(view, parameter, value)
            except InputError:
                continue
            curves = [one for one in growth.series if len(one.numbers) > 1]
            if curves:
                yield _picture(growth, curves, varying(points))


def _picture(growth: Growth, found: Sequence[Series], parameters: Sequence[str]) -> Element:
    # The curves that reach the largest numbers.
    curves = sorted(found, key=lambda one: -one.numbers[-1])[:_MOST_CURVES]
    differ = [name for name in curves[0].fixed if len({one.fixed[name] for one in curves}) > 1]
    names = differ or [name for name in parameters if name != growth.parameter]
    named = tuple(replace(one, fixed={name: one.fixed[name] for name in names}) for one in curves)
    letters = max(len(one.label) for one in named) > _LONGEST
    picture = growth_view(replace(growth, series=named), ascii_uppercase[: len(named)] if letters else ())
    legend = element("ol", *(element("li", element("code", one.label)) for one in named)) if letters else None
    left = len(found) - len(curves)
    note = element("figcaption", f"{counted(left, 'curve')} with smaller numbers not shown") if left else None
    return element("div", picture, legend, note)


def growth_view(growth: Growth, labels: Sequence[str] = ()) -> Element:
    """The growth as curves; ``labels`` replace their names."""
    if not growth.series:
        return element("p", f"no run that holds has a value for {growth.value}")
    ticks = {size: value for one in growth.series for size, value in zip(one.sizes, one.values, strict=True)}
    names = labels or [one.label for one in growth.series]
    curves = [
        Curve(label=name, points=tuple(zip(one.sizes, one.numbers, strict=True)))
        for name, one in zip(names, growth.series, strict=True)
    ]
    title = f"{growth.value} by {growth.parameter}"
    return curves_svg(title, growth.parameter, dict(sorted(ticks.items())), curves)


_WIDTH, _HEIGHT = 640.0, 320.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 78.0, 170.0, 26.0, 44.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A labelled curve; every y is greater than 0."""

    label: str
    points: tuple[tuple[float, float], ...]


def curves_svg(title: str, x_title: str, ticks: Mapping[float, str], curves: Sequence[Curve]) -> Element:
    """A chart with a logarithmic y axis; ``ticks`` maps positions on the x axis to labels."""
    ys = [y for curve in curves for _, y in curve.points]
    low, high = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))
    high = max(high, low + 1)
    first, last = min(ticks), max(ticks)

    def place(x: float, y: float) -> tuple[float, float]:
        across = (x - first) / (last - first) if last > first else 0.5
        up = (math.log10(y) - low) / (high - low)
        return _LEFT + across * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM)

    picture = element(
        "svg",
        element("title", title),
        viewBox=f"0 0 {_WIDTH:.0f} {_HEIGHT:.0f}",
        width=_WIDTH,
        height=_HEIGHT,
        role="img",
        aria_label=title,
    )
    picture.append(picture_text(_LEFT, 15, title, "t2-head"))
    for power in range(low, high + 1):
        _, y = place(first, 10.0**power)
        picture.append(element("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, class_="t2-line"))
        picture.append(picture_text(_LEFT - 8, y + 4, f"{10.0**power:,.10g}", "t2-small", anchor="end"))
    for x, label in ticks.items():
        picture.append(
            picture_text(place(x, 10.0**low)[0], _HEIGHT - _BOTTOM + 18, label, "t2-small", anchor="middle")
        )
    picture.append(
        picture_text(
            (_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 6, x_title, "t2-small t2-faint", anchor="middle"
        )
    )
    ends: list[tuple[float, float]] = []
    for curve in curves:
        picture.append(_curve(curve, [place(x, y) for x, y in curve.points], ends))
    return picture


def _curve(curve: Curve, places: Sequence[tuple[float, float]], ends: list[tuple[float, float]]) -> Element:
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    group = element("g", element("title", curve.label), element("path", d=path, class_="t2-curve"))
    for (x, y), (_, value) in zip(places, curve.points, strict=True):
        dot = element("circle", cx=x, cy=y, r=3.5, class_="t2-dot")
        dot.append(element("title", f"{curve.label}: {value:,.0f}"))
        group.append(dot)
    # Move overlapping labels apart.
    x, at = places[-1][0] + 10, places[-1][1] + 4
    while any(abs(at - other) < 13 and abs(x - beside) < _RIGHT for beside, other in ends):
        at += 13
    ends.append((x, at))
    group.append(picture_text(x, at, curve.label, "t2-small"))
    return group


def _errors(view: StoreView) -> Iterator[tuple[str, str]]:
    """The first errors of the broken and excluded points, each once: its points, and its text with its place."""
    for verdict in (Verdict.BROKEN, Verdict.EXCLUDED):
        for error, points in errors_with_points(view, view.run_rows, verdict).items():
            lines = [error.text]
            if error.place is not None:
                lines = [f"{error.place}: {error.text}", *(line.plain for line in excerpt_lines(error.place))]
            yield points_are(points, verdict.value), "\n".join(lines)


_ORDER = (Verdict.VIOLATED, Verdict.BROKEN, Verdict.INCONCLUSIVE, Verdict.EXCLUDED, Verdict.HOLDS)
_COLUMNS = ("run_id", "point", "file", "verdict", "matched", "lines", "first_unmatched")
# Longer lines of logs and changes of mutants are cut.
_LONGEST_TEXT = 300


def _logs(view: StoreView) -> list[dict[str, object]]:
    """A row per log: how much of it some behaviour explains, and the first line that none does."""
    files = table_files(view.store, "logs")
    texts = unmatched_lines(files, table_files(view.store, "log_lines"))
    found = [dict(zip(_COLUMNS, row, strict=True)) for row in read_rows(files, _COLUMNS)]
    for row in found:
        row["text"] = cut(texts[row["run_id"]].text, _LONGEST_TEXT) if row["run_id"] in texts else ""
    return sorted(found, key=lambda row: _ORDER.index(Verdict(row["verdict"])))


def _sums(report: MutantReport) -> str:
    share = score(report)
    statuses = ", ".join(f"{count:,} {status}" for status, count in status_counts(report).items())
    died = ", ".join(f"{count:,} at point {point}" for point, count in sizes(report))
    out = "".join(f"; point {each.point} left out: {each.reason}" for each in report.left_out)
    return f"{share.killed:,} of {share.of:,} killed that could be; {statuses}; killed {died}{out}"


_FOLDER = Path(__file__).parent
# Notes with more characters are folded.
_BRIEF = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOptions:
    """A page's contents besides the tables.

    ``notes``: Markdown for the top of the page. Its links are relative to ``notes_folder``.
    ``target``: the folder that the page is written to.
    ``lanes``: how counterexamples are laid out by process.
    ``other``: the store that it is compared with.
    """

    notes: str = ""
    notes_folder: Path = Path()
    target: Path = Path()
    lanes: LaneOptions = field(default_factory=LaneOptions)
    other: StoreView | None = None


def _printable(value: object) -> object:
    """A sweep's text without control characters; markup is our own and passes."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def report_page(view: StoreView, options: PageOptions) -> str:
    """A store's page. Raises InputError as ``Trace.lanes`` does, if lanes or messages were requested."""
    data = store_data(view, options.lanes, definitions_of(view), other=options.other)
    points, names = data.points, varying(data.points)
    parameters = points[0].parameters if points else {}
    style = STYLE + (_FOLDER / "page.css").read_text(encoding="utf-8") + bundle("explorer.css")
    script = bundle("page.js")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        finalize=_printable,
    )
    environment.filters.update(counted=counted, cut=lambda text: cut(text, _LONGEST_TEXT))
    mutants = view.store.mutants()
    return environment.get_template("page.html.j2").render(
        name=view.manifest.name,
        modules=view.manifest.modules,
        version=__version__,
        tlc=_span(_tools(point.run) for point in points),
        begun=_span(start_days(table_files(view.store, "runs"))),
        summary=data.overview["summary"],
        findings=view.findings,
        laws=[each for each in data.explained if each.telling],
        same={name: text for name, text in parameters.items() if name not in names},
        style=style,
        script=script,
        policy=content_policy(script, style),
        overview=packed(data.overview),
        chunks=[packed(chunk) for chunk in data.chunks()],
        notes=_markdown(options),
        brief=len(options.notes) < _BRIEF,
        logs=_logs(view),
        mutants=mutants,
        survivors=mutants.with_status("survived") if mutants else [],
        definitions=definition_shares(mutants) if mutants else [],
        checks=check_figures(mutants) if mutants else [],
        sums=_sums(mutants) if mutants else "",
        line_of=source_lines(view),
        errors=list(_errors(view)),
        growth=[ET.tostring(each, "unicode", "html") for each in growth_pictures(view, points)],
        coverage=sorted(action_counts(view), key=lambda count: not count.never_enabled),
        kinds=data.kinds,
        counterexamples=sum(len(kind.members) for kind in data.kinds),
        shortest=[
            f"{trace_text(view.trace(each.point, each.trace))}\n{view.why_line(each.point, each.trace)}"
            for each in (kind.shortest for kind in data.kinds)
        ],
    )


def _tools(run: RunRow) -> str | None:
    """The TLC of a run, with the digest of its jar if the run has one."""
    jar = f", sha256 {run.jar_sha256[:12]}" if run.jar_sha256 else ""
    return f"{run.tlc}{jar}" if run.tlc else None


def _span(texts: Iterable[str | None]) -> str:
    """The distinct texts in one line; of three or more, the first and the last."""
    found = sorted({text for text in texts if text})
    return ", ".join(found) if len(found) < 3 else f"{found[0]} to {found[-1]}"


def _markdown(options: PageOptions) -> str:
    if not options.notes:
        return ""
    # HTML in the notes stays text, and their title is one level below that of the page.
    page = MarkdownIt("commonmark", {"html": False}).enable("table").render(options.notes)
    page = re.sub(r"(</?h)([1-5])>", lambda found: f"{found[1]}{int(found[2]) + 1}>", page)
    return re.sub(r'href="([^"#:]+)(?=["#])', lambda found: f'href="{_moved(found[1], options)}', page)


def _moved(link: str, options: PageOptions) -> str:
    return Path(os.path.relpath(options.notes_folder / link, options.target)).as_posix()
