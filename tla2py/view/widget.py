"""The explorer as a widget, in Jupyter, VS Code and marimo."""

from __future__ import annotations

from io import StringIO
from typing import Any

from rich.console import Console, RenderableType
from rich.text import Text

from tla2py.analysis.view import StoreView
from tla2py.errors import InputError, Tla2pyError
from tla2py.model.courses import Comparison
from tla2py.model.trace import State, Trace
from tla2py.view.explorer import StoreData, definitions_of, packed, store_data
from tla2py.view.lanes import trace_lanes
from tla2py.view.server import Answers, built
from tla2py.view.traces import comparison_text, trace_text

# The colours are those of the notebook where rich has none.
_NOTEBOOK = '<pre style="white-space:pre-wrap;line-height:1.4">{code}</pre>'


def store_explorer(
    view: StoreView, point: int | None = None, number: int = 1, other: StoreView | None = None
) -> Any:
    """The explorer of a store at a point's counterexample, by default the shortest of the most frequent kind.

    ``other`` is the store that it is compared with. Raises InputError: ``extra-missing`` if anywidget is not installed,
    and as ``StoreView.trace`` does.
    """
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise InputError(
            "extra-missing",
            "the explorer needs the package anywidget",
            hint="pip install anywidget, or write a page with tla2py report",
        ) from error
    data = store_data(view, definitions=definitions_of(view), other=other)
    answers = Answers(data)

    class StoreExplorer(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
        _esm = built("widget.js")
        _css = built("explorer.css")
        overview = traitlets.Unicode().tag(sync=True)
        chunks = traitlets.List(traitlets.Unicode()).tag(sync=True)
        number = traitlets.Int(allow_none=True).tag(sync=True)
        index = traitlets.Int(1).tag(sync=True)

        @property
        def state(self) -> State:
            if self.number is None:
                raise InputError("no-trace", "no counterexample is shown", hint="the store has none")
            return data.own.trace(self.number).state(self.index)

    widget: Any = StoreExplorer(
        overview=packed(data.overview),
        chunks=[packed(chunk) for chunk in data.chunks()],
        number=_number(data, point, number),
    )
    widget.on_msg(lambda _, question, buffers: widget.send(_answer(answers, question)))  # noqa: ARG005
    return widget


def _number(data: StoreData, point: int | None, number: int) -> int | None:
    """The number of the counterexample that is shown first. Raises what ``StoreView.trace`` raises."""
    if point is None:
        kinds = data.overview["kinds"]
        assert isinstance(kinds, dict)
        return next((kind["members"][0] for kind in kinds["coarse"]), None)
    data.view.trace(point, number)
    return next(
        place for place, one in enumerate(data.own.found) if point in one.points and one.trace == number
    )


def _answer(answers: Answers, asked: Any) -> dict[str, object]:
    """The answer to a message of the page, under the message's number."""
    message = asked if isinstance(asked, dict) else {}
    question = message.get("question")
    try:
        found = answers.answer(question if isinstance(question, dict) else {})
    except Tla2pyError as error:
        found = {"error": error.message, "hint": error.hint}
    return {"id": message.get("id"), "answer": found}


def html(shown: object) -> str:
    """A trace, state, difference or comparison as a terminal shows it, in HTML for a notebook."""
    renderable: RenderableType
    match shown:
        case Trace():
            renderable = trace_text(shown)
        case Comparison():
            renderable = comparison_text(shown.left, shown.right, titles=("left", "right"))
        case _:
            renderable = Text(str(shown))
    console = Console(record=True, file=StringIO(), width=120, force_jupyter=False)
    console.print(renderable)
    return console.export_html(inline_styles=True, code_format=_NOTEBOOK)


__all__ = ["explorer", "html", "lanes"]

explorer = store_explorer
lanes = trace_lanes
