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
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import psutil

from tla2py.cases.cases import Case, Cases
from tla2py.cases.cover import Behaviour, CoverOptions, CoverSearch
from tla2py.errors import InputError, reason_of, writing
from tla2py.files import write_atomically
from tla2py.store.schema import Column
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
DRIVES = (
    Column("point", "int32", False, "number of the point in grid order, from 1"),
    Column("case", "string", False, "the case's id"),
    Column("verdict", "string", False, "passed, failed, crashed, timeout, protocol or not_run"),
    Column("step", "int32", True, "the step that did not pass, from 1; 0 is the reset"),
    Column("action", "string", True, "its action, with its arguments, as JSON"),
    Column("expected", "string", False, "the states that the specification allows after it, as JSON"),
    Column("found", "string", True, "what the program answered, as JSON"),
    Column("message", "string", True, "what was wrong"),
    Column("seconds", "float64", False, "how long the case took"),
    Column("restarts", "int32", False, "how often the program was started anew"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Driven:
    """A case driven; ``step``, ``action``, ``expected`` and ``found`` tell where it did not pass."""

    case: str
    verdict: str
    step: int | None = None
    action: dict[str, Json] | None = None
    expected: tuple[Mapping[str, Json], ...] = ()
    found: Json = None
    message: str | None = None
    seconds: float = 0.0
    restarts: int = 0

    def to_json(self) -> dict[str, object]:
        """The keys of ``drive --json``."""
        names = ("case", "verdict", "step", "action", "expected", "found", "message")
        return {name: list(self.expected) if name == "expected" else getattr(self, name) for name in names}


class _TroubleError(Exception):
    """What a case ends with, other than a wrong state."""

    def __init__(self, verdict: str, message: str, found: Json = None) -> None:
        super().__init__(message)
        self.verdict, self.message, self.found = verdict, message, found


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
                self._start()
            return self._ask(question)
        except _TroubleError:
            self.end(kill=True)
            raise

    def _start(self) -> None:
        self.starts, self._rest = self.starts + 1, b""
        try:
            self._process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise _TroubleError("not_run", f"cannot start {self.command[0]}: {reason_of(error)}") from error
        try:
            answer = self._ask(self.hello)
        except _TroubleError as error:
            raise _TroubleError("not_run", f"no answer to hello: {error.message}") from error
        if answer.get("protocol") != PROTOCOL:
            raise _TroubleError("not_run", f"hello was answered by {cut(json_text(answer), 200)}")

    def _ask(self, question: Mapping[str, Json]) -> dict[str, Json]:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        if self._rest:
            text = cut(self._rest.decode("utf-8", "replace"), 200)
            raise _TroubleError("protocol", f"it answered more than it was asked: {text!r}")
        try:
            process.stdin.write(json_text(question).encode() + b"\n")
            process.stdin.flush()
        except OSError:
            raise self._gone() from None
        line = self._line(time.monotonic() + self.seconds)
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            text = cut(line.decode("utf-8", "replace"), 200)
            raise _TroubleError("protocol", f"not a JSON object: {text!r}")
        return answer

    def _line(self, until: float) -> bytes:
        """The next line of the output."""
        assert self._process is not None
        assert self._process.stdout is not None
        output = self._process.stdout.fileno()
        while b"\n" not in self._rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([output], [], [], left)[0]:
                raise _TroubleError("timeout", f"no answer within {self.seconds:g} seconds")
            data = os.read(output, 1 << 16)
            if not data:
                raise self._gone()
            self._rest += data
            if len(self._rest) > _LONGEST:
                raise _TroubleError("protocol", "an answer of more than 64 MiB")
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _gone(self) -> _TroubleError:
        assert self._process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(1)
            how = (
                f"was killed by {signal.Signals(-code).name}"
                if code < 0
                else f"ended with exit status {code}"
            )
            return _TroubleError("crashed", f"the program {how}")
        return _TroubleError("crashed", "the program closed its output")

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

    def run(self) -> Iterator[Driven]:
        """Each case as it ends.

        Raises InputError (``drive-start``) if the program cannot be started at all; once it has been, the cases left
        are ``not_run``.
        """
        broken = None
        try:
            for case in self.cases:
                if broken is not None:
                    yield Driven(case=case.case, verdict="not_run", message=broken)
                    continue
                driven = self._timed(case)
                if driven.verdict == "not_run":
                    if self.program.starts <= 1:
                        hint = "it reads a JSON object a line from standard input and answers each by one"
                        raise InputError("drive-start", driven.message or "", hint=hint)
                    broken = driven.message
                elif driven.verdict != "passed" and self.shrink:
                    driven = self._shortest(case, driven)
                yield driven
        finally:
            self.program.end()

    def _timed(self, case: Case) -> Driven:
        begun, starts = time.monotonic(), self.program.starts
        driven = self._drive(case)
        seconds = time.monotonic() - begun
        return replace(driven, seconds=seconds, restarts=self.program.starts - max(starts, 1))

    def _drive(self, case: Case) -> Driven:
        graph, names = self.cases.graph, list(self._names(case.behaviour))
        allowed = self.cases.closure([case.behaviour.initial])
        question: dict[str, Json] = {"do": "reset", "state": dict(graph.state(case.behaviour.initial))}
        before: list[int] = []
        number, name, label = 0, -1, None
        while True:
            answer = None
            try:
                answer = self.program.ask(question)
                states = self._agreeing(answer, allowed)
                problem = _TroubleError("failed", self._difference(answer, allowed)) if not states else None
            except _TroubleError as error:
                problem = error
            if problem is not None:
                return Driven(
                    case=case.case,
                    verdict=problem.verdict,
                    step=number,
                    action={"name": label.action, "args": dict(label.args)} if label else None,
                    expected=tuple(graph.state(state) for state in allowed),
                    found=answer.get("state", answer) if answer is not None else None,
                    message=problem.message,
                )
            if number:
                self._note(before, name, states)
            before = self.cases.closure(states)
            if names and not self._enabled(states, names[0]):
                # The system has gone another way that the specification allows, or has not gone on.
                names = self._plan(states)
            if not names:
                return Driven(case=case.case, verdict="passed")
            name = names.pop(0)
            label = graph.labels[name]
            allowed = self.cases.after(before, name)
            number += 1
            question = {"do": "step", "action": label.action, "args": dict(label.args)}

    def _names(self, behaviour: Behaviour) -> Iterator[int]:
        """What a behaviour has the program do."""
        return (self.cases.graph.names[step] for step in behaviour.steps if self.cases.is_input(step))

    def _enabled(self, states: Sequence[int], name: int) -> bool:
        graph = self.cases.graph
        return any(graph.names[step] == name for state in states for step in graph.steps(state))

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
        """The allowed states that agree with an answer. Raises _TroubleError."""
        if "error" in answer:
            raise _TroubleError("failed", f"the program refused: {cut(str(answer['error']), 1000)}")
        state = answer.get("state")
        if not isinstance(state, dict):
            raise _TroubleError("protocol", f"neither a state nor an error: {cut(json_text(answer), 200)}")
        known = self.cases.graph.state(0)
        for name in state:
            if name not in known and not name.startswith("#"):
                raise _TroubleError("protocol", f"the specification has no variable {name}")
        keys = {name: _key(json_text(value)) for name, value in state.items() if name in known}
        return [
            number
            for number in allowed
            if all(_key(json_text(self.cases.graph.state(number)[name])) == key for name, key in keys.items())
        ]

    def _difference(self, answer: Mapping[str, Json], allowed: Sequence[int]) -> str:
        """How an answer differs from the nearest of the allowed states."""
        state = answer["state"]
        assert isinstance(state, dict)
        known = [name for name in self.cases.graph.state(0) if name in state]
        differing = min(
            (
                [
                    (name, each[name])
                    for name in known
                    if _key(json_text(each[name])) != _key(json_text(state[name]))
                ]
                for each in map(self.cases.graph.state, allowed)
            ),
            key=len,
            default=[],
        )
        parts = (
            f"{name} is {_shown(state[name])}, and the specification allows {_shown(right)}"
            for name, right in differing
        )
        return "; ".join(parts) or "the specification allows no step"

    def _shortest(self, case: Case, driven: Driven) -> Driven:
        """The shortest case that fails like this one: a shortest path, then the end of this one."""
        steps = list(case.behaviour.steps)
        if driven.step and not self.cases.inputs:
            steps = steps[: driven.step]
        paths = CoverSearch(self.cases.graph, CoverOptions()).path_to
        tried = []
        for place, step in enumerate(steps):
            way = [*paths(self.cases.graph.sources[step]), *steps[place:]]
            if len(way) < len(steps):
                tried.append(way)
        for way in sorted(tried, key=len):
            shorter = self.cases.case(Behaviour(self.cases.graph.sources[way[0]], way))
            again = self._timed(shorter)
            if again.verdict == driven.verdict:
                return again
        return driven


@lru_cache(maxsize=1 << 16)
def _key(text: str) -> object:
    """What is equal for equal values. Raises _TroubleError for what is not ITF."""
    try:
        return canonical(from_itf(json.loads(text)))
    except InputError as error:
        raise _TroubleError("protocol", error.message) from error


def _shown(value: Json) -> str:
    return cut(format_value(from_itf(value)), 300)


def write_drives(folder: Path, point: int, driven: Sequence[Driven]) -> Path:
    """Write the table ``drives``, and return its file. Raises InputError (``output-unwritable``)."""
    # Imported on use, as it takes long.
    import pyarrow.parquet as pq

    from tla2py.store.sink import rows_as_table

    rows = [
        {
            "point": point,
            **{
                name: json_text(value)
                if name in ("action", "expected", "found") and value is not None
                else value
                for name, value in each.to_json().items()
            },
            "seconds": each.seconds,
            "restarts": each.restarts,
        }
        for each in driven
    ]
    file = folder / "drives.parquet"
    with writing(file):
        folder.mkdir(parents=True, exist_ok=True)
        table = rows_as_table(DRIVES, rows)
        write_atomically(file, lambda sink: pq.write_table(table, sink, compression="zstd"))
    return file
