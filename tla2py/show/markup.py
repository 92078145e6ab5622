"""Elements of HTML and SVG, made as trees, so that nothing of a value can be taken for markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias
from xml.etree import ElementTree as ET

from tla2py.show.style import STYLE

Element: TypeAlias = ET.Element
Piece: TypeAlias = "Element | str | None"

# What XML cannot hold, what a terminal would obey, and what would have text read in another order than it is in.
_CONTROL = re.compile(
    r"[^\t\n\r\x20-\x7e\xa0-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)


def printable(text: str) -> str:
    """A text in which every control character is written out, as in ``\\x1b``."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def element(tag: str, *pieces: Piece, **attributes: str | float | None) -> Element:
    """An element with text and elements in it, those that are None left out.

    Attributes that are None are left out too; ``class_`` is ``class``, and other underscores are hyphens.
    """
    made = ET.Element(tag)
    for name, value in attributes.items():
        if value is not None:
            made.set(name.rstrip("_").replace("_", "-"), printable(_number(value)))
    extend(made, pieces)
    return made


def extend(parent: Element, pieces: Iterable[Piece]) -> None:
    """Put text and elements at the end of an element."""
    for piece in pieces:
        if piece is None:
            continue
        if not isinstance(piece, str):
            parent.append(piece)
        elif len(parent):
            parent[-1].tail = (parent[-1].tail or "") + printable(piece)
        else:
            parent.text = (parent.text or "") + printable(piece)


def picture_text(x: float, y: float, text: str, style: str = "", *, anchor: str | None = None) -> Element:
    """A text in a picture; ``anchor`` is where it touches ``x``: ``start``, ``middle`` or ``end``."""
    return element("text", text, x=x, y=y, class_=f"t2-text {style}".strip(), text_anchor=anchor)


def html_text(*pieces: Piece) -> str:
    """A piece of a page, with the style that it needs: what ``_repr_html_`` returns."""
    block = element("div", element("style", STYLE), *pieces, class_="t2")
    return ET.tostring(block, encoding="unicode", method="html")


def svg_text(picture: Element) -> str:
    """A picture as an SVG file."""
    alone = element("svg", xmlns="http://www.w3.org/2000/svg")
    alone.attrib.update(picture.attrib)
    alone.append(element("style", STYLE))
    # A viewer may have any ground, the picture's lines are dark.
    alone.append(element("rect", width="100%", height="100%", fill="#fff"))
    alone.extend(picture)
    alone.tail = None
    return ET.tostring(alone, encoding="unicode", method="xml") + "\n"


def _number(value: str | float) -> str:
    return value if isinstance(value, str) else f"{round(value, 2):g}"
