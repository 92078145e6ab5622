"""The reference: what TLC 2.15 says of each system, a row per run, and the run of ours that has to say the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec

from tla2py.execution.check import ModelOptions, check_sweep
from tla2py.execution.sweeps import SweepOptions
from tla2py.model.run import Limits, Run, TlcOptions
from tla2py.sweep.plan import plan_sweep
from tla2py.tlc.tools.jar import bundled_jar, read_jar
from tla2py.tlc.tools.java import find_java
from tla2py.tlc.tools.toolchain import Toolchain

ROOT = Path(__file__).resolve().parents[2]
SPECS = ROOT / "specs"
TABLES = sorted((ROOT / "tests" / "reference").glob("*.json"))

# Rows that took longer than this when the reference was made are left to a run of tests/systems/test_reference.py with --group=all.
SMALL_SECONDS = 1.5

LIMITS = Limits(timeout_seconds=1200, memory_bytes=4 * 1024**3)


class Edit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A deliberate mistake: a piece of a module, and what stands there instead."""

    file: str
    old: str
    new: str


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One run: the module, the config, a module that extends it where one is needed, and TLC's answer.

    ``lasso_back_to`` is the number of a state from 1. Counts that TLC does not print are None.
    """

    id: str
    module: str
    wrapper: str | None
    edits: tuple[Edit, ...]
    cfg_text: str
    check_deadlock: bool
    extra_args: tuple[str, ...]
    workers: int
    outcome: str
    violated: str | None
    generated: int | None
    distinct: int | None
    depth: int | None
    trace_length: int | None
    lasso_back_to: int | None
    stuttering: bool
    actions: tuple[str, ...] | None
    seconds: float
    note: str | None = None
    system: str = ""

    @property
    def small(self) -> bool:
        return self.seconds <= SMALL_SECONDS


def read_rows(table: Path) -> list[Row]:
    """The rows of one system; the file is named as its folder under ``specs``."""
    rows = msgspec.json.decode(table.read_bytes(), type=list[Row])
    return [msgspec.structs.replace(row, system=table.stem) for row in rows]


def reference_toolchain() -> Toolchain:
    """The TLC that the reference was made with, whatever else is installed."""
    return Toolchain(java=find_java(), jar=read_jar(bundled_jar(), "bundled"))


def plan_row(row: Row, folder: Path, jar_sha256: str) -> tuple[Run, dict[str, str]]:
    """The run of a row, made as `tla2py check` makes it from files in ``folder``, and its module texts by sha256."""
    for source in (SPECS / row.system, SPECS / "lib"):
        for module in source.glob("*.tla"):
            shutil.copy(module, folder)
    for edit in row.edits:
        text = (folder / edit.file).read_text(encoding="utf-8")
        assert text.count(edit.old) == 1, f"{row.id}: {edit.old!r} is not once in {edit.file}"
        (folder / edit.file).write_text(text.replace(edit.old, edit.new), encoding="utf-8")
    main = folder / f"{row.module}.tla"
    if row.wrapper is not None:
        name = row.wrapper.split("MODULE", 1)[1].split()[0]
        main = folder / f"{name}.tla"
        main.write_text(row.wrapper, encoding="utf-8")
    config = folder / "Reference.cfg"
    config.write_text(row.cfg_text, encoding="utf-8")
    model = ModelOptions(config=config, check_deadlock=row.check_deadlock)
    # The fingerprint polynomial, on which the search for a lasso depends.
    option, number = row.extra_args or ("-fp", "0")
    assert option == "-fp", row.extra_args
    options = TlcOptions(workers=row.workers, fp=int(number))
    sweep = check_sweep(main, model, SweepOptions()).select(options=options, limits=LIMITS)
    plan = plan_sweep(sweep, jar_sha256)
    return plan.runs[0], plan.sources
