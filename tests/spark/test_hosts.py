"""JVMs that run TLC many times, below Spark's Python workers."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from tests.conftest import RunCli
from tests.stores import record_ids
from tla2py.store.store import Store

pytestmark = pytest.mark.spark

SPECS = Path(__file__).resolve().parent.parent / "specs"


def test_small_runs_share_a_jvm_that_ends_with_spark(run_cli: RunCli, tmp_path: Path) -> None:
    path = tmp_path / "store"
    run_cli("sweep", SPECS / "counter.toml", "-o", path, "--master", "local[1,4]", process=True, code=0)
    places = set()
    for run_id in record_ids(path):
        with Store(path).archive(run_id) as archive:
            for execution in archive.record.executions:
                places |= {part for part in execution.argv if part.startswith("-Djava.io.tmpdir=")}
    (place,) = places
    assert "tla2py-host-" in place
    folder = place.partition("=")[2]
    gone, alive = psutil.wait_procs(
        [p for p in psutil.process_iter(["cmdline"]) if any(folder in a for a in p.info["cmdline"] or ())],
        timeout=15,
    )
    assert not alive, gone
    assert not Path(folder).exists()
