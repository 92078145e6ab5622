"""How fast other tools read TLC's printed trace, compared with ours: ``python benchmarks/peers.py PYTHON``.

PYTHON is an interpreter with ``tlakit`` and ``modelator-py``; ``make bench`` creates one in ``.venv/peers``. Both read TLC's
output without ``-tool``, so all read the same log in that form, small enough for the slowest. Every figure is the median CPU
time of three runs in separate processes, the readers taking turns; imports are not counted.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.reading import state_text

RUNS = 3
STATES = 30
# Each reader's imports and work: it reads text, the log, and sets states to the number of states.
READERS = {
    "tla2py": (
        "from pathlib import Path; from tla2py.store.foreign import read_log",
        "states = sum(len(t.states) for t in read_log(text.encode().splitlines(keepends=True)).traces)",
    ),
    "tlakit 0.1.1": (
        "from tlakit.trace import parse_text_trace",
        "states = len(parse_text_trace(text).states)",
    ),
    "modelator-py 0.2.6": (
        "from modelator_py.util.tlc.stdout_to_informal_trace_format import *",
        "states = sum(len(tlc_trace_to_informal_trace_format_trace(t).states) for t in extract_traces(text))",
    ),
}
TIMER = """
import sys, time
{imports}
text = open(sys.argv[1], encoding="utf-8").read()
start = time.process_time()
{work}
print(time.process_time() - start, states)
"""


def write_plain_log(path: Path, states: int) -> None:
    """Write TLC's log of one trace, as printed without ``-tool``."""
    with path.open("w", encoding="utf-8") as log:
        log.write("TLC2 Version 2.15 of Day Month 20??\nError: Invariant Consistent is violated.\n")
        log.write("Error: The behavior up to this point is:\n")
        for index in range(1, states + 1):
            place = "Append line 40, col 3 to line 52, col 60 of module Log"
            # tlakit parses records, but not functions.
            text = state_text(index).replace(" :>", " |->").replace(" @@", ",")
            text = text.replace("(", "[").replace(")", "]")
            log.write(f"State {index}: <{'Initial predicate' if index == 1 else place}>\n{text}\n\n")
        log.write(f"{states} states generated, {states} distinct states found, 0 states left on queue.\n")
        log.write("Finished in 100ms at (2001-02-03 04:05:06)\n")


def seconds(python: str, name: str, log: Path) -> float:
    """The CPU seconds of one reading. Raises RuntimeError if it yields the wrong number of states."""
    imports, work = READERS[name]
    program = TIMER.format(imports=imports, work=work)
    done = subprocess.run([python, "-c", program, log], capture_output=True, text=True, check=True)
    taken, states = done.stdout.split()
    if int(states) != STATES:
        raise RuntimeError(f"{name} read {states} of {STATES} states")
    return float(taken)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("python", metavar="PYTHON", help="an interpreter that has the other tools installed")
    python = parser.parse_args().python
    with tempfile.TemporaryDirectory() as name:
        log = Path(name) / "run.log"
        write_plain_log(log, STATES)
        taken: dict[str, list[float]] = {reader: [] for reader in READERS}
        for _ in range(RUNS):
            for reader, found in taken.items():
                found.append(seconds(sys.executable if reader == "tla2py" else python, reader, log))
        ours = median(taken["tla2py"])
        lines = [f"{'a plain log of ' + str(STATES) + ' states':<26}{'CPU s':>8}{'ratio':>7}"]
        lines += [f"{reader:<26}{median(t):>8.3f}{median(t) / ours:>7.1f}" for reader, t in taken.items()]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
