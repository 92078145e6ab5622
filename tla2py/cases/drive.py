"""A program driven through the cases of a graph: a JSON object a line each way, and the states that its answers leave.

The program runs as the user's own; all that it started is gone when a case has to be given up, and at the end.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from tla2py.cases.agreement import agrees
from tla2py.cases.cases import Case, Cases
from tla2py.cases.cover import Behaviour, CoverOptions, CoverSearch
from tla2py.errors import InputError, reason_of, writing
from tla2py.files import write_atomically
from tla2py.model.row import DriveRow
from tla2py.store.refresh import DRIVES
from tla2py.store.schema import TABLES
from tla2py.text import cut
from tla2py.tla.itf import Json, from_itf, json_text
from tla2py.tla.value import format_value
from tla2py.tlc.process.keeper import KeptProgram, start_kept

PROTOCOL = 1
# What a state in ITF may have beside its variables.
_META = "#meta"
# The most bytes of an answer.
_LONGEST = 64 << 20
# How far a plan for what was not reached looks.
_AHEAD = 10


# How long a program that answers no more may take to end, so that its exit status can be told.
_END_SECONDS = 1.0
_NOTHING_COMPARED = "no answer names a variable, so nothing was compared"
_STOPPED = "--fail-fast ended the drive at the first failure"
# Verdicts of cases that did not go wrong.
_UNFAILED = frozenset({"passed", "not_compared", "not_run"})


class _TroubleError(Exception):
    """What a case ends with that does not pass; ``variables`` are those that differ."""

    def __init__(self, verdict: str, message: str, variables: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.verdict = verdict
        self.variables = tuple(variables)


class _RepeatedKeyError(ValueError):
    """An object in an answer has a key twice."""


def _object_of(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """Return the object of these keys and values. Raises _RepeatedKeyError."""
    found: dict[str, Json] = {}
    for name, value in pairs:
        if name in found:
            raise _RepeatedKeyError(name)
        found[name] = value
    return found


@dataclass(kw_only=True)
class Program:
    """The program: started when it is needed, and anew after it was killed."""

    command: Sequence[str]
    hello: Mapping[str, Json]
    seconds: float
    starts: int = 0
    _kept: KeptProgram | None = None
    _rest: bytes = b""

    def ask(self, question: Mapping[str, Json]) -> dict[str, Json]:
        """The answer to a question. Raises _TroubleError, after which the program is gone."""
        try:
            if self._kept is None:
                self._kept = self._start()
            return self._ask(self._kept, question)
        except _TroubleError:
            self.end(kill=True)
            raise

    def _start(self) -> KeptProgram:
        self.starts, self._rest = self.starts + 1, b""
        try:
            self._kept = kept = start_kept(self.command)
        except OSError as error:
            raise _TroubleError("not_run", f"cannot start {self.command[0]}: {reason_of(error)}") from error
        try:
            answer = self._ask(kept, self.hello)
        except _TroubleError as error:
            raise _TroubleError("not_run", f"no answer to hello: {error}") from error
        # True and 1.0 equal 1 in Python.
        if answer != {"protocol": PROTOCOL} or type(answer["protocol"]) is not int:
            raise _TroubleError(
                "not_run",
                f"hello was answered by {cut(json_text(answer), 200)}, not by {json_text({'protocol': PROTOCOL})}",
            )
        return kept

    def _ask(self, kept: KeptProgram, question: Mapping[str, Json]) -> dict[str, Json]:
        if self._rest:
            text = cut(self._rest.decode("utf-8", "replace"), 200)
            raise _TroubleError("protocol", f"it answered more than it was asked: {text!r}")
        try:
            kept.stdin.write(json_text(question).encode() + b"\n")
            kept.stdin.flush()
        except OSError:
            raise _gone(kept) from None
        line = self._line(kept, time.monotonic() + self.seconds)
        text = cut(line.decode("utf-8", "replace"), 200)
        try:
            answer = json.loads(line, object_pairs_hook=_object_of)
        except _RepeatedKeyError as error:
            raise _TroubleError("protocol", f"the key {error} is there twice: {text!r}") from None
        except RecursionError:
            raise _TroubleError("protocol", f"it is nested too deeply: {text!r}") from None
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise _TroubleError("protocol", f"not a JSON object: {text!r}")
        return answer

    def _line(self, kept: KeptProgram, until: float) -> bytes:
        """The next line of the output."""
        output = kept.stdout.fileno()
        while b"\n" not in self._rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([output], [], [], left)[0]:
                raise _TroubleError("timeout", f"no answer within {self.seconds:g} seconds")
            data = os.read(output, 1 << 16)
            if not data:
                raise _gone(kept)
            self._rest += data
            if len(self._rest) > _LONGEST:
                raise _TroubleError("protocol", "an answer of more than 64 MiB")
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def end(self, *, kill: bool = False) -> None:
        """End the program by the end of its input, or kill it; nothing that it started stays."""
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.end(0 if kill else self.seconds)


def _gone(kept: KeptProgram) -> _TroubleError:
    """The error of a program that answers no more."""
    code = kept.wait(_END_SECONDS)
    if code is None:
        return _TroubleError("crashed", "the program closed its output")
    how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit status {code}"
    return _TroubleError("crashed", f"the program {how}")


class SharedCause(NamedTuple):
    """What cases that do not pass have in common: the verdict, the action, and what differs or is told."""

    verdict: str
    action: str | None
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """The cases that do not pass for one cause."""

    rows: Sequence[DriveRow]

    @property
    def shortest(self) -> DriveRow:
        """The case that does not pass after the fewest steps, the first of several."""
        return min(self.rows, key=lambda row: row.step or 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _DrivenCase:
    """A case that was driven, and why it does not pass, None if it does."""

    row: DriveRow
    cause: SharedCause | None = None


@dataclass(kw_only=True)
class Drive:
    """A drive through cases.

    ``reached`` are the steps that the program may have taken, ``compared`` the variables that an answer named. With
    ``fail_fast`` the first failure ends it. ``causes`` are the rows that do not pass, by what they have in common.
    """

    cases: Cases
    program: Program
    shrink: bool = False
    fail_fast: bool = False
    reached: set[int] = field(default_factory=set)
    compared: set[str] = field(default_factory=set)
    causes: dict[SharedCause, list[DriveRow]] = field(default_factory=dict)

    @property
    def not_reached(self) -> int:
        """The number of steps that the cases should take and the system never chose."""
        planned = {step for each in self.cases.cover.behaviours for step in each.steps}
        return len(planned - self.reached)

    @property
    def never_compared(self) -> list[str]:
        """The variables that no answer named."""
        return [name for name in self.cases.graph.state(0) if name not in self.compared]

    @property
    def failures(self) -> list[Failures]:
        """The cases that do not pass, together where they have one cause, in the order of their first."""
        return [Failures(rows=rows) for rows in self.causes.values()]

    def run(self) -> Iterator[DriveRow]:
        """Each case as it ends.

        Raises InputError (``drive-start``) if the program cannot be started at all; once it has been, the cases left
        are ``not_run``.
        """
        stopped: str | None = None
        try:
            for case in self.cases:
                driven = self._timed(case) if stopped is None else self._left_out(case, stopped)
                if driven.row.verdict == "not_run" and stopped is None:
                    stopped = driven.row.message
                    if self.program.starts <= 1:
                        hint = "it reads a JSON object a line from standard input and answers each by one"
                        raise InputError("drive-start", stopped or "", hint=hint)
                elif driven.row.verdict not in _UNFAILED:
                    driven = self._shortest(case, driven) if self.shrink else driven
                    stopped = _STOPPED if self.fail_fast else None
                if driven.cause is not None:
                    self.causes.setdefault(driven.cause, []).append(driven.row)
                yield driven.row
        finally:
            self.program.end()

    def _left_out(self, case: Case, reason: str) -> _DrivenCase:
        """A case that is not run."""
        row = self._row(case, "not_run", message=reason)
        return _DrivenCase(row=row, cause=SharedCause("not_run", None, reason))

    def _row(self, case: Case, verdict: str, **more: Any) -> DriveRow:
        return DriveRow(point=self.cases.graph.point, case=case.case, verdict=verdict, **more)

    def _timed(self, case: Case) -> _DrivenCase:
        begun, starts = time.monotonic(), self.program.starts
        driven = self._drive(case)
        seconds = time.monotonic() - begun
        restarts = self.program.starts - max(starts, 1)
        return replace(driven, row=replace(driven.row, seconds=seconds, restarts=restarts))

    def _drive(self, case: Case) -> _DrivenCase:
        cases, graph = self.cases, self.cases.graph
        names = [graph.names[step] for step in case.behaviour.steps if cases.is_input(step)]
        allowed = cases.closure([case.behaviour.initial])
        question: dict[str, Json] = {"do": "reset", "state": dict(graph.state(case.behaviour.initial))}
        before: list[int] = []
        number, name, action = 0, -1, None
        answers = said = 0
        while True:
            answer: dict[str, Json] = {}
            try:
                answer = self.program.ask(question)
                answers += 1
                state = self._state_of(answer)
                named = [variable for variable in state if variable != _META]
                said += bool(named)
                self.compared.update(named)
                states = self._agreeing(state, allowed)
            except _TroubleError as error:
                found = answer.get("state", answer)
                row = self._row(
                    case,
                    error.verdict,
                    step=number,
                    action=json_text(action) if action else None,
                    expected=json_text([dict(graph.state(state)) for state in allowed]),
                    found=json_text(found) if answer else None,
                    message=str(error),
                    answers=answers,
                    said=said,
                )
                return _DrivenCase(row=row, cause=_cause_of(error, action))
            if number:
                self._note(before, name, states)
            before = cases.closure(states)
            if names and all(graph.names[step] != names[0] for step in graph.leaving(states)):
                # The system has gone another way that the specification allows, or has not gone on.
                names = self._plan(states)
            if not names and not said:
                row = self._row(case, "not_compared", message=_NOTHING_COMPARED, answers=answers)
                return _DrivenCase(row=row, cause=SharedCause("not_compared", None, _NOTHING_COMPARED))
            if not names:
                return _DrivenCase(row=self._row(case, "passed", answers=answers, said=said))
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

    def _state_of(self, answer: Mapping[str, Json]) -> Mapping[str, Json]:
        """The variables that an answer names. Raises _TroubleError."""
        if [*answer] not in (["state"], ["error"]):
            raise _TroubleError(
                "protocol",
                f"an answer must have exactly one key, state or error: {cut(json_text(answer), 200)}",
            )
        if "error" in answer:
            text = answer["error"]
            if not isinstance(text, str):
                raise _TroubleError("protocol", f"the error is not a string: {cut(json_text(answer), 200)}")
            raise _TroubleError("failed", f"the program refused: {cut(text, 1000)}")
        state = answer["state"]
        if not isinstance(state, dict):
            raise _TroubleError("protocol", f"the state is not an object: {cut(json_text(answer), 200)}")
        known = self.cases.graph.state(0)
        for name in state:
            if name not in known and name != _META:
                raise _TroubleError("protocol", f"the specification has no variable {name}")
        return state

    def _agreeing(self, state: Mapping[str, Json], allowed: Sequence[int]) -> list[int]:
        """The allowed states that agree with an answer. Raises _TroubleError, for none with the differences from the nearest."""
        texts = {name: json_text(value) for name, value in state.items() if name != _META}
        rights = [self.cases.graph.state(number) for number in allowed]
        differing = [self._differing(texts, right) for right in rights]
        agreeing = [number for number, names in zip(allowed, differing, strict=True) if not names]
        if agreeing:
            return agreeing
        names, right = min(
            zip(differing, rights, strict=True), key=lambda each: len(each[0]), default=([], {})
        )
        parts = [
            f"{name} is {_format_value(state[name])}, and the specification allows {_format_value(right[name])}"
            for name in names
        ]
        raise _TroubleError("failed", "; ".join(parts) or "the specification allows no step", names)

    def _differing(self, texts: Mapping[str, str], right: Mapping[str, Json]) -> list[str]:
        """The variables whose values in an answer do not agree with a state. Raises _TroubleError."""
        try:
            return [name for name, text in texts.items() if not agrees(text, json_text(right[name]))]
        except InputError as error:
            raise _TroubleError("protocol", error.message) from error

    def _shortest(self, case: Case, driven: _DrivenCase) -> _DrivenCase:
        """The shortest case that fails like this one: a shortest path, then the end of this one."""
        graph, steps, row = self.cases.graph, list(case.behaviour.steps), driven.row
        if row.step and not self.cases.inputs:
            steps = steps[: row.step]
        path_to = CoverSearch(graph, CoverOptions()).path_to
        ways = ([*path_to(graph.sources[step]), *steps[place:]] for place, step in enumerate(steps))
        for way in sorted((way for way in ways if len(way) < len(steps)), key=len):
            again = self._timed(self.cases.case(Behaviour(graph.sources[way[0]], way)))
            if again.row.verdict == row.verdict:
                return again
        return driven


def _cause_of(error: _TroubleError, action: Mapping[str, Json] | None) -> SharedCause:
    """Return what other cases that end like this one have in common with it: not the values, and not the numbers."""
    what = ", ".join(error.variables) or re.sub(r"\d+", "N", str(error))
    return SharedCause(error.verdict, None if action is None else str(action["name"]), what)


def _format_value(value: Json) -> str:
    return cut(format_value(from_itf(value)), 300)


def write_drives(folder: Path, driven: Sequence[DriveRow]) -> Path:
    """Write the table ``drives``, and return its file. Raises InputError (``output-unwritable``)."""
    # Imported on use, as it takes long.
    import pyarrow.parquet as pq

    from tla2py.store.parquet import rows_as_table

    file = folder / DRIVES
    with writing(file):
        folder.mkdir(parents=True, exist_ok=True)
        table = rows_as_table(TABLES["drives"], map(asdict, driven))
        write_atomically(file, lambda sink: pq.write_table(table, sink, compression="zstd"))
    return file
