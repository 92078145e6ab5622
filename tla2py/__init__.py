"""tla2py drives TLC, the TLA+ model checker, over parameter sweeps and analyses what it finds.

Words, as TLC and BenchExec use them: a *module* is a ``.tla`` unit; a *model* is a module plus everything a ``.cfg``
may say; a *sweep* is a set of models over *parameters*, each combination a *point*; a *run* is one execution of TLC on
one point; its *outcome* is what TLC said, the *verdict* the coarse reading of it; an *expectation* is what the user
wrote down beforehand; a *trace* is a counterexample, a sequence of *states* reached by *actions*, perhaps ending in a
*lasso* or in *stuttering*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tla2py.trace.display import Views, provide_views

if TYPE_CHECKING:
    from pathlib import Path

    from tla2py.explore.view import StoreView
    from tla2py.values import Function, Interval, ModelValue, Opaque, Record

__version__ = "0.1.0"


def _views() -> Views:
    from tla2py.show import displays

    return displays


# Traces show themselves by views that their own package does not know.
provide_views(_views)

__all__ = [
    "Function",
    "Interval",
    "ModelValue",
    "Opaque",
    "Record",
    "__version__",
    "open_store",
    "run_sweep",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # The classes of values, imported when one is asked for.
        if name in __all__:
            from tla2py import values

            return getattr(values, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def open_store(path: str | Path) -> StoreView:
    """A store opened for reading: its tables as pandas or Spark frames, its counterexamples as ``Trace``.

    ``path`` is a folder or a URI such as ``s3://bucket/path``. It may also be a file made elsewhere, which is read as
    a store of one point: a log of TLC with or without ``-tool``, what its ``-dumpTrace json`` writes, or a trace in
    ITF. Raises ``tla2py.errors.StoreError`` when there is
    no store, or one of a newer version, and ``tla2py.errors.InputError`` for a file that holds no trace.
    """
    # Imported here so that importing tla2py costs neither pandas nor pyarrow.
    from tla2py.explore.view import open_view

    return open_view(path)


def run_sweep(
    sweep: str | Path, store: str | Path | None = None, *, executor: str = "spark", master: str = "local[*]"
) -> StoreView:
    """The store of a sweep, after whatever was missing in it has been run, as ``tla2py sweep`` does.

    ``store`` is ``runs/NAME`` unless given, a folder or a URI such as ``s3://bucket/path``; ``executor`` is ``spark`` on
    ``master``, or ``local`` for threads of this machine. Raises ``tla2py.errors.InputError`` for a sweep file that cannot be run and
    ``tla2py.errors.StoreError`` for a store that cannot be written.
    """
    from pathlib import Path

    from tla2py.execution.sweep_into import sweep_into

    return sweep_into(Path(sweep), store, executor=executor, master=master)
