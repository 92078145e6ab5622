"""Commands of tla2py carried out for a program: each a process, within roots and budgets, with short answers.

A process of its own for each call: what it prints cannot break the protocol, a call that is cancelled is its Ctrl-C, which leaves
no process, and many run side by side.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlparse

import anyio
from anyio.abc import TaskGroup
from anyio.streams.text import TextReceiveStream
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ListRootsResult
from pydantic import BaseModel, JsonValue

from tla2py.errors import ExitCode, InputError, StoreError, reason_of
from tla2py.execution.executor import default_slots
from tla2py.execution.recorded import RecordedPoints, count_recorded_points
from tla2py.model.outcome import Verdict
from tla2py.model.run import Limits
from tla2py.store.store import Store
from tla2py.sweep.repository import files_read
from tla2py.text import cut
from tla2py.tlc.process.reaper import register, release, scratch_folder
from tla2py.tlc.process.sandbox import check_sandbox

_LARGEST = 4096
"""Bytes of an answer; the rest is kept for ``more``."""
_NOTES = 800
_KEPT = 64
_PATIENCE = 10.0
_FIRST_SECONDS = 5.0
"""How long ``start`` waits for a run that ends soon, such as one whose file is wrong."""

_MEANINGS = {
    ExitCode.OK: "as expected",
    ExitCode.UNEXPECTED: "not as expected: a violation, a finding or a difference",
    ExitCode.INCONCLUSIVE: "inconclusive: a limit was met or the answer is in doubt; what was not searched is not known",
}


class CallCost(BaseModel):
    """What a call that runs TLC could spend, and whether that was the end of it."""

    seconds: float
    memory: str
    spent_seconds: float
    reached: bool


class Answer(BaseModel):
    """What a command answered.

    ``answer`` is its JSON, or text: all of it, or the beginning, whose rest ``more`` gives for the ``handle``. ``size`` is
    the whole in bytes; ``notes`` are warnings and the last of its progress.
    """

    exit_code: int
    meaning: str
    answer: JsonValue
    size: int
    handle: str | None = None
    notes: str = ""
    budget: CallCost | None = None


class Status(BaseModel):
    """How far a sweep is.

    ``points`` are all points of the sweep file, ``done`` those with a recorded run, and ``verdicts`` counts
    these; a run that is repeated counts by its last record. ``exit_code`` and ``meaning`` are those of a sweep
    that has ended. ``state`` is ``other`` where this server started no sweep of the store; another program may
    be running one.
    """

    store: str
    state: Literal["waiting", "running", "ended", "other"]
    points: int | None
    done: int | None
    verdicts: dict[Verdict, int]
    exit_code: int | None = None
    meaning: str = ""
    notes: str = ""
    budget: CallCost | None = None


@dataclass(slots=True)
class CommandRun:
    """What a command has written so far, and its exit code: None until it ends, and if it was interrupted."""

    output: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    code: int | None = None


@dataclass(slots=True, kw_only=True)
class StartedSweep:
    """A sweep that ``start`` started, with the verdicts of its runs that were read, by run id."""

    store: str
    seconds: float
    memory: str
    run: CommandRun = field(default_factory=CommandRun)
    began: float | None = None
    spent_seconds: float = 0.0
    ended: anyio.Event = field(default_factory=anyio.Event)
    failure: ToolError | None = None
    verdicts: dict[str, Verdict] = field(default_factory=dict)

    @property
    def state(self) -> Literal["waiting", "running", "ended"]:
        """Whether it waits for another to end, runs, or has ended."""
        if self.ended.is_set():
            return "ended"
        return "waiting" if self.began is None else "running"

    @property
    def budget(self) -> CallCost:
        """What it could spend, and has spent."""
        spent = self.spent_seconds
        if self.began is not None and not self.ended.is_set():
            spent = time.monotonic() - self.began
        reached = self.ended.is_set() and self.run.code in (None, ExitCode.INCONCLUSIVE)
        return CallCost(
            seconds=self.seconds, memory=self.memory, spent_seconds=round(spent, 1), reached=reached
        )


@dataclass(slots=True, kw_only=True)
class CallRunner:
    """Where calls are carried out: what they may read and write, and their long answers.

    With ``trust`` a sweep file may have its own programs; with ``no_walls`` TLC runs behind those walls that stand.
    """

    roots: Sequence[Path]
    output: Path
    trust: bool = False
    no_walls: bool = False
    _count: int = 0
    _long: OrderedDict[str, str] = field(default_factory=OrderedDict)
    # More at once would only take memory.
    _slots: anyio.Semaphore = field(default_factory=lambda: anyio.Semaphore(default_slots(workers=1)))
    _started: dict[str, StartedSweep] = field(default_factory=dict)
    # A sweep takes all cores, and those that were started must not hold up the other calls.
    _start_slot: anyio.Semaphore = field(default_factory=lambda: anyio.Semaphore(1))
    _tasks: TaskGroup | None = None

    @asynccontextmanager
    async def serve(self, _server: object) -> AsyncIterator[None]:
        """Keep the runs that are started until the server ends, which interrupts them."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            try:
                yield
            finally:
                self._tasks = None
                tasks.cancel_scope.cancel()

    def place(self, named: str, roots: ListRootsResult | None) -> str:
        """The path of a file below the roots, also those of the client, that leads to none elsewhere. Raises ToolError."""
        with _refusing():
            path = Path(os.path.realpath(self.roots[0] / named))
            theirs = [Path(unquote(urlparse(str(each.uri)).path)) for each in roots.roots] if roots else []
            # A store has only what tla2py wrote.
            led = files_read(path) if not (path / "store.json").exists() else ()
            for each in (path, *led):
                real = Path(os.path.realpath(each))
                for allowed in (self.roots, theirs):
                    if allowed and not any(real.is_relative_to(os.path.realpath(root)) for root in allowed):
                        raise ToolError(_outside_text(cut(named, _NOTES), path, each, real, allowed))
        return str(path)

    def store(self, named: str, roots: ListRootsResult | None) -> str:
        """Return the path of a store: one named as ``result`` names it, else one below the roots. Raises ToolError."""
        with _refusing():
            path = self._below_output(named)
            if path is not None and (path / "store.json").exists():
                return str(path)
        return self.place(named, roots)

    def _below_output(self, name: str) -> Path | None:
        """Return the path of a result; ``name`` is its path below the output folder, or below the first root.

        None for one that is elsewhere.
        """
        output = Path(os.path.realpath(self.output))
        for base in (self.roots[0], output):
            path = Path(os.path.realpath(base / name))
            if path.is_relative_to(output) and path != output:
                return path
        return None

    def result(self, name: str) -> str:
        """The path of a new result below the output folder. Raises ToolError."""
        with _refusing():
            path = self._below_output(name)
            if path is None:
                shown = cut(name, _NOTES) or "an empty name"
                raise ToolError(f"{shown} is not below the output folder {self.output}")
            if path.is_file():
                raise ToolError(f"{path} exists, and is not written over: choose another name")
            path.parent.mkdir(parents=True, exist_ok=True)
        return str(path)

    async def tlc(
        self, ctx: Context, command: str, *arguments: str, seconds: float, memory: str, limited: bool = True
    ) -> Answer:
        """What a command that runs TLC answers within a budget; ``limited`` if it takes limits. Raises ToolError."""
        limits = [f"--timeout={seconds:.3f}s", *self._limit_options(memory)]
        run = CommandRun()
        async with self._slots:
            began = time.monotonic()
            options = limits if limited else []
            await self._execute(run, ctx, command, *options, *arguments, seconds=seconds)
        spent = round(time.monotonic() - began, 1)
        # Of these, exit code 3 says that something is in doubt or not covered.
        reached = run.code is None or (
            run.code == ExitCode.INCONCLUSIVE and command not in ("judge", "testgen")
        )
        return self._answer(
            run, CallCost(seconds=seconds, memory=memory, spent_seconds=spent, reached=reached)
        )

    def _limit_options(self, memory: str) -> list[str]:
        """Return the options for the memory and the trust of a command that runs TLC.

        Raises ToolError where a wall is missing.
        """
        if not self.no_walls:
            try:
                check_sandbox(Limits(timeout_seconds=1, memory_bytes=1, sandbox="require"))
            except InputError as error:
                raise ToolError(f"{error}; or start the server with --allow-no-walls") from error
        options = [f"--memory={memory}"]
        return options if self.trust else [*options, "--no-trust"]

    async def read(self, ctx: Context, command: str, *arguments: str, rows: int | None = None) -> Answer:
        """What a command that runs no TLC answers; at most so many rows of a list. Raises ToolError."""
        run = CommandRun()
        await self._execute(run, ctx, command, *arguments, seconds=120)
        if rows is not None and run.code == 0:
            found = json.loads("".join(run.output))
            if len(found) > rows:
                run.notes.append(f"the first {rows} of {len(found)} rows")
            run.output = [json.dumps(found[:rows])]
        return self._answer(run, None)

    async def start(self, store: str, *arguments: str, seconds: float, memory: str) -> Status:
        """Start a sweep into a store, and return its status after at most five seconds.

        It is interrupted at the end of its time and with the server. Of several the first one runs, the others
        wait. Raises ToolError, also if it did not run, or one of the same store has not ended.
        """
        earlier = self._started.get(store)
        if earlier is not None and not earlier.ended.is_set():
            raise ToolError(f"a sweep of {store} was started and has not ended: call status")
        if self._tasks is None:
            raise ToolError("the server is ending: nothing is started")
        # Each run has the time that the sweep file gives it.
        options = [*self._limit_options(memory), *arguments]
        sweep = StartedSweep(store=store, seconds=seconds, memory=memory)
        self._started[store] = sweep
        self._tasks.start_soon(self._carry_out, sweep, *options)
        with anyio.move_on_after(_FIRST_SECONDS):
            await sweep.ended.wait()
        return await self._status_of(sweep)

    async def _carry_out(self, sweep: StartedSweep, *arguments: str) -> None:
        """Run a sweep that was started, when the others have ended."""
        async with self._start_slot:
            sweep.began = time.monotonic()
            try:
                await self._execute(sweep.run, None, "sweep", *arguments, seconds=sweep.seconds)
            except ToolError as error:
                sweep.failure = error
            sweep.spent_seconds = time.monotonic() - sweep.began
            # Runs that were repeated have other verdicts now.
            sweep.verdicts.clear()
            sweep.ended.set()

    async def status(self, named: str, roots: ListRootsResult | None) -> Status:
        """Return how far the sweep of a store is, whoever started it. Raises ToolError."""
        with _refusing():
            path = self._below_output(named)
        started = self._started.get(str(path))
        if started is not None:
            return await self._status_of(started)
        store = self.store(named, roots)
        try:
            recorded = await anyio.to_thread.run_sync(count_recorded_points, Store(Path(store)), {})
        except StoreError as error:
            raise ToolError(str(error)) from error
        meaning = "this server has started no sweep of this store"
        return _status(store, "other", recorded, meaning=meaning)

    async def _status_of(self, sweep: StartedSweep) -> Status:
        """Return how far a sweep that was started is. Raises ToolError if it did not run."""
        state, run = sweep.state, sweep.run
        notes = "".join(run.notes).strip()[-_NOTES:]
        if sweep.failure is not None:
            raise sweep.failure
        meaning = _meaning(run) if state == "ended" else ""
        recorded = None
        # Until its command runs, the store may have the points of an earlier sweep.
        if state != "waiting":
            with suppress(StoreError):
                store = Store(Path(sweep.store))
                recorded = await anyio.to_thread.run_sync(count_recorded_points, store, sweep.verdicts)
        status = _status(sweep.store, state, recorded, meaning=meaning)
        status.notes = notes
        status.budget = sweep.budget
        if state == "ended":
            status.exit_code = ExitCode.INCONCLUSIVE if run.code is None else run.code
        return status

    async def _execute(
        self, run: CommandRun, ctx: Context | None, command: str, *arguments: str, seconds: float
    ) -> None:
        """Run a command, and put what it writes and its exit code into ``run``.

        It is interrupted at the end of its time.
        """
        # -P: a file in the folder must not take a module's place.
        argv = [sys.executable, "-P", "-m", "tla2py", command, *arguments]
        environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "TERM": "dumb"}
        with ExitStack() as stack:
            with _refusing():
                folder = stack.enter_context(scratch_folder("tla2py-mcp-"))
                process = await anyio.open_process(
                    argv, stdin=subprocess.DEVNULL, cwd=self.roots[0], env=environment, start_new_session=True
                )
            # The guard kills it if this process is killed.
            register(process.pid, folder)

            async def listen() -> None:
                assert process.stderr is not None
                async for text in TextReceiveStream(process.stderr, errors="replace"):
                    run.notes.append(text)
                    line = text.strip().rpartition("\n")[2]
                    if line and ctx is not None:
                        await ctx.report_progress(len(run.notes), message=line)

            try:
                with anyio.move_on_after(seconds + _PATIENCE / 2) as scope:
                    async with anyio.create_task_group() as tasks:
                        tasks.start_soon(listen)
                        assert process.stdout is not None
                        async for text in TextReceiveStream(process.stdout, errors="replace"):
                            run.output.append(text)
                    await process.wait()
            finally:
                with anyio.CancelScope(shield=True):
                    if process.returncode is None:
                        process.send_signal(signal.SIGINT)
                        with anyio.move_on_after(_PATIENCE):
                            await process.wait()
                    # Closing kills what is left; the guards of its runs of TLC then end these.
                    await process.aclose()
                    release(process.pid)
        run.code = None if scope.cancelled_caught else process.returncode

    def _answer(self, run: CommandRun, budget: CallCost | None) -> Answer:
        meaning = _meaning(run)
        output = "".join(run.output)
        found = Answer(
            exit_code=ExitCode.INCONCLUSIVE if run.code is None else run.code,
            meaning=meaning,
            answer=output,
            size=len(output.encode()),
            notes="".join(run.notes).strip()[-_NOTES:],
            budget=budget,
        )
        with suppress(ValueError):
            found.answer = json.loads(output)
        if _fits(found):
            return found
        self._count += 1
        found.handle = f"answer-{self._count}"
        self._long[found.handle] = output
        while len(self._long) > _KEPT:
            self._long.popitem(last=False)
        found.answer = text = self.more(found.handle, 0)
        while text and not _fits(found):
            found.answer = text = text[: len(text) * 9 // 10]
        return found

    def read_long_answer(self, handle: str) -> str:
        """Return all of a long answer. Raises ToolError."""
        if handle not in self._long:
            raise ToolError(f"no answer is kept as {handle}: call the tool again")
        return self._long[handle]

    def more(self, handle: str, offset: int) -> str:
        """What a long answer says from a character on. Raises ToolError."""
        text = self.read_long_answer(handle)[offset : offset + _LARGEST // 2]
        while len(json.dumps(text)) > _LARGEST - 2 * _NOTES - 500:
            text = text[: len(text) * 9 // 10]
        return text


def _meaning(run: CommandRun) -> str:
    """Return what the end of a command means. Raises ToolError if it did not run."""
    if run.code is None:
        return "interrupted: the budget was reached"
    if run.code not in _MEANINGS:
        reason = "".join(run.notes).strip() or "".join(run.output)
        raise ToolError(f"did not run: {reason[-_NOTES:]}")
    return _MEANINGS[ExitCode(run.code)]


def _status(
    store: str,
    state: Literal["waiting", "running", "ended", "other"],
    recorded: RecordedPoints | None,
    *,
    meaning: str,
) -> Status:
    """Return the status of a store; what is not recorded yet is not known."""
    return Status(
        store=store,
        state=state,
        points=recorded.points if recorded is not None else None,
        done=recorded.done if recorded is not None else None,
        verdicts=dict(recorded.verdicts) if recorded is not None else {},
        meaning=meaning,
    )


@contextmanager
def _refusing() -> Iterator[None]:
    """Answer what the system refuses with its reason: a name that is no path, a path or a command that is too long."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            raise ToolError(f"the operating system refused the request: {reason_of(error)}") from error
        path = cut(str(error.filename), _NOTES)
        raise ToolError(f"cannot open {path}: {reason_of(error)}") from error
    except ValueError as error:
        raise ToolError(f"not a path: {cut(str(error), _NOTES)}") from error


def _outside_text(named: str, path: Path, each: Path, real: Path, allowed: Sequence[Path]) -> str:
    """Return why a path is refused: it, or a file that is read with it, is or leads outside of what is allowed."""
    roots = ", ".join(map(str, allowed))
    if each == path:
        return f"{named} is not below {roots}"
    if each == real:
        return f"{named} needs {each}, which is not below {roots}"
    return f"{named} needs {each}, which leads to {real}; that is not below {roots}"


def _fits(answer: Answer) -> bool:
    # The protocol's library indents what it sends.
    return len(answer.model_dump_json(indent=2).encode()) <= _LARGEST
