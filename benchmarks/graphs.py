"""What loading a state graph costs, against TLC's own time to dump it: ``python -m benchmarks.graphs``.

The graph is that of ledger chaining with three clients. The plain command is TLC with ``-dump dot,actionlabels``; loading
is what a sweep does once TLC has ended: its dump is put into the record, and the tables are made from the record.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tla2py
from benchmarks.sweeps import CORES, sweep, timed
from tla2py.store.store import Store
from tla2py.tlc.tools.toolchain import find_toolchain

SPEC = Path(__file__).resolve().parent.parent / "specs" / "ledger_chaining"
STATES, STEPS = 375_963, 1_989_339
# The tables anew, and the largest resident set of any process in MiB.
LOAD = """
import resource, sys, time
from tla2py.store.store import Store
from tla2py.store.refresh import refresh_tables
start = time.monotonic()
store = Store(sys.argv[1])
with store.lock():
    refresh_tables(store, anew=True)
peaks = [resource.getrusage(who).ru_maxrss >> 10 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(time.monotonic() - start, max(peaks))
"""


def plain(folder: Path, config: str) -> float:
    """The wall seconds of TLC, which dumps the graph."""
    tools = find_toolchain()
    (folder / "MC.cfg").write_text(config)
    (folder / "t").mkdir()
    java = [tools.java.path, "-XX:+UseParallelGC", f"-Djava.io.tmpdir={folder / 't'}", "-cp", tools.jar.path]
    tlc = ["tlc2.TLC", "-workers", "1", "-checkpoint", "0", "-metadir", "m", "-config", "MC.cfg"]
    command = [*java, *tlc, "-dump", "dot,actionlabels", "plain.dot", "LedgerChaining.tla"]
    seconds, _ = timed([str(part) for part in command], folder)
    return seconds


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", default="", help="a larger graph, such as 'md_next_lid < 5'")
    limit = parser.parse_args().limit
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        module = (SPEC / "LedgerChaining.tla").read_text()
        if limit:
            module = module.replace("md_next_lid < 4", limit)
        (folder / "LedgerChaining.tla").write_text(module)
        text = (SPEC / "graph.toml").read_text().partition("[expect]")[0].replace("{c1, c2}", "{c1, c2, c3}")
        text = text.replace("[tlc]", '[tlc]\ntimeout = "2h"')
        (folder / "s.toml").write_text(text)
        swept, _ = timed(sweep(), folder)
        view = tla2py.open_store(folder / "store")
        run = view.arrow("runs").to_pylist()[0]
        with Store(folder / "store").archive(run["run_id"]) as archive:
            config = archive.record.executions[0].config_text
        alone = plain(folder, config)
        size = (folder / "plain.dot").stat().st_size >> 20
        start = time.monotonic()
        command = [sys.executable, "-c", LOAD, str(folder / "store")]
        loaded, peak = map(float, subprocess.check_output(command, text=True).split())
        started = time.monotonic() - start - loaded
        counts = [view.arrow(table).num_rows for table in ("graph_states", "graph_edges")]
    if not limit and counts != [STATES, STEPS]:
        raise RuntimeError(f"the tables have {counts} rows")
    after = swept - run["wall_seconds"]
    rows = [
        ("TLC, which dumps the graph", alone),
        ("a sweep with graph = true", swept),
        ("of that, before and after TLC", after),
        ("the tables anew from the record", loaded + started),
    ]
    lines = [f"{counts[0]} states, {counts[1]} steps, {size} MiB{'':<20}{'wall s':>8}{'ratio':>8}"]
    lines += [f"{title:<50}{seconds:>8.1f}{seconds / alone:>8.2f}" for title, seconds in rows]
    lines.append(f"largest process {peak:.0f} MiB; load {os.getloadavg()[0]:.1f} on {CORES} cores")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
