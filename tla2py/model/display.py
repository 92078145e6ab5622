"""How traces and stores are shown: by views of rooms above theirs, which the package's root registers here."""

from __future__ import annotations

# Imported with the package itself, so without `typing`, which takes long.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_VIEWS: dict[str, Callable[..., Any]] = {}


def register_view(name: str, view: Callable[..., Any]) -> None:
    """Let ``show`` call ``view`` under a name."""
    _VIEWS[name] = view


def show(name: str, *arguments: Any, **options: Any) -> Any:
    """Return what the view registered under a name makes of the arguments."""
    return _VIEWS[name](*arguments, **options)


class PrintMixin:
    """A mixin: IPython prints the object as ``print`` does."""

    __slots__ = ()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ARG002 - IPython's protocol
        printer.text(str(self))


class DisplayMixin(PrintMixin):
    """A mixin: the object as text when printed, and in notebooks as in a terminal."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(show("text", self))

    def _repr_html_(self) -> str:
        return str(show("html", self))
