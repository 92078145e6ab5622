"""HTML and SVG built as trees, so that no value can inject markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias
from xml.etree import ElementTree as ET

from tla2py.show.style import NOTEBOOK_STYLE, STYLE

Element: TypeAlias = ET.Element
Piece: TypeAlias = "Element | str | None"

# Characters that XML cannot hold, terminal controls, and controls of text direction.
_CONTROL = re.compile(
    r"[^\t\n\r\x20-\x7e\xa0-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)


def printable(text: str) -> str:
    """The text with control characters escaped, as in ``\\x1b``."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def element(tag: str, *pieces: Piece, **attributes: str | float | None) -> Element:
    """An element with text and child elements.

    Pieces and attributes that are None are left out; ``class_`` is ``class``, and other underscores become hyphens.
    """
    made = ET.Element(tag)
    for name, value in attributes.items():
        if value is not None:
            made.set(name.rstrip("_").replace("_", "-"), printable(_number(value)))
    extend(made, pieces)
    return made


def extend(parent: Element, pieces: Iterable[Piece]) -> None:
    """Append text and elements to an element."""
    for piece in pieces:
        if piece is None:
            continue
        if not isinstance(piece, str):
            parent.append(piece)
        elif len(parent):
            parent[-1].tail = (parent[-1].tail or "") + printable(piece)
        else:
            parent.text = (parent.text or "") + printable(piece)


def table(
    caption: str | None, titles: Iterable[Piece], rows: Iterable[Element], **attributes: str | None
) -> Element:
    """A table with a header row; each title that is a text fills a column's header."""
    head = (element("th", title, scope="col") if isinstance(title, str) else title for title in titles)
    return element(
        "table",
        element("caption", caption) if caption is not None else None,
        element("thead", element("tr", *head)),
        element("tbody", *rows),
        **attributes,
    )


def row(*pieces: Piece, **attributes: str | None) -> Element:
    """A row of a table; each piece that is not a cell fills one."""
    cells = (p if p is None or _is_cell(p) else element("td", p) for p in pieces)
    return element("tr", *cells, **attributes)


def _is_cell(piece: Element | str) -> bool:
    return not isinstance(piece, str) and piece.tag in ("td", "th")


def number_title(title: str) -> Element:
    """The header of a column of numbers."""
    return element("th", title, scope="col", class_="t2-n")


def number_cell(piece: Piece, **attributes: str | None) -> Element:
    """A cell with a number."""
    return element("td", piece, class_="t2-n", **attributes)


def picture_text(x: float, y: float, text: str, style: str = "", *, anchor: str | None = None) -> Element:
    """A text in a picture; ``anchor`` is the part of it at ``x``: ``start``, ``middle`` or ``end``."""
    return element("text", text, x=x, y=y, class_=f"t2-text {style}".strip(), text_anchor=anchor)


def html_text(*pieces: Piece) -> str:
    """A fragment of a page with its style, as ``_repr_html_`` returns it."""
    block = element("div", element("style", NOTEBOOK_STYLE), *pieces, class_="t2")
    return ET.tostring(block, encoding="unicode", method="html")


def svg_text(picture: Element) -> str:
    """The text of a picture's SVG file."""
    svg = element("svg", xmlns="http://www.w3.org/2000/svg")
    svg.attrib.update(picture.attrib)
    svg.append(element("style", STYLE))
    # The lines are dark, and a viewer may have any background.
    svg.append(element("rect", width="100%", height="100%", fill="#fff"))
    svg.extend(picture)
    return ET.tostring(svg, encoding="unicode", method="xml") + "\n"


def _number(value: str | float) -> str:
    return value if isinstance(value, str) else f"{round(value, 2):g}"
