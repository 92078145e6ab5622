"""The views of ``tla2py.trace.display``, each imported on first use."""

from __future__ import annotations

from collections.abc import Iterable

from tla2py.trace.alignment import Comparison
from tla2py.trace.display import Picture, Stepper
from tla2py.trace.trace import State, StateDiff, Trace
from tla2py.values import Value


def text(shown: object) -> str:
    """A trace, state, difference or comparison as text."""
    from tla2py.show.comparison import comparison_lines
    from tla2py.show.plain import diff_text, state_text, trace_text

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
    from tla2py.show.comparison import comparison_view
    from tla2py.show.markup import html_text
    from tla2py.show.trace_html import diff_html, state_html, trace_view

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


def lanes(
    trace: Trace,
    by: str | Iterable[str | Value] | None,
    *,
    messages: str | None,
    sender: str | None,
    receiver: str | None,
) -> Picture:
    """The lanes of a trace, see ``Trace.lanes``."""
    from tla2py.show.lanes import trace_lanes

    return trace_lanes(trace, by, messages=messages, sender=sender, receiver=receiver)


def stepper(trace: Trace) -> Stepper:
    """The stepper of a trace, see ``Trace.stepper``."""
    from tla2py.show.stepper import trace_stepper

    return trace_stepper(trace)
