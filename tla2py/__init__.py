"""tla2py drives TLC, the TLA+ model checker, over parameter sweeps and analyses what it finds.

Words, as TLC and BenchExec use them: a *module* is a ``.tla`` unit; a *model* is a module plus everything a ``.cfg``
may say; a *sweep* is a set of models over *parameters*, each combination a *point*; a *run* is one execution of TLC on
one point; its *outcome* is what TLC said, the *verdict* the coarse reading of it; an *expectation* is what the user
wrote down beforehand; a *trace* is a counterexample, a sequence of *states* reached by *actions*, perhaps ending in a
*lasso* or in *stuttering*.

The names in ``__all__`` are the public interface; everything else is internal and may change with any release.
"""

from __future__ import annotations

from importlib import import_module

from tla2py.model.display import register_view
from tla2py.version import __version__

# A signal ends a command quietly once ``cli/main.py`` handles it, and this module is imported before: typing takes long.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tla2py import errors
    from tla2py.api import check, load_sweep, open_store, run_sweep
    from tla2py.model.outcome import Outcome, Verdict
    from tla2py.model.trace import State, Trace
    from tla2py.tla.value import Function, Interval, ModelValue, Opaque, Record


def _later(module: str, name: str) -> Callable[..., object]:
    """Return a function that imports ``module`` when it is called."""
    return lambda *args, **options: getattr(import_module(module), name)(*args, **options)


# Traces and stores are shown by rooms above theirs.
register_view("text", _later("tla2py.model.trace_text", "shown_text"))
register_view("html", _later("tla2py.view.traces", "notebook_html"))
register_view("lanes", _later("tla2py.view.lanes", "trace_lanes"))
register_view("explorer", _later("tla2py.view.server", "store_explorer"))

__all__ = [
    "Function",
    "Interval",
    "ModelValue",
    "Opaque",
    "Outcome",
    "Record",
    "State",
    "Trace",
    "Verdict",
    "__version__",
    "check",
    "errors",
    "load_sweep",
    "open_store",
    "run_sweep",
]


if not TYPE_CHECKING:
    _HOMES = {
        **dict.fromkeys(("Function", "Interval", "ModelValue", "Opaque", "Record"), "tla2py.tla.value"),
        **dict.fromkeys(("Outcome", "Verdict"), "tla2py.model.outcome"),
        **dict.fromkeys(("State", "Trace"), "tla2py.model.trace"),
        **dict.fromkeys(("check", "load_sweep", "open_store", "run_sweep"), "tla2py.api"),
    }

    def __getattr__(name: str) -> object:
        # Imported on first use, so that importing tla2py stays cheap.
        if name == "errors":
            return import_module("tla2py.errors")
        if name in _HOMES:
            return getattr(import_module(_HOMES[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
