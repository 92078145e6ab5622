"""Running a sweep from Python, for notebooks and scripts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from tla2py.errors import InputError
from tla2py.execution.executor import Executor, LocalExecutor, default_slots, fitting_slots
from tla2py.execution.job import perform, prepare
from tla2py.explore.view import StoreView, open_view
from tla2py.store.storage import Address
from tla2py.store.store import Store
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.sweep import Sweep, load_sweep
from tla2py.toolchain.toolchain import find_toolchain


def sweep_into(path: Path, store: Address | None, *, executor: str, master: str) -> StoreView:
    """The store of a sweep after everything that was missing in it has been run, see ``tla2py.run_sweep``."""
    if executor not in ("spark", "local"):
        raise InputError("unknown-executor", f"no executor {executor!r}", hint="executors: spark, local")
    sweep = load_sweep(path)
    toolchain = find_toolchain(None)
    plan = plan_sweep(sweep, toolchain.jar.sha256)
    target = Store.create(store or Path("runs") / sweep.name)
    with contextlib.ExitStack() as stack:

        def start() -> Executor:
            if executor == "local":
                return LocalExecutor(fitting_slots(default_slots(sweep.workers), sweep.limits.memory_bytes))
            return stack.enter_context(_spark(master, sweep))

        with target.lock():
            perform(prepare(sweep, plan, target), toolchain, start, lambda _: None)
    return open_view(target.path)


@contextlib.contextmanager
def _spark(master: str, sweep: Sweep) -> Iterator[Executor]:
    from tla2py.spark.executor import SparkExecutor
    from tla2py.spark.session import fitting_master, spark_context

    fitting, _ = fitting_master(master, sweep.workers, sweep.limits.memory_bytes)
    with spark_context(fitting, workers=sweep.workers) as context:
        yield SparkExecutor(context)
