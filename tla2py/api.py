"""The functions of the package: what scripts and notebooks call.

This file stands above every room and is imported by none. What is heavy is imported when a function needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tla2py.analysis.view import StoreView
    from tla2py.execution.check import Checked
    from tla2py.model.finding import Finding
    from tla2py.sweep.sweep import Sweep
    from tla2py.tla.module import Remark
    from tla2py.tla.value import Value


def open_store(path: str | Path) -> StoreView:
    """A store opened for reading: its tables as pandas or Spark frames, its counterexamples as ``Trace``.

    ``path`` is a folder or a URI such as ``s3://bucket/path``. It may also be a file made elsewhere, which is read as
    a store of one point: a log of TLC with or without ``-tool``, what its ``-dumpTrace json`` writes, or a trace in
    ITF. Raises ``tla2py.errors.StoreError`` when there is
    no store, or one of a newer version, and ``tla2py.errors.InputError`` for a file that holds no trace.
    """
    from tla2py.analysis.view import open_view

    return open_view(path)


def load_sweep(
    path: str | Path,
    *,
    libraries: Sequence[str | Path] = (),
    tla2tools: str | Path | None = None,
    translate: bool = True,
) -> Sweep:
    """The sweep of a sweep file, or of a folder with its further module folders in ``libraries``.

    Its PlusCal is translated on a copy where ``translate`` is true and the translation is missing or out of date. Raises
    ``tla2py.errors.InputError`` for a file that cannot be run.
    """
    from tla2py.execution.sweeps import SweepOptions

    options = SweepOptions(
        libraries=tuple(map(Path, libraries)),
        tla2tools=Path(tla2tools) if tla2tools else None,
        translate=translate,
    )
    [sweep] = options.load([Path(path)])
    return sweep


def run_sweep(
    sweep: str | Path,
    store: str | Path | None = None,
    *,
    executor: str | None = None,
    master: str | None = None,
    fresh: bool = False,
    tla2tools: str | Path | None = None,
    translate: bool = True,
    timeout: str | None = None,
    memory: str | None = None,
    workers: int | None = None,
    trust: bool | None = None,
    on_finding: Callable[[Finding | Remark], None] | None = None,
) -> StoreView:
    """Run whatever is missing in the store of a sweep file, as ``tla2py sweep`` does, and return the store.

    ``store`` is a folder or a URI such as ``s3://bucket/path``; the default is ``runs/NAME``. ``executor`` is ``local``
    for the threads of this machine, or ``spark`` on ``master``, by default ``local[*]``. Without both, threads execute
    the runs, or Spark if the process has a Spark context or the sweep file asks for it. The other options are those of
    the command. ``on_finding`` is called with each warning
    that the command would print on standard error, on the model or on its PlusCal. Raises
    ``tla2py.errors.InputError`` for a sweep file that cannot be run and ``tla2py.errors.StoreError`` for a store that
    cannot be written.
    """
    from tla2py.analysis.questions import keep_because
    from tla2py.analysis.view import open_view
    from tla2py.errors import InputError
    from tla2py.execution.listener import SILENT, FindingListener
    from tla2py.execution.sweeps import SweepOptions, run_sweeps
    from tla2py.spark.choice import choose_executor
    from tla2py.sweep.sections import ONE_JAR
    from tla2py.tlc.tools.toolchain import find_toolchain

    listener = FindingListener(on_finding) if on_finding else SILENT
    executors = choose_executor(executor, master, listener)
    # It took several before the first release.
    named: object = tla2tools
    if isinstance(named, (list, tuple)):
        raise InputError("usage", "there cannot be several tla2tools any more", hint=ONE_JAR)
    jar = Path(tla2tools) if tla2tools else None
    options = SweepOptions(
        tla2tools=jar,
        translate=translate,
        timeout=timeout,
        memory=memory,
        workers=workers,
        trust=trust,
    )
    sweeps = options.load([Path(sweep)], listener=listener)
    toolchain = find_toolchain(jar)
    [result] = run_sweeps(sweeps, toolchain, executors, store=store, fresh=fresh, listener=listener)
    keep_because(result.store, toolchain, fresh=fresh)
    return open_view(result.store.path)


def check(
    module: str | Path,
    *,
    config: str | Path | None = None,
    constants: Mapping[str, Value] | None = None,
    invariants: Sequence[str] = (),
    properties: Sequence[str] = (),
    specification: str | None = None,
    init: str | None = None,
    next: str | None = None,  # noqa: A002 - as the command calls it
    check_deadlock: bool | None = None,
    libraries: Sequence[str | Path] = (),
    overrides: Sequence[str | Path] = (),
    environment: Mapping[str, str] | None = None,
    inputs: Sequence[str | Path] = (),
    tla2tools: str | Path | None = None,
    translate: bool = True,
    timeout: str = "10m",
    memory: str = "2GiB",
    workers: int = 1,
    trust: bool = False,
    on_finding: Callable[[Finding | Remark], None] | None = None,
) -> Checked:
    """The result of one run of TLC on a module, as ``tla2py check`` gives it: its ``verdict``, ``outcome`` and ``traces``.

    ``config`` is a TLC config, ``MODULE.cfg`` if that is there; everything else goes on top of it. A constant that is a
    string is TLA+ text, such as ``"{b1, b2}"``. ``environment`` and ``inputs`` are the variables and files that the run
    may read. ``on_finding`` is called with each warning that the command would print
    on standard error. A violation is a result, not an exception. Raises ``tla2py.errors.InputError`` for a model that
    cannot be run.
    """
    from tla2py.execution.check import ModelOptions, run_check
    from tla2py.execution.listener import SILENT, FindingListener
    from tla2py.execution.sweeps import SweepOptions
    from tla2py.tla.value import format_value

    model = ModelOptions(
        config=Path(config) if config else None,
        constants=[
            f"{name}={value if isinstance(value, str) else format_value(value)}"
            for name, value in (constants or {}).items()
        ],
        invariants=invariants,
        properties=properties,
        specification=specification,
        init=init,
        next=next,
        check_deadlock=check_deadlock,
        overrides=[Path(each) for each in overrides],
        environment=[f"{name}={value}" for name, value in (environment or {}).items()],
        inputs=[Path(each) for each in inputs],
    )
    options = SweepOptions(
        libraries=tuple(map(Path, libraries)),
        tla2tools=Path(tla2tools) if tla2tools else None,
        translate=translate,
        timeout=timeout,
        memory=memory,
        workers=workers,
        trust=trust,
    )
    listener = FindingListener(on_finding) if on_finding else SILENT
    return run_check(Path(module), model, options, listener=listener)
