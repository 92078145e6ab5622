"""The registry of views through which traces display themselves; a later package provides the views."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tla2py.values import Value

if TYPE_CHECKING:
    from tla2py.trace.trace import State, Trace


class Printer(Protocol):
    """IPython's printer."""

    def text(self, text: str, /) -> object:
        """Print."""


class Picture(Protocol):
    """A picture of a trace with a lane per process. Jupyter shows it; ``svg`` and ``save`` export it."""

    @property
    def note(self) -> str:
        """How to name unknown senders and receivers; empty if all are known."""

    def svg(self) -> str:
        """The text of the SVG file."""

    def save(self, path: str | Path) -> Path:
        """The path of the written SVG file. Raises OSError."""


class Explorer(Protocol):
    """A widget that shows a store. ``index`` is the number of the state that it shows; assigning it moves the widget."""

    index: int

    @property
    def state(self) -> State:
        """The state that is shown."""


class Views(Protocol):
    """The views of traces, states, differences and comparisons."""

    def text(self, shown: object) -> str:
        """One of them as text."""

    def html(self, shown: object) -> str:
        """One of them as HTML."""

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

    def explorer(self, view: Any, point: int | None, number: int, compare: Any) -> Explorer:
        """A widget that shows a ``StoreView``, at a point's counterexample."""


_providers: list[Callable[[], Views]] = []


def provide_views(load: Callable[[], Views]) -> None:
    """Register ``load``, which returns the views; it replaces an earlier provider."""
    _providers[:] = [load]


def views() -> Views:
    """The registered views."""
    return _providers[0]()


class Printed:
    """A mixin: IPython prints the object as ``print`` does."""

    __slots__ = ()

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:  # noqa: ARG002 - IPython's protocol
        printer.text(str(self))


class Displayed(Printed):
    """A mixin: the registered views show the object, as text when printed and as HTML in Jupyter."""

    __slots__ = ()

    def __str__(self) -> str:
        return views().text(self)

    def _repr_html_(self) -> str:
        return views().html(self)
