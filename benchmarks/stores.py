"""Large stores for measurements: real records copied under the run ids of a large sweep."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from dataclasses import replace
from itertools import islice
from pathlib import Path

import msgspec

import tla2py
from tla2py.execution.job import write_points
from tla2py.model.outcome import Verdict
from tla2py.store.pack import PackedRecord, write_packs
from tla2py.store.record import record_name
from tla2py.store.store import ManifestPoint, Store
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep
from tla2py.tlc.tools.toolchain import find_toolchain

_SPEC = Path(__file__).resolve().parent.parent / "specs" / "kip320"
# The sweep whose records are copied, in half a minute: seven points, four of which violate an invariant or both.
_BASE = """name = "base"
module = ["KafkaTruncateToHighWatermark.tla", "Kip101.tla", "Kip279.tla", "Kip320.tla"]
[model]
specification = "Spec"
invariants = ["WeakIsr", "StrongIsr"]
check_deadlock = false
[constants]
LogSize = 2
MaxLeaderEpoch = 1
MaxRecords = 1
[parameters]
Replicas = ["{b1, b2}", "{b1, b2, b3}"]
[grid]
exclude = [{ Replicas = "{b1, b2, b3}", module = "Kip320.tla" }]
[tlc]
find = "each"
"""
_LARGE = """name = "large"
module = "Kip101.tla"
[model]
specification = "Spec"
invariants = ["WeakIsr", "StrongIsr"]
check_deadlock = false
[constants]
Replicas = "{{b1, b2}}"
[parameters]
LogSize = {{ from = 1, to = 10 }}
MaxRecords = {{ from = 1, to = 10 }}
MaxLeaderEpoch = {{ from = 1, to = {last} }}
[tlc]
find = "each"
"""


def tla2py_command(*arguments: str) -> list[str]:
    """The command line of tla2py."""
    return [sys.executable, "-m", "tla2py", *arguments]


def sweep_command(*options: str) -> list[str]:
    """The command line of the sweep of a large store."""
    return tla2py_command("sweep", "large.toml", "-o", "store", "--executor", "local", *options)


def write_base(folder: Path) -> None:
    """Write a store whose records are copied, by a sweep."""
    _write_modules(folder)
    (folder / "base.toml").write_text(_BASE)
    command = tla2py_command("sweep", "base.toml", "-o", "store", "--executor", "local")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)


def write_large(folder: Path, base: Path, points: int, missing: int = 1) -> None:
    """Write a sweep of a multiple of 100 points, and a store with packed records of all of them but the first ones.

    A twentieth of the points are violated, with several kinds of counterexamples.
    """
    _write_modules(folder)
    (folder / "large.toml").write_text(_LARGE.format(last=points // 100))
    sweep = load_sweep(folder / "large.toml")
    plan = plan_sweep(sweep, find_toolchain().jar.sha256)
    store, templates = Store.create(folder / "store"), Templates(base / "store")
    with store.lock():
        write_points(sweep, replace(plan, sources=plan.sources | templates.sources), store)
        rest = islice(store.points(), missing, None)
        records = (PackedRecord(each.run_id, 1, templates.copy(each, points // 200)) for each in rest)
        for _ in write_packs(store.storage, records):
            pass


def add_first(folder: Path, base: Path, count: int = 1) -> None:
    """Add the records of the first points to a large store."""
    store, templates = Store(folder / "store"), Templates(base / "store")
    for point in islice(store.points(), count):
        stream = templates.copy(point, 1)
        store.storage.write({record_name(point.run_id): lambda sink, s=stream: sink.write(s.getbuffer())})  # type: ignore[misc]


def _write_modules(folder: Path) -> None:
    folder.mkdir()
    for file in _SPEC.glob("*.tla"):
        (folder / file.name).write_bytes(file.read_bytes())


class Templates:
    """The records of a store, to be copied under other run ids."""

    def __init__(self, path: Path) -> None:
        base = Store(path)
        self.sources = base.sources()
        self._holds: list[_Template] = []
        self._violated: list[_Template] = []
        for row in tla2py.open_store(path).run_rows:
            found = self._violated if row.verdict is Verdict.VIOLATED else self._holds
            found.append(_Template(base, row.run_id))

    def copy(self, point: ManifestPoint, half: int) -> io.BytesIO:
        """The record of a point: one that is violated if the first two parameters are large and the third is over ``half``."""
        first, second, third = map(int, point.parameters.values())
        found = self._violated if first + second >= 17 and third > half else self._holds
        return found[third % len(found)].copy(point.run_id)


class _Template:
    """A record, to be copied under other run ids."""

    def __init__(self, base: Store, run_id: str) -> None:
        sink = io.BytesIO()
        with base.archive(run_id) as archive, zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as streams:
            for number in range(1, len(archive.record.executions) + 1):
                with archive.stdout(number) as stdout:
                    streams.writestr(f"{number}/stdout.txt", stdout.read())
                streams.writestr(f"{number}/stderr.txt", archive.stderr(number))
            self._record = msgspec.json.format(msgspec.json.encode(archive.record), indent=1)
        self._streams, self._run_id = sink.getvalue(), run_id.encode()

    def copy(self, run_id: str) -> io.BytesIO:
        """The archive under another run id."""
        sink = io.BytesIO(self._streams)
        with zipfile.ZipFile(sink, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("record.json", self._record.replace(self._run_id, run_id.encode()))
        return sink
