"""The page, put together from its sections."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

import jinja2
from markdown_it import MarkdownIt

from tla2py import __version__
from tla2py.explore.grid import varying
from tla2py.explore.kinds import kinds_table
from tla2py.explore.view import StoreView
from tla2py.explorer.bundle import bundle, content_policy
from tla2py.explorer.data import packed, store_data
from tla2py.explorer.glossary import definitions_of
from tla2py.explorer.traces import LaneOptions
from tla2py.page.coverage import coverage_view
from tla2py.page.errors import errors_list
from tla2py.page.growth import growth_pictures
from tla2py.page.logs import logs_table
from tla2py.page.mutants import mutants_section
from tla2py.show.markup import Element, printable
from tla2py.show.plain import trace_text
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
