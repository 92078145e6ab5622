"""The page, put together from its sections."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import jinja2
from markdown_it import MarkdownIt

from tla2py import __version__
from tla2py.explore.contrast import find_nearest
from tla2py.explore.explanation import explain_store
from tla2py.explore.grid import grid_points, summary_line, varying
from tla2py.explore.view import StoreView
from tla2py.page.coverage import coverage_view
from tla2py.page.errors import errors_list
from tla2py.page.glossary import Glossary
from tla2py.page.growth import growth_pictures
from tla2py.page.points import heatmap_section, points_table
from tla2py.page.traces import TraceViews, trace_section
from tla2py.show.markup import Element, printable
from tla2py.show.style import STYLE
from tla2py.tables.files import table_files
from tla2py.tables.runs import RunRow, start_days

_FOLDER = Path(__file__).parent
# Notes with more characters are folded.
_BRIEF = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOptions:
    """A page's contents besides the tables.

    ``notes``: Markdown for the top of the page. Its links are relative to ``notes_folder``.
    ``target``: the folder that the page is written to.
    ``lanes``, ``messages``, ``sender``, ``receiver``: arguments of ``Trace.lanes``.
    ``largest``: the size in bytes up to which counterexamples are shown step by step; the others are only listed.
    """

    notes: str = ""
    notes_folder: Path = Path()
    target: Path = Path()
    lanes: str | None = None
    messages: str | None = None
    sender: str | None = None
    receiver: str | None = None
    largest: int = 4_000_000


def _printable(value: object) -> object:
    """A sweep's text without control characters; markup is our own and passes."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def report_page(view: StoreView, options: PageOptions) -> str:
    """A store's page. Raises InputError as ``Trace.lanes`` does, if lanes or messages were requested."""
    points = grid_points(view)
    names = varying(points)
    views = TraceViews(
        view=view,
        points={point.point: point for point in points},
        varying=names,
        nearest=find_nearest(view, points),
        lanes=options.lanes,
        messages=options.messages,
        sender=options.sender,
        receiver=options.receiver,
        glossary=Glossary(view),
    )
    found = trace_section(views, options.largest)
    parameters = points[0].parameters if points else {}
    explanation = explain_store(view)
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
        summary=summary_line(view, points),
        findings=view.findings,
        laws=[each for each in explanation if each.telling],
        same={name: text for name, text in parameters.items() if name not in names},
        style=STYLE + (_FOLDER / "page.css").read_text(encoding="utf-8"),
        script=(_FOLDER / "page.js").read_text(encoding="utf-8"),
        notes=_markdown(options),
        brief=len(options.notes) < _BRIEF,
        points=_html(points_table(points, set(found.articles))),
        errors=_html(errors_list(view)),
        heatmap=_html(heatmap_section(view, points, explanation)),
        growth=[_html(picture) for picture in growth_pictures(view, points)],
        coverage=_html(coverage_view(view)),
        kinds=_html(found.kinds),
        traces=[_html(article) for article in found.articles.values()],
        listed=_html(found.listed),
        total=found.total,
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
