"""Elements of pages and pictures, and their CSS, which suits light and dark pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias
from xml.etree import ElementTree as ET

from tla2py.text import printable

STYLE = """
.t2{font-size:13px;line-height:1.45;overflow-x:auto}
.t2 h3{margin:.4em 0;font-size:1.15em}.t2 p{margin:.4em 0}
.t2 table{border-collapse:collapse;table-layout:auto;margin:.5em 0;font-size:inherit;color:inherit}
.t2 caption{text-align:left;font-weight:600;padding:.3em 0}
.t2 th,.t2 td{text-align:left;vertical-align:top;padding:.25em .7em;border:0;border-bottom:1px solid rgba(127,127,127,.3);
background:none;max-width:62em;white-space:normal}
.t2 tr{background:none!important}.t2 tr.t2-bad>*{background:rgba(248,81,73,.22)}.t2 thead th{font-weight:600;border-bottom-width:2px}
.t2 td.t2-n,.t2 th.t2-n{text-align:right;font-variant-numeric:tabular-nums}
.t2 code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.95em;color:inherit;
white-space:pre-wrap;overflow-wrap:anywhere}
.t2 th code{white-space:nowrap;overflow-wrap:normal}
.t2 code{background:none;padding:0}
.t2 .t2-dim{opacity:.65}.t2 ul{list-style:none;margin:0;padding:0}.t2 li{margin:0}
.t2 summary{cursor:pointer;opacity:.7}.t2 details{margin:.15em 0}
.t2 .t2-bad{background:rgba(248,81,73,.22);font-weight:600}.t2 .t2-good{background:rgba(46,160,67,.2)}
.t2 .t2-odd{background:rgba(210,153,34,.25)}
.t2 svg{max-width:100%;height:auto}
.t2-page{margin:0 auto;max-width:76em;padding:1em;font-family:system-ui,sans-serif;color-scheme:light dark}
svg .t2-text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:currentColor}
svg .t2-head{font-weight:600}svg .t2-small{font-size:10.5px}svg .t2-faint{opacity:.65}
svg .t2-line{stroke:currentColor;stroke-opacity:.3;fill:none}svg .t2-life{stroke-dasharray:3 4}
svg .t2-box{fill:rgba(56,139,253,.13);stroke:#388bfd;stroke-opacity:.75}
svg .t2-shared{fill:rgba(127,127,127,.12);stroke:#7f7f7f;stroke-opacity:.6}
svg .t2-last{stroke:#f85149;stroke-width:2;stroke-opacity:1}
svg .t2-arrow{stroke:#a371f7;fill:none;stroke-width:1.6}svg .t2-lost{stroke-dasharray:5 3}
svg .t2-tip{fill:#a371f7;stroke:none}svg .t2-loopline{stroke:#d29922;fill:none;stroke-width:2.5}
svg .t2-looptip{fill:#d29922}
svg .t2-curve{stroke:#388bfd;fill:none;stroke-width:1.8}svg .t2-dot{fill:#388bfd}
@media print{.t2 details>summary{display:none}}
"""

Element: TypeAlias = ET.Element
Piece: TypeAlias = "Element | str | None"


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


def picture_text(x: float, y: float, text: str, style: str = "", *, anchor: str | None = None) -> Element:
    """A text in a picture; ``anchor`` is the part of it at ``x``: ``start``, ``middle`` or ``end``."""
    return element("text", text, x=x, y=y, class_=f"t2-text {style}".strip(), text_anchor=anchor)


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
