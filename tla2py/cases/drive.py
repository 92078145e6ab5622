"""A program driven through the cases of a graph: a JSON object a line each way, and the states that its answers leave.

The program runs as the user's own, in a process group that is gone when a case has to be given up and at the end.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import psutil

from tla2py.cases.cases import Case, Cases
from tla2py.cases.cover import Behaviour, CoverOptions, CoverSearch
from tla2py.errors import InputError, reason_of, writing
from tla2py.files import write_atomically
from tla2py.model.row import DriveRow
from tla2py.store.schema import TABLES
from tla2py.store.write import DRIVES
from tla2py.text import cut
from tla2py.tla.canonical import canonical
from tla2py.tla.itf import Json, from_itf, json_text
from tla2py.tla.value_text import format_value
from tla2py.tlc.process.system import kill_group

PROTOCOL = 1
# The most bytes of an answer.
_LONGEST = 64 << 20
# How far a plan for what was not reached looks.
_AHEAD = 10


class _TroubleError(Exception):
    """What a case ends with that does not pass."""

    def __init__(self, verdict: str, message: str) -> None:
        super().__init__(message)
        self.verdict = verdict


@dataclass(kw_only=True)
class Program:
    """The program: started when it is needed, and anew after it was killed."""

    command: Sequence[str]
    hello: Mapping[str, Json]
    seconds: float
    starts: int = 0
    _process: subprocess.Popen[bytes] | None = None
    _rest: bytes = b""

    def ask(self, question: Mapping[str, Json]) -> dict[str, Json]:
        """The answer to a question. Raises _TroubleError, after which the program is gone."""
        try:
            if self._process is None:
                self._process = self._start()
            return self._ask(self._process, question)
        except _TroubleError:
            self.end(kill=True)
            raise

    def _start(self) -> subprocess.Popen[bytes]:
        self.starts, self._rest = self.starts + 1, b""
        try:
            self._process = process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise _TroubleError("not_run", f"cannot start {self.command[0]}: {reason_of(error)}") from error
        try:
            answer = self._ask(process, self.hello)
        except _TroubleError as error:
            raise _TroubleError("not_run", f"no answer to hello: {error}") from error
        if answer.get("protocol") != PROTOCOL:
            raise _TroubleError("not_run", f"hello was answered by {cut(json_text(answer), 200)}")
        return process

    def _ask(self, process: subprocess.Popen[bytes], question: Mapping[str, Json]) -> dict[str, Json]:
        assert process.stdin is not None
        if self._rest:
            text = cut(self._rest.decode("utf-8", "replace"), 200)
            raise _TroubleError("protocol", f"it answered more than it was asked: {text!r}")
        try:
            process.stdin.write(json_text(question).encode() + b"\n")
            process.stdin.flush()
        except OSError:
            raise _gone(process) from None
        line = self._line(process, time.monotonic() + self.seconds)
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            text = cut(line.decode("utf-8", "replace"), 200)
            raise _TroubleError("protocol", f"not a JSON object: {text!r}")
        return answer

    def _line(self, process: subprocess.Popen[bytes], until: float) -> bytes:
        """The next line of the output."""
        assert process.stdout is not None
        output = process.stdout.fileno()
        while b"\n" not in self._rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([output], [], [], left)[0]:
                raise _TroubleError("timeout", f"no answer within {self.seconds:g} seconds")
            data = os.read(output, 1 << 16)
            if not data:
                raise _gone(process)
            self._rest += data
            if len(self._rest) > _LONGEST:
                raise _TroubleError("protocol", "an answer of more than 64 MiB")
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def end(self, *, kill: bool = False) -> None:
        """End the program by the end of its input, or kill it; nothing that it started stays."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        children = []
        with contextlib.suppress(psutil.Error):
            children = psutil.Process(process.pid).children(recursive=True)
        with contextlib.suppress(OSError):
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0 if kill else self.seconds)
        kill_group(process.pid)
        for child in children:
            with contextlib.suppress(psutil.Error):
                child.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def _gone(process: subprocess.Popen[bytes]) -> _TroubleError:
    """The error of a program that answers no more."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        code = process.wait(1)
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit status {code}"
        return _TroubleError("crashed", f"the program {how}")
    return _TroubleError("crashed", "the program closed its output")


@dataclass(kw_only=True)
class Drive:
    """A drive through cases; ``reached`` are the steps that the program may have taken."""

    cases: Cases
    program: Program
    shrink: bool = False
    reached: set[int] = field(default_factory=set)

    @property
    def not_reached(self) -> int:
        """The number of steps that the cases should take and the system never chose."""
        planned = {step for each in self.cases.cover.behaviours for step in each.steps}
        return len(planned - self.reached)

    def run(self) -> Iterator[DriveRow]:
        """Each case as it ends.

        Raises InputError (``drive-start``) if the program cannot be started at all; once it has been, the cases left
        are ``not_run``.
        """
        broken = None
        try:
            for case in self.cases:
                row = self._timed(case) if broken is None else self._row(case, "not_run", message=broken)
                if row.verdict == "not_run":
                    if self.program.starts <= 1:
                        hint = "it reads a JSON object a line from standard input and answers each by one"
                        raise InputError("drive-start", row.message or "", hint=hint)
                    broken = row.message
                elif row.verdict != "passed" and self.shrink:
                    row = self._shortest(case, row)
                yield row
        finally:
            self.program.end()

    def _row(self, case: Case, verdict: str, **more: Any) -> DriveRow:
        return DriveRow(point=self.cases.graph.point, case=case.case, verdict=verdict, **more)

    def _timed(self, case: Case) -> DriveRow:
        begun, starts = time.monotonic(), self.program.starts
        row = self._drive(case)
        seconds = time.monotonic() - begun
        return replace(row, seconds=seconds, restarts=self.program.starts - max(starts, 1))

    def _drive(self, case: Case) -> DriveRow:
        cases, graph = self.cases, self.cases.graph
        names = [graph.names[step] for step in case.behaviour.steps if cases.is_input(step)]
        allowed = cases.closure([case.behaviour.initial])
        question: dict[str, Json] = {"do": "reset", "state": dict(graph.state(case.behaviour.initial))}
        before: list[int] = []
        number, name, action = 0, -1, None
        while True:
            answer: dict[str, Json] = {}
            try:
                answer = self.program.ask(question)
                states = self._agreeing(answer, allowed)
            except _TroubleError as error:
                found = answer.get("state", answer)
                return self._row(
                    case,
                    error.verdict,
                    step=number,
                    action=json_text(action) if action else None,
                    expected=json_text([dict(graph.state(state)) for state in allowed]),
                    found=json_text(found) if answer else None,
                    message=str(error),
                )
            if number:
                self._note(before, name, states)
            before = cases.closure(states)
            if names and all(graph.names[step] != names[0] for step in graph.leaving(states)):
                # The system has gone another way that the specification allows, or has not gone on.
                names = self._plan(states)
            if not names:
                return self._row(case, "passed")
            name = names.pop(0)
            action = graph.labels[name].to_json()
            allowed = cases.after(before, name)
            number += 1
            question = {"do": "step", "action": action["name"], "args": action["args"]}

    def _note(self, before: Sequence[int], name: int, after: Sequence[int]) -> None:
        """Note the steps that the program may have taken, by an input and by itself."""
        graph, there = self.cases.graph, {*before, *after}
        for state in there:
            for step in graph.steps(state):
                input_ = state in before and graph.names[step] == name
                if graph.targets[step] in there and (input_ or not self.cases.is_input(step)):
                    self.reached.add(step)

    def _plan(self, states: Sequence[int]) -> list[int]:
        """The inputs on a shortest way from any of these states through a step that was not reached yet; none if it is far."""
        graph = self.cases.graph
        ways: dict[int, tuple[int, ...]] = dict.fromkeys(states, ())
        border = list(states)
        for _ in range(_AHEAD):
            before, border = border, []
            for state in before:
                for step in graph.steps(state):
                    way = (*ways[state], *((graph.names[step],) if self.cases.is_input(step) else ()))
                    # The system need not take a step of its own before the next input.
                    if not way:
                        continue
                    if step not in self.reached:
                        return list(way)
                    if graph.targets[step] not in ways:
                        ways[graph.targets[step]] = way
                        border.append(graph.targets[step])
        return []

    def _agreeing(self, answer: Mapping[str, Json], allowed: Sequence[int]) -> list[int]:
        """The allowed states that agree with an answer. Raises _TroubleError, for none with the differences from the nearest."""
        if "error" in answer:
            raise _TroubleError("failed", f"the program refused: {cut(str(answer['error']), 1000)}")
        state = answer.get("state")
        if not isinstance(state, dict):
            raise _TroubleError("protocol", f"neither a state nor an error: {cut(json_text(answer), 200)}")
        known = self.cases.graph.state(0)
        for name in state:
            if name not in known and not name.startswith("#"):
                raise _TroubleError("protocol", f"the specification has no variable {name}")
        keys = {name: _key(json_text(state[name])) for name in known if name in state}
        rights = [self.cases.graph.state(number) for number in allowed]
        differing = [
            [name for name, key in keys.items() if _key(json_text(right[name])) != key] for right in rights
        ]
        agreeing = [number for number, names in zip(allowed, differing, strict=True) if not names]
        if agreeing:
            return agreeing
        names, right = min(
            zip(differing, rights, strict=True), key=lambda each: len(each[0]), default=([], {})
        )
        parts = (
            f"{name} is {_shown(state[name])}, and the specification allows {_shown(right[name])}"
            for name in names
        )
        raise _TroubleError("failed", "; ".join(parts) or "the specification allows no step")

    def _shortest(self, case: Case, row: DriveRow) -> DriveRow:
        """The shortest case that fails like this one: a shortest path, then the end of this one."""
        graph, steps = self.cases.graph, list(case.behaviour.steps)
        if row.step and not self.cases.inputs:
            steps = steps[: row.step]
        path_to = CoverSearch(graph, CoverOptions()).path_to
        ways = ([*path_to(graph.sources[step]), *steps[place:]] for place, step in enumerate(steps))
        for way in sorted((way for way in ways if len(way) < len(steps)), key=len):
            again = self._timed(self.cases.case(Behaviour(graph.sources[way[0]], way)))
            if again.verdict == row.verdict:
                return again
        return row


@lru_cache(maxsize=1 << 16)
def _key(text: str) -> object:
    """What is equal for equal values. Raises _TroubleError for what is not ITF."""
    try:
        return canonical(from_itf(json.loads(text)))
    except InputError as error:
        raise _TroubleError("protocol", error.message) from error


def _shown(value: Json) -> str:
    return cut(format_value(from_itf(value)), 300)


def write_drives(folder: Path, driven: Sequence[DriveRow]) -> Path:
    """Write the table ``drives``, and return its file. Raises InputError (``output-unwritable``)."""
    # Imported on use, as it takes long.
    import pyarrow.parquet as pq

    from tla2py.store.sink import rows_as_table

    file = folder / DRIVES
    with writing(file):
        folder.mkdir(parents=True, exist_ok=True)
        table = rows_as_table(TABLES["drives"], map(asdict, driven))
        write_atomically(file, lambda sink: pq.write_table(table, sink, compression="zstd"))
    return file
