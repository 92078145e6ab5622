"""The processes of two-phase commit: a transaction manager and resource managers that log their steps."""

from __future__ import annotations

import contextlib
import json
import os
import random
import selectors
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

# The exit status of a resource manager that crashes because its seed says so.
CRASHED = 70
NEVER = float("inf")


class State(TypedDict, total=False):
    """What a process knows of the state: its own part."""

    tmState: str
    rmState: dict[str, str]


class Line(TypedDict):
    """A line of a log: a step that was taken, and what its process saw of the state after it."""

    action: str
    args: dict[str, str]
    state: State
    clock: int


class Message(TypedDict):
    """A message: prepare, commit and abort go to resource managers, prepared comes from one."""

    type: str
    sender: str
    clock: int


@dataclass(frozen=True)
class Settings:
    """What all processes of a run have in common; times are in seconds.

    ``abort`` and ``crash`` are how probable it is that a resource manager gives up, or crashes once and comes back.
    """

    folder: str
    seed: int
    rms: int
    abort: float
    crash: float
    delay: float
    resend: float
    timeout: float
    bug: bool

    def random(self, *words: str) -> random.Random:
        """The random numbers of a process, the same whenever it is started with this seed."""
        return random.Random(":".join([str(self.seed), *words]))


def read_log(path: Path) -> list[Line]:
    """The lines of a log; none where there is no file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


class Log:
    """The log of a process, and its Lamport clock. It survives a crash."""

    def __init__(self, path: Path) -> None:
        self.lines = read_log(path)
        self.clock = self.lines[-1]["clock"] if self.lines else 0
        self._file = path.open("a", encoding="utf-8")

    def receive(self, message: Message) -> None:
        """Move the clock to that of a message."""
        self.clock = max(self.clock, message["clock"])

    def write(self, action: str, args: dict[str, str], state: State) -> None:
        """Write the line of a step, before anybody can see the step's effect."""
        self.clock += 1
        line = Line(action=action, args=args, state=state, clock=self.clock)
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()


class Connection:
    """A socket that carries messages, one a line."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self._rest = b""

    def send(self, message: Message) -> None:
        """Send a message; the other process may be gone."""
        with contextlib.suppress(OSError):
            self.sock.sendall(json.dumps(message).encode() + b"\n")

    def receive(self) -> list[Message] | None:
        """The messages that have arrived, None at the end of the connection."""
        try:
            data = self.sock.recv(65536)
        except OSError:
            data = b""
        if not data:
            return None
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [json.loads(line) for line in lines]


class TransactionManager:
    """The process that decides."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._log = Log(Path(settings.folder, "tm.ndjson"))
        self._state = "init"
        self._asked = False
        self._prepared: set[str] = set()
        self._received = 0
        self._connections: list[Connection] = []

    def run(self) -> None:
        """Serve the resource managers until standard input is closed."""
        with selectors.DefaultSelector() as selector, socket.create_server(("127.0.0.1", 0)) as server:
            selector.register(sys.stdin, selectors.EVENT_READ)
            selector.register(server, selectors.EVENT_READ)
            sys.stdout.write(f"{server.getsockname()[1]}\n")
            sys.stdout.flush()
            abort_at = NEVER
            while True:
                for key, _ in selector.select(_until(abort_at)):
                    if key.fileobj is sys.stdin:
                        return
                    if key.fileobj is server:
                        connection = Connection(server.accept()[0])
                        selector.register(connection.sock, selectors.EVENT_READ, connection)
                        self._connect(connection)
                        continue
                    messages = key.data.receive()
                    if messages is None:
                        selector.unregister(key.fileobj)
                        key.data.sock.close()
                    for message in messages or ():
                        self._receive(message)
                if self._asked and self._state == "init":
                    abort_at = min(abort_at, time.monotonic() + self._settings.timeout)
                    if time.monotonic() >= abort_at:
                        self._decide("TMAbort", "aborted")
                else:
                    abort_at = NEVER

    def _connect(self, connection: Connection) -> None:
        self._connections.append(connection)
        if self._asked:  # a resource manager that came back
            connection.send(self._message())
        elif len(self._connections) == self._settings.rms:
            self._asked = True
            self._broadcast()

    def _receive(self, message: Message) -> None:
        self._log.receive(message)
        if self._state != "init":
            return
        rm = message["sender"]
        self._prepared.add(rm)
        self._received += 1
        self._log.write("TMRcvPrepared", {"r": rm}, {"tmState": self._state})
        # The bug: resource managers repeat themselves, and each repetition counts.
        votes = self._received if self._settings.bug else len(self._prepared)
        if votes >= self._settings.rms:
            self._decide("TMCommit", "committed")

    def _decide(self, action: str, state: str) -> None:
        self._state = state
        self._log.write(action, {}, {"tmState": state})
        self._broadcast()

    def _broadcast(self) -> None:
        for connection in self._connections:
            connection.send(self._message())

    def _message(self) -> Message:
        kind = {"init": "prepare", "committed": "commit", "aborted": "abort"}[self._state]
        return Message(type=kind, sender="tm", clock=self._log.clock)


