"""The views that ``tla2py.trace.display`` registers."""

from __future__ import annotations

from tla2py.show.comparison import comparison_lines, comparison_view
from tla2py.show.lanes import trace_lanes
from tla2py.show.markup import html_text
from tla2py.show.plain import diff_text, state_text, trace_text
from tla2py.show.trace_html import diff_html, state_html, trace_view
from tla2py.trace.alignment import Comparison
from tla2py.trace.trace import State, StateDiff, Trace

lanes = trace_lanes


def text(shown: object) -> str:
    """A trace, state, difference or comparison as text."""
    match shown:
        case Trace():
            return trace_text(shown)
        case State():
            return state_text(shown)
        case StateDiff():
            return diff_text(shown)
        case Comparison():
            return "\n".join(comparison_lines(shown))
    return repr(shown)


def html(shown: object) -> str:
    """A trace, state, difference or comparison as HTML."""
    match shown:
        case Trace():
            return html_text(trace_view(shown))
        case State():
            return state_html(shown)
        case StateDiff():
            return diff_html(shown)
        case Comparison():
            return html_text(comparison_view(shown))
    raise TypeError(f"no HTML view of {type(shown).__name__}")
