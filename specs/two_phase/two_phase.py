"""Two-phase commit between processes, each of which logs its steps: see README.md.

A run is one transaction. A transaction manager and resource managers, each a process of its own, exchange messages over
sockets. Each process logs its steps to OUT/run-001/NAME.ndjson. OUT/run-001.ndjson has the lines of all processes, with
causes before their effects.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from parties import CRASHED, Line, Settings, read_log

PROGRAM = Path(__file__).with_name("parties.py")


class Processes:
    """The processes of a run. None of them is left at the end, whatever happens.

    They end when their standard input does, so none outlives this process either, even if it is killed.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = json.dumps(dataclasses.asdict(settings))
        self._started: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._started):
            if process.poll() is None:
                process.kill()
            with process:  # closes its pipes and waits for it
                pass

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """A new process. Its session is its own, so that Ctrl-C reaches only this process."""
        process = subprocess.Popen(
            [sys.executable, "-S", str(PROGRAM), self._settings, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._started.append(process)
        return process


def transact(settings: Settings, limit: float) -> None:
    """Run one transaction to its end; raises TimeoutError after as many seconds as the limit."""
    Path(settings.folder).mkdir(parents=True)
    names = [f"rm{number}" for number in range(1, settings.rms + 1)]
    stop_at = time.monotonic() + limit
    with Processes(settings) as processes:
        manager = processes.start("tm")
        assert manager.stdin is not None
        assert manager.stdout is not None
        port = manager.stdout.readline().decode().strip()
        running = {name: processes.start(name, port) for name in names}
        while running:
            for name, process in list(running.items()):
                code = process.poll()
                if code == CRASHED:
                    running[name] = processes.start(name, port, "again")
                elif code is not None:
                    del running[name]
            if time.monotonic() > stop_at:
                raise TimeoutError(f"no decision within {limit} seconds, see {settings.folder}")
            time.sleep(0.01)
        manager.stdin.close()
        manager.wait(limit)


def merged(logs: Mapping[str, Iterable[Line]]) -> list[Line]:
    """The lines of all processes by clock; of steps that do not depend on each other, by the name of the process."""
    named = [(line["clock"], name, line) for name, lines in logs.items() for line in lines]
    return [line for _, _, line in sorted(named, key=lambda each: each[:2])]


def ends(lines: Iterable[Line]) -> dict[str, str]:
    """The state that each resource manager was in at last, as far as it logged any."""
    found: dict[str, str] = {}
    for line in lines:
        found |= line["state"].get("rmState", {})
    return dict(sorted(found.items()))


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description="Run two-phase commit and log its steps.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("out", type=Path, metavar="OUT", help="a folder for the logs")
    parser.add_argument("--runs", type=int, default=1, help="number of transactions, each with the next seed")
    parser.add_argument("--rms", type=int, default=3, help="number of resource managers")
    parser.add_argument("--seed", type=int, default=1, help="decides delays, crashes, and who gives up")
    parser.add_argument("--bug", action="store_true", help="count repeated messages as further votes")
    parser.add_argument(
        "--abort", type=float, default=0.2, help="probability that a resource manager gives up"
    )
    parser.add_argument("--crash", type=float, default=0.1, help="probability that one crashes and restarts")
    parser.add_argument("--delay", type=float, default=0.05, help="longest delay before a step, in seconds")
    parser.add_argument("--resend", type=float, default=0.05, help="seconds between repetitions, on average")
    parser.add_argument("--timeout", type=float, default=0.3, help="seconds after which the manager aborts")
    parser.add_argument("--limit", type=float, default=60, help="seconds after which a run is given up")
    return parser.parse_args(arguments)


def main() -> int:
    """The exit status: 0, or 1 if a run did not end in time."""
    options = parse()
    for number in range(1, options.runs + 1):
        folder = options.out / f"run-{number:03}"
        settings = Settings(
            folder=str(folder),
            seed=options.seed + number - 1,
            rms=options.rms,
            abort=options.abort,
            crash=options.crash,
            delay=options.delay,
            resend=options.resend,
            timeout=options.timeout,
            bug=options.bug,
        )
        try:
            transact(settings, options.limit)
        except TimeoutError as error:
            sys.stderr.write(f"{error}\n")
            return 1
        lines = merged({log.stem: read_log(log) for log in sorted(folder.glob("*.ndjson"))})
        text = "".join(json.dumps(line) + "\n" for line in lines)
        folder.with_suffix(".ndjson").write_text(text, encoding="utf-8")
        states = ends(lines)
        verdict = "INCONSISTENT" if {"committed", "aborted"} <= set(states.values()) else "consistent"
        sys.stdout.write(
            f"{folder.name}: {', '.join(f'{rm} {state}' for rm, state in states.items())}: {verdict}\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
