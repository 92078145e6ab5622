"""The CSS of all views. Translucent backgrounds and inherited text colours suit light and dark pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TypeAlias
from xml.etree import ElementTree as ET

from tla2py.model.trace import UNKNOWN, State, StateDiff, Trace, changed_parts
from tla2py.text import counted, cut
from tla2py.tla.value_text import format_value

STYLE = """
.t2{font-size:13px;line-height:1.45;overflow-x:auto}
.t2 h3{margin:.4em 0;font-size:1.15em}.t2 p{margin:.4em 0}
.t2 table{border-collapse:collapse;table-layout:auto;margin:.5em 0;font-size:inherit;color:inherit}
.t2 caption{text-align:left;font-weight:600;padding:.3em 0}
.t2 th,.t2 td{text-align:left;vertical-align:top;padding:.25em .7em;border:0;border-bottom:1px solid rgba(127,127,127,.3);
background:none;max-width:62em;white-space:normal}
.t2 tr{background:none!important}.t2 tr.t2-bad>*{background:rgba(248,81,73,.22)}.t2 thead th{font-weight:600;border-bottom-width:2px}
.t2 td.t2-n,.t2 th.t2-n{text-align:right;font-variant-numeric:tabular-nums}
.t2 code,.t2 ins,.t2 del{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.95em;color:inherit;
white-space:pre-wrap;overflow-wrap:anywhere}
.t2 th code{white-space:nowrap;overflow-wrap:normal}
.t2 code{background:none;padding:0}
.t2 ins,.t2 .t2-ins{text-decoration:none;background:rgba(46,160,67,.24);border-radius:3px;padding:0 .15em}
.t2 del,.t2 .t2-del{text-decoration:line-through;background:rgba(248,81,73,.22);border-radius:3px;padding:0 .15em}
.t2 .t2-dim{opacity:.65}.t2 .t2-act{font-weight:600}.t2 ul{list-style:none;margin:0;padding:0}.t2 li{margin:0}
.t2 summary{cursor:pointer;opacity:.7}.t2 details{margin:.15em 0}
.t2 .t2-loop{border-left:4px solid #d29922}.t2 .t2-parted td{border-top:3px solid #d29922}
.t2 .t2-bad{background:rgba(248,81,73,.22);font-weight:600}.t2 .t2-good{background:rgba(46,160,67,.2)}
.t2 .t2-odd{background:rgba(210,153,34,.25)}.t2 .t2-none{background:rgba(127,127,127,.14)}
.t2 .t2-left{background:rgba(210,153,34,.16)}.t2 .t2-right{background:rgba(56,139,253,.14)}
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

NOTEBOOK_STYLE = STYLE.replace(".t2 ", ".t2.t2.t2 ")
"""The same CSS, with more weight than JupyterLab's rules on the tables and the code of outputs."""


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


_VIOLATIONS = {
    UNKNOWN: "a behaviour without a named violation",
    "evaluation": "cannot be evaluated after these steps",
    "simulated": "a simulated behaviour",
    "deadlock": "a deadlock is reached",
    "assert": "an assertion fails",
}

DERIVED = "name = value: arguments that TLC did not print, derived as the values that make the step true"
"""The meaning of an argument with its name."""
# Messages are long, and the changes show their fields too.
_LONGEST = 48


def derived(trace: Trace) -> bool:
    """Whether the trace shows derived arguments."""
    return any(state.derived and not state.action_args for state in trace.states)


def headline(trace: Trace) -> str:
    """What a trace violates, and its length."""
    violation = _VIOLATIONS.get(trace.kind) or (
        f"{trace.name} is violated"
        if trace.name
        else f"{_unnamed(trace.kind)} is violated (TLC does not say which)"
    )
    incomplete = "incomplete trace of " if trace.cut_off else ""
    return f"{violation}, {incomplete}{counted(len(trace.states), 'state')}"


def _unnamed(kind: str) -> str:
    """``a temporal property``, ``an invariant``."""
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind.replace('_', ' ')}"


def action_text(state: State) -> str:
    """An action with its arguments; derived ones have their names."""
    if state.action is None:
        return "initial state"
    return _call(
        state.action,
        state.action_args or [f"{name} = {cut(value, _LONGEST, '…')}" for name, value in state.derived],
    )


def _call(action: str, arguments: Sequence[str] | None) -> str:
    return action + (f"({', '.join(arguments)})" if arguments else "")


def trace_lines(trace: Trace) -> list[str]:
    """The steps of a counterexample: the first with its whole state, the others with their changes."""
    lines = []
    before: State | None = None
    for state in trace.states:
        lines.append(f"{state.index}. {action_text(state)}")
        lines += [f"     {part}" for part in step_changes(before, state)] or ["     nothing changes"]
        lines += [f"     {' '.join(expression.split())} = {value}" for expression, value in state.evaluated]
        before = state
    if end := trace_end(trace):
        lines.append(end)
    if closing := closing_step(trace):
        lines += [f"     {part}" for part in step_changes(closing.before, closing.after)]
    if derived(trace):
        lines.append(f"({DERIVED})")
    return [printable(line) for line in lines]


def trace_end(trace: Trace) -> str:
    """How a behaviour continues after its last state; empty if it ends there."""
    if trace.loop_start is not None:
        by = f" by {_call(trace.loop_action, trace.loop_action_args)}" if trace.loop_action else ""
        return f"and back to state {trace.loop_start}{by}, for ever"
    if trace.terminated:
        return "every process is Done: if the algorithm may end, set check_deadlock = false (check: --no-deadlock)"
    if trace.cut_off:
        return "and the log is cut off here"
    return "and nothing more happens (stuttering)" if trace.stuttering else ""


def closing_step(trace: Trace) -> StateDiff | None:
    """The step that closes a lasso; None without a lasso."""
    return None if trace.loop_start is None else trace.diff(trace.states[-1].index, trace.loop_start)


def loop_mark(trace: Trace, state: State) -> str:
    """The position of a state in a lasso; empty outside of it."""
    if trace.loop_start is None or state.index < trace.loop_start:
        return ""
    return "the loop starts here" if state.index == trace.loop_start else "in the loop"


def step_changes(before: State | None, state: State) -> Iterator[str]:
    """The changes of a step, a line each; without ``before`` all values."""
    if before is None:
        yield from (f"{variable} = {format_value(value)}" for variable, value in state.values.items())
    else:
        yield from map(str, changed_parts(before.values, state.values))


def trace_text(trace: Trace) -> str:
    """A trace as text: a headline and the steps."""
    return "\n".join([printable(headline(trace)), *trace_lines(trace)])


def state_text(state: State) -> str:
    """A state as text: its number and action, then a line per variable."""
    values = (f"    {name} = {format_value(value)}" for name, value in state.values.items())
    return printable("\n".join([f"{state.index}. {action_text(state)}", *values]))


def diff_text(diff: StateDiff) -> str:
    """A difference as text: a title, then a line per changed part."""
    parts = [f"    {part}" for part in diff.parts]
    return printable("\n".join([diff_title(diff), *(parts or ["    nothing changes"])]))


def diff_title(diff: StateDiff) -> str:
    """The step of a difference, or its two states if it spans several steps."""
    if diff.after.index == diff.before.index + 1:
        return f"{diff.after.index}. {action_text(diff.after)}"
    return f"from state {diff.before.index} to state {diff.after.index}"


def runs_of(names: list[str]) -> str:
    """Actions on one line, with counts for repetitions."""
    runs = [(name, sum(1 for _ in group)) for name, group in groupby(names)]
    return " > ".join(name if count == 1 else f"{name} x{count}" for name, count in runs)
