"""A widget that steps through a counterexample, with a slider and buttons."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from tla2py.errors import InputError
from tla2py.show.markup import element
from tla2py.show.plain import action_text, headline, loop_mark
from tla2py.show.style import STYLE
from tla2py.show.trace_html import MOST_WHOLE_STATES, end_pieces, step_pieces
from tla2py.trace.display import Stepper
from tla2py.trace.trace import State, Trace

_CODE = Path(__file__).with_name("stepper.js")


def trace_stepper(trace: Trace) -> Stepper:
    """A stepper at a trace's first state.

    Raises InputError (``extra-missing``) if anywidget is not installed.
    """
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise InputError(
            "extra-missing",
            "the stepper needs the package anywidget",
            hint="pip install anywidget, or use trace.step(2)",
        ) from error

    class TraceStepper(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
        _esm = _CODE.read_text(encoding="utf-8")
        _css = STYLE
        title = traitlets.Unicode().tag(sync=True)
        steps = traitlets.List(traitlets.Dict()).tag(sync=True)
        index = traitlets.Int().tag(sync=True)

        @traitlets.validate("index")
        def _within(self, proposal: dict[str, Any]) -> int:
            value = proposal["value"]
            if not isinstance(value, int) or not first <= value <= last:
                raise traitlets.TraitError(f"no state {value}: the states are {first} to {last}")
            return value

        @property
        def state(self) -> State:
            return trace.state(self.index)

    first, last = trace.states[0].index, trace.states[-1].index
    widget: Stepper = TraceStepper(title=headline(trace), steps=_steps(trace), index=first)
    return widget


def _steps(trace: Trace) -> list[dict[str, object]]:
    """The widget's data of each step."""
    whole = len(trace.states) <= MOST_WHOLE_STATES
    steps = []
    for before, state in pairwise((None, *trace.states)):
        assert state is not None
        block = element("div", *step_pieces(before, state, whole=whole))
        if state is trace.states[-1] and (end := end_pieces(trace)):
            block.append(element("div", *end, class_="t2-loop t2-act"))
        steps.append(
            {
                "index": state.index,
                "title": action_text(state),
                "html": ET.tostring(block, encoding="unicode", method="html"),
                "loop": loop_mark(trace, state),
            }
        )
    return steps