class ResourceManager:
    """A process that takes part in the transaction."""

    def __init__(self, settings: Settings, name: str, port: int) -> None:
        self._settings = settings
        self._name = name
        self._log = Log(Path(settings.folder, f"{name}.ndjson"))
        self._connection = Connection(socket.create_connection(("127.0.0.1", port)))
        chance = settings.random(name)
        self._aborts = chance.random() < settings.abort
        self._crash_at = (
            chance.choice(["working", "logged", "sent"]) if chance.random() < settings.crash else ""
        )
        self._random = settings.random(name, "delays")
        self._state = "working"

    def run(self, restarted: bool) -> None:
        """Take part until the decision is known, or the transaction manager or the launcher is gone."""
        if restarted:
            self._recover()
        step_at = NEVER
        with selectors.DefaultSelector() as selector:
            selector.register(sys.stdin, selectors.EVENT_READ)
            selector.register(self._connection.sock, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select(_until(step_at))]
                if sys.stdin in ready:
                    return
                messages = self._connection.receive() if ready else []
                if messages is None:
                    return
                for message in messages:
                    self._log.receive(message)
                    if message["type"] == "prepare":
                        step_at = time.monotonic() + self._random.uniform(0, self._settings.delay)
                    else:
                        self._end(message["type"])
                        return
                if time.monotonic() >= step_at:
                    self._step()
                    waits = self._settings.resend * self._random.uniform(0.5, 1.5)
                    step_at = time.monotonic() + waits if self._state == "prepared" else NEVER

    def _recover(self) -> None:
        """Continue from the log; one that did not get as far as preparing has lost its work."""
        self._crash_at = ""
        if self._log.lines:
            self._state = "prepared" if self._log.lines[-1]["action"] == "RMPrepare" else "aborted"
        else:
            self._enter("RMChooseToAbort", "aborted")

    def _step(self) -> None:
        """Prepare or give up; once prepared, repeat the message in case it was lost."""
        if self._state == "working":
            self._crash("working")
            if self._aborts:
                self._enter("RMChooseToAbort", "aborted")
                return
            self._enter("RMPrepare", "prepared")
            self._crash("logged")
        if self._state == "prepared":
            self._connection.send(Message(type="prepared", sender=self._name, clock=self._log.clock))
            self._crash("sent")

    def _end(self, decision: str) -> None:
        time.sleep(self._random.uniform(0, self._settings.delay))
        if decision == "abort":
            self._enter("RMRcvAbortMsg", "aborted")
        elif self._state != "aborted":  # what is rolled back cannot be committed
            self._enter("RMRcvCommitMsg", "committed")

    def _enter(self, action: str, state: str) -> None:
        self._state = state
        self._log.write(action, {"r": self._name}, {"rmState": {self._name: state}})

    def _crash(self, place: str) -> None:
        if self._crash_at == place:
            os._exit(CRASHED)


def _until(moment: float) -> float | None:
    """The seconds until a moment, None if it never comes."""
    return None if moment == NEVER else max(0.0, moment - time.monotonic())


def main(settings: str, name: str, *rest: str) -> None:
    """Be one of the processes: ``tm``, or ``NAME PORT [again]`` for a resource manager."""
    read = Settings(**json.loads(settings))
    # Where the others are gone, there is nothing left to do.
    with contextlib.suppress(ConnectionError):
        if name == "tm":
            TransactionManager(read).run()
        else:
            port, *again = rest
            ResourceManager(read, name, int(port)).run(restarted=bool(again))


if __name__ == "__main__":
    main(*sys.argv[1:])
