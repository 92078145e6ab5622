"""How traces show themselves: this package knows no view; whoever hands traces to people provides the views."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tla2py.values import Value

if TYPE_CHECKING:
    from tla2py.trace.trace import State, Trace


class Printer(Protocol):
    """What IPython hands to objects that print themselves."""

    def text(self, text: str, /) -> object:
        """Print."""


class Picture(Protocol):
    """A picture of a trace, a lane for each process. Jupyter shows it; ``svg`` and ``save`` export it."""

    @property
    def note(self) -> str:
        """How to tell the ends of messages, empty where nothing is missing."""

    def svg(self) -> str:
        """The picture as the text of an SVG file."""

    def save(self, path: str | Path) -> Path:
        """The path of the SVG file that was written. Raises OSError."""


class Stepper(Protocol):
    """A widget that steps through a trace. ``index`` is the number of the state it shows; setting it moves the widget."""

    index: int

    @property
    def state(self) -> State:
        """The state it shows."""


class Views(Protocol):
    """The views of traces, states, differences and comparisons."""

    def text(self, shown: object) -> str:
        """Any of them as text."""

    def html(self, shown: object) -> str:
        """Any of them as HTML."""

    def lanes(
        self,
        trace: Trace,
        by: str | Iterable[str | Value] | None,
        *,
        messages: str | None,
        sender: str | None,
        receiver: str | None,
    ) -> Picture:
        """A trace by process."""

    def stepper(self, trace: Trace) -> Stepper:
        """A widget that steps through a trace."""


_providers: list[Callable[[], Views]] = []


def provide_views(load: Callable[[], Views]) -> None:
    """Have ``load`` give the views, called when one is first needed; a later provider replaces an earlier one."""
    _providers[:] = [load]


def views() -> Views:
    """The views that were provided."""
    return _providers[0]()


class Printed:
    """What prints itself in IPython as ``print`` shows it."""

    __slots__ = ()

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:  # noqa: ARG002 - IPython's protocol
        printer.text(str(self))


class Displayed(Printed):
    """What shows itself by a view of its class: as text when printed, as HTML in Jupyter."""

    __slots__ = ()

    def __str__(self) -> str:
        return views().text(self)

    def _repr_html_(self) -> str:
        return views().html(self)
