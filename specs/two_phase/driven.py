"""The processes of two-phase commit, driven step by step by ``tla2py drive``: see README.md.

This program stands between the real processes as their network: it holds each message until a step delivers it, and
answers with the states that the processes log.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from parties import Connection, Message, Settings, read_log
from two_phase import Processes

# Seconds that a process may take to log a step, and that it gets for a further one.
PATIENCE, SETTLE = 5.0, 0.02


class Transaction:
    """One transaction: the manager's process, and those of the resource managers once a step concerns them."""

    def __init__(self, folder: Path, rms: list[str], bug: bool) -> None:
        self._settings = Settings(
            folder=str(folder),
            seed=1,
            rms=len(rms),
            abort=0,
            crash=0,
            delay=0,
            resend=1e6,
            # The manager never gives up by itself.
            timeout=1e6,
            bug=bug,
        )
        self._folder = folder
        self._processes: list[Processes] = []
        self._manager: dict[str, Connection] = {}
        self._parties: dict[str, Connection] = {}
        self._held: dict[str, Message] = {}
        self.rms = rms
        port = self._start(self._settings, "tm")
        for name in rms:
            self._manager[name] = Connection(socket.create_connection(("127.0.0.1", port)))

    def _start(self, settings: Settings, *words: str) -> int:
        """Start a process, and return the port that it prints, if it does."""
        processes = Processes(settings).__enter__()
        self._processes.append(processes)
        output = processes.start(*words).stdout
        assert output is not None
        return int(output.readline()) if words == ("tm",) else 0

    def end(self) -> None:
        """End all processes."""
        for connection in (*self._manager.values(), *self._parties.values()):
            connection.sock.close()
        for processes in self._processes:
            processes.__exit__()

    def _deliver(self, name: str, kind: str, *, abort: bool = False) -> None:
        """Have a resource manager receive a message; its process starts with the first."""
        if name not in self._parties:
            with socket.create_server(("127.0.0.1", 0)) as server:
                settings = dataclasses.replace(self._settings, abort=1 if abort else 0)
                self._start(settings, name, str(server.getsockname()[1]))
                self._parties[name] = Connection(server.accept()[0])
        self._parties[name].send(Message(type=kind, sender="tm", clock=0))

    def step(self, action: str, name: str) -> None:
        """Take a step, and wait until the process has logged it."""
        log = "tm" if action.startswith("TM") else name
        before = len(self._lines(log))
        if action == "TMRcvPrepared":
            self._manager[name].send(self._held[name])
        elif action in ("RMPrepare", "RMChooseToAbort"):
            self._deliver(name, "prepare", abort=action == "RMChooseToAbort")
        else:
            # Its process ends with the decision, and hears of it once.
            if before and self._lines(log)[-1]["action"].startswith("RMRcv"):
                return
            self._deliver(name, "commit" if action == "RMRcvCommitMsg" else "abort")
        until = time.monotonic() + PATIENCE
        while len(self._lines(log)) == before and time.monotonic() < until:
            time.sleep(0.001)
        if action == "RMPrepare":
            [self._held[name]] = self._parties[name].receive() or []
        elif action == "TMRcvPrepared":
            time.sleep(SETTLE)

    def _lines(self, name: str) -> list[Any]:
        text = self._folder / f"{name}.ndjson"
        # The last line may be half written.
        return read_log(text) if not text.exists() or text.read_bytes()[-1:] in (b"", b"\n") else []

    def state(self) -> dict[str, object]:
        """The state that the processes logged."""
        manager = self._lines("tm")
        parties = {name: self._lines(name) for name in self.rms}
        return {
            "tmState": manager[-1]["state"]["tmState"] if manager else "init",
            "rmState": {
                name: lines[-1]["state"]["rmState"][name] if lines else "working"
                for name, lines in parties.items()
            },
        }


def main() -> None:
    """Answer until standard input ends."""
    parser = argparse.ArgumentParser(description="Be driven through two-phase commit by tla2py drive.")
    parser.add_argument("--bug", action="store_true", help="count repeated messages as further votes")
    bug = parser.parse_args().bug
    transaction: Transaction | None = None
    with tempfile.TemporaryDirectory() as scratch:
        for number, line in enumerate(sys.stdin):
            question = json.loads(line)
            answer: dict[str, object] = {"protocol": 1}
            if question["do"] == "reset":
                if transaction is not None:
                    transaction.end()
                folder = Path(scratch, str(number))
                folder.mkdir()
                transaction = Transaction(folder, sorted(question["state"]["rmState"]), bug)
            elif question["do"] == "step" and transaction is not None:
                transaction.step(question["action"], question["args"].get("r", ""))
            if question["do"] != "hello" and transaction is not None:
                answer = {"state": transaction.state()}
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
        if transaction is not None:
            transaction.end()


if __name__ == "__main__":
    main()
