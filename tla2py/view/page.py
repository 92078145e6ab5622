"""How often each action was taken, over all points whose actions TLC counted."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

import jinja2
from markdown_it import MarkdownIt

from tla2py import __version__
from tla2py.analysis.kinds import Kind
from tla2py.analysis.minimal import ActionCount, action_counts
from tla2py.analysis.points import varying
from tla2py.analysis.view import StoreView
from tla2py.model.mutant import MutantReport, MutantRow
from tla2py.model.outcome import Verdict
from tla2py.model.trace_text import trace_text
from tla2py.mutation.mutant import one_line
from tla2py.mutation.trial import check_figures, definition_shares, score, sizes, status_counts
from tla2py.store.read import read_rows
from tla2py.store.runs import RunRow, start_days, unmatched_lines
from tla2py.store.write import table_files
from tla2py.text import counted, cut, printable
from tla2py.view.counterexamples import LaneOptions
from tla2py.view.explorer import definitions_of, packed, source_lines, store_data
from tla2py.view.growth import growth_pictures
from tla2py.view.markup import (
    STYLE,
    Element,
    element,
    number_cell,
    number_title,
    row,
    table,
)
from tla2py.view.server import bundle, content_policy
from tla2py.view.tools import errors_with_points, excerpt_lines, points_are


def coverage_view(view: StoreView) -> Element | None:
    """A row per action, those that never fired first and in red; None if no run counted its actions."""
    counts = sorted(action_counts(view), key=lambda count: not count.never_enabled)
    if not counts:
        return None
    never = sum(count.never_enabled for count in counts)
    actions = f"{len(counts)} action{'s' * (len(counts) > 1)}"
    caption = f"{actions}: {never} never fired" if never else f"all {actions} fired somewhere"
    numbers = map(number_title, ("states generated", "new ones", "fired at points"))
    return table(caption, ("action", "module", *numbers), map(_row, counts))


def _row(count: ActionCount) -> Element:
    share = f"{len(count.points) - len(count.disabled)} of {len(count.points)}"
    name = element("th", element("code", count.name), " (never fired)" * count.never_enabled, scope="row")
    place = element("td", f"{count.module}:{count.line}", class_="t2-dim")
    numbers = (f"{count.generated:,}", f"{count.distinct:,}", share)
    return row(name, place, *map(number_cell, numbers), class_="t2-bad" if count.never_enabled else None)


def errors_list(view: StoreView) -> Element | None:
    """The first errors of the broken and excluded points, each once, with its place; None if there are none."""
    items = []
    for verdict in (Verdict.BROKEN, Verdict.EXCLUDED):
        for error, points in errors_with_points(view, view.run_rows, verdict).items():
            lines = [error.text]
            if error.place is not None:
                lines = [f"{error.place}: {error.text}"]
                lines += [line.plain for line in excerpt_lines(error.place)]
            items.append(element("li", points_are(points, verdict.value), element("pre", "\n".join(lines))))
    return element("ul", *items) if items else None


_ORDER = (Verdict.VIOLATED, Verdict.BROKEN, Verdict.INCONCLUSIVE, Verdict.EXCLUDED, Verdict.HOLDS)
_COLUMNS = ("run_id", "point", "file", "verdict", "matched", "lines", "first_unmatched")
_LOGS_LONGEST = 300


def kinds_table(kinds: Sequence[Kind]) -> Element:
    """The kinds as a table."""
    titles = ("kind", "violates", "traces", "states", "points", "shortest", "steps of all", "remarks")
    rows = [
        row(
            str(number),
            kind.name,
            str(len(kind.members)),
            f"{kind.shortest.length} to " * (kind.shortest.length < kind.max_length) + str(kind.max_length),
            str(len(kind.points)),
            str(kind.shortest),
            kind.steps,
            kind.remarks,
        )
        for number, kind in enumerate(kinds, 1)
    ]
    total = sum(len(kind.members) for kind in kinds)
    caption = f"{counted(total, 'counterexample')} of {counted(len(kinds), 'kind')}"
    return table(caption, titles, rows)


def logs_table(view: StoreView) -> Element | None:
    """A row per log: how much of it some behaviour explains, and the first line that none does; None without logs."""
    files = table_files(view.store, "logs")
    found = [(*each[:3], Verdict(each[3]), *each[4:]) for each in read_rows(files, _COLUMNS)]
    if not found:
        return None
    texts = unmatched_lines(files, table_files(view.store, "log_lines"))
    rows = []
    for run_id, point, file, verdict, matched, lines, first in sorted(
        found, key=lambda each: _ORDER.index(each[3])
    ):
        explained = "-" if matched is None else f"{matched:,} of {lines:,}"
        text = element("code", cut(texts[run_id].text, _LOGS_LONGEST)) if run_id in texts else ""
        style = (
            "t2-good" if verdict is Verdict.HOLDS else "t2-bad" if verdict is Verdict.VIOLATED else "t2-odd"
        )
        rows.append(
            row(
                element("td", element("code", file)),
                element("td", element("a", verdict.value, href=f"#point-{point}"), class_=style),
                number_cell(explained),
                number_cell("-" if first is None else f"{first:,}"),
                element("td", text),
            )
        )
    held = sum(each[3] is Verdict.HOLDS for each in found)
    titles = (
        "log",
        "verdict",
        number_title("lines explained"),
        number_title("first unexplained"),
        "its text",
    )
    return table(f"{held} of {counted(len(found), 'log')} explained", titles, rows)


_MUTANTS_LONGEST = 300


def mutants_section(view: StoreView) -> Element | None:
    """The tables of survivors, definitions and checks; None without mutants."""
    report = view.store.mutants()
    if report is None:
        return None
    return element(
        "div",
        _survivors(report, source_lines(view)),
        _definitions(report),
        _checks(report),
        element("p", _sums(report), class_="t2-dim"),
    )


def _survivors(report: MutantReport, line_of: Callable[[str, int], str]) -> Element:
    rows = [
        row(
            element("td", f"{each.module}:{each.line}", class_="t2-dim"),
            element("td", element("code", each.definition)),
            each.operator,
            element("td", element("code", cut(line_of(each.module, each.line).strip(), _MUTANTS_LONGEST))),
            element("td", element("code", cut(_change(each), _MUTANTS_LONGEST))),
            element("td", element("code", each.mutant), class_="t2-dim"),
        )
        for each in report.with_status("survived")
    ]
    titles = ("place", "definition", "operator", "line", "change", "mutant")
    return table(f"{counted(len(rows), 'change')} that no check notices", titles, rows)


def _definitions(report: MutantReport) -> Element:
    rows = [
        row(element("td", element("code", share.name)), number_cell(f"{share.killed} of {share.of}"))
        for share in definition_shares(report)
    ]
    return table("mutants killed, of those killed and survived", ("definition", number_title("killed")), rows)


def _checks(report: MutantReport) -> Element:
    rows = [
        row(element("td", element("code", each.check)), *_numbers([each.asked, each.kills, each.alone]))
        for each in check_figures(report)
    ]
    return table(
        "what notices mutants", ("check", *map(number_title, ("asked", "notices", "it alone"))), rows
    )


def _numbers(values: Sequence[int | None]) -> list[Element]:
    return [number_cell("" if value is None else f"{value:,}") for value in values]


def _sums(report: MutantReport) -> str:
    share = score(report)
    statuses = ", ".join(f"{count:,} {status}" for status, count in status_counts(report).items())
    died = ", ".join(f"{count:,} at point {point}" for point, count in sizes(report))
    out = "".join(f"; point {each.point} left out: {each.reason}" for each in report.left_out)
    return f"{share.killed:,} of {share.of:,} killed that could be; {statuses}; killed {died}{out}"


def _change(mutant: MutantRow) -> str:
    return f"{one_line(mutant.before)} -> {one_line(mutant.after) or '(nothing)'}"


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
        logs=_html(logs_table(view)),
        mutants=_html(mutants_section(view)),
        errors=_html(errors_list(view)),
        growth=[_html(picture) for picture in growth_pictures(view, points)],
        coverage=_html(coverage_view(view)),
        kinds=_html(kinds_table(data.kinds) if data.kinds else None),
        shortest=[
            trace_text(view.trace(each.point, each.trace)) for each in (kind.shortest for kind in data.kinds)
        ],
    )


def _html(element: Element | None) -> str:
    return "" if element is None else ET.tostring(element, encoding="unicode", method="html")


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
