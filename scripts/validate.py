"""Validates the logs of a real program, right and wrong: ``python scripts/validate.py``.

specs/two_phase/two_phase.py runs two-phase commit between processes. Half of its runs have a bug. ``tla2py validate``
checks all logs against the specification alone. With a TLC that suits the CommunityModules it also checks them against the
trace specification. Every right run has to be explained, a wrong run that ends inconsistently must not be, and both ways
have to agree.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tla2py.tlc.tools.community import community_suits
from tla2py.tlc.tools.installed import community_jar
from tla2py.tlc.tools.toolchain import find_toolchain

SPECS = Path(__file__).resolve().parent.parent / "specs" / "two_phase"
# What makes runs wrong, and often enough.
KINDS = {"right": [], "wrong": ["--bug", "--abort", "0.4"]}
WAYS = {"TwoPhase.tla": "specification", "TwoPhaseTrace.tla": "trace specification"}
# The exit codes of a validation that ran: all logs hold, or some are violated.
RAN = (0, 1)


def reads_logs() -> bool:
    """Whether the TLC in use can run modules that read logs themselves."""
    return community_jar() is not None and community_suits(find_toolchain().jar)


def transact(folder: Path, runs: int) -> set[str]:
    """Run the program, right and wrong at the same time; the logs of runs that ended inconsistently."""
    program = [sys.executable, "-B", str(SPECS / "two_phase.py")]
    started = {
        kind: subprocess.Popen(
            [*program, str(folder / kind), "--runs", str(runs), *options], stdout=subprocess.PIPE, text=True
        )
        for kind, options in KINDS.items()
    }
    found = set()
    for kind, process in started.items():
        said, _ = process.communicate()
        if process.returncode:
            raise RuntimeError(f"the program exited with {process.returncode}")
        names = [line.partition(":")[0] for line in said.splitlines() if line.endswith(": INCONSISTENT")]
        found |= {f"{kind}/{name}.ndjson" for name in names}
    return found


def validate(module: str, folder: Path) -> dict[str, tuple[str, int | None]]:
    """The verdict on each log, and the first line that no behaviour explains."""
    logs = sorted(folder.glob("*/run-*.ndjson"))
    command = [sys.executable, "-m", "tla2py", "validate", str(SPECS / module), *map(str, logs)]
    command += ["-o", str(folder / Path(module).stem)]
    shown = subprocess.run(command, check=False)
    rows = subprocess.run(
        [*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False
    )
    if shown.returncode not in RAN or rows.returncode not in RAN:
        raise RuntimeError(f"tla2py validate exited with {shown.returncode} and {rows.returncode}")
    return {
        "/".join(Path(row["file"]).parts[-2:]): (row["verdict"], row["first_unmatched"])
        for row in json.loads(rows.stdout)
    }


def check(answers: dict[str, dict[str, tuple[str, int | None]]], inconsistent: set[str]) -> list[str]:
    """What is not as it should be, a line each."""
    first, *others = answers.values()
    wrong = [
        f"{log} is not explained" for log in first if log.startswith("right") and first[log][0] != "holds"
    ]
    wrong += [f"{log} is explained" for log in sorted(inconsistent) if first[log][0] == "holds"]
    for other in others:
        wrong += [f"{log}: {first[log]}, and {other[log]}" for log in first if first[log] != other[log]]
    return wrong


def main() -> int:
    """The exit status: 0, or 1 if an answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=50, help="right runs, and as many wrong ones")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder, start = Path(place), time.monotonic()
        inconsistent = transact(folder, options.runs)
        sys.stdout.write(f"{2 * options.runs} runs of the program: {time.monotonic() - start:.0f} s\n")
        answers = {}
        for module in [*WAYS] if reads_logs() else [*WAYS][:1]:
            start = time.monotonic()
            sys.stdout.write(f"\nagainst the {WAYS[module]}, {module}:\n")
            sys.stdout.flush()
            answers[module] = validate(module, folder)
            sys.stdout.write(f"{time.monotonic() - start:.0f} s\n")
        mistakes = check(answers, inconsistent)
        caught = sum(verdict != "holds" for verdict, _ in answers["TwoPhase.tla"].values())
        sys.stdout.write(
            f"\n{caught} of {options.runs} runs with the bug are not explained; "
            f"{len(inconsistent)} of them end inconsistently\n"
        )
        sys.stdout.writelines(f"wrong: {mistake}\n" for mistake in mistakes)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
