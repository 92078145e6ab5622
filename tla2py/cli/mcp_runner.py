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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlparse

import anyio
from anyio.streams.text import TextReceiveStream
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ListRootsResult
from pydantic import BaseModel, JsonValue

from tla2py.errors import ExitCode, InputError, reason_of
from tla2py.execution.executor import default_slots
from tla2py.model.run import Limits
from tla2py.sweep.repository import files_read
from tla2py.text import cut
from tla2py.tlc.process.sandbox import check_sandbox

_LARGEST = 4096
"""Bytes of an answer; the rest is kept for ``more``."""
_NOTES = 800
_KEPT = 64
_PATIENCE = 10.0

_MEANINGS = {
    ExitCode.OK: "as expected",
    ExitCode.UNEXPECTED: "not as expected: a violation, a finding or a difference",
    ExitCode.INCONCLUSIVE: "inconclusive: a limit was met or the answer is in doubt; what was not searched is not known",
}


class Spent(BaseModel):
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
    budget: Spent | None = None


@dataclass(slots=True, kw_only=True)
class Desk:
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
        if not self.no_walls:
            try:
                check_sandbox(Limits(timeout_seconds=1, memory_bytes=1, sandbox="require"))
            except InputError as error:
                raise ToolError(f"{error}; or start the server with --allow-no-walls") from error
        own = [f"--timeout={seconds:.3f}s", f"--memory={memory}", *([] if self.trust else ["--no-trust"])]
        async with self._slots:
            began = time.monotonic()
            code, output, notes = await self._execute(
                ctx, command, *(own if limited else []), *arguments, seconds=seconds
            )
        spent = round(time.monotonic() - began, 1)
        # Of these, exit code 3 says that something is in doubt or not covered.
        reached = code is None or (code == ExitCode.INCONCLUSIVE and command not in ("judge", "testgen"))
        return self._answer(
            code, output, notes, Spent(seconds=seconds, memory=memory, spent_seconds=spent, reached=reached)
        )

    async def read(self, ctx: Context, command: str, *arguments: str, rows: int | None = None) -> Answer:
        """What a command that runs no TLC answers; at most so many rows of a list. Raises ToolError."""
        code, output, notes = await self._execute(ctx, command, *arguments, seconds=120)
        if rows is not None and code == 0:
            found = json.loads(output)
            notes += f"the first {rows} of {len(found)} rows" if len(found) > rows else ""
            output = json.dumps(found[:rows])
        return self._answer(code, output, notes, None)

    async def _execute(
        self, ctx: Context, command: str, *arguments: str, seconds: float
    ) -> tuple[int | None, str, str]:
        """Exit code, output and notes of a command; None for one that was interrupted at the end of its time."""
        # -P: a file in the folder must not take a module's place.
        argv = [sys.executable, "-P", "-m", "tla2py", command, *arguments]
        environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "TERM": "dumb"}
        output: list[str] = []
        notes: list[str] = []
        with _refusing():
            process = await anyio.open_process(
                argv, stdin=subprocess.DEVNULL, cwd=self.roots[0], env=environment, start_new_session=True
            )

        async def listen() -> None:
            assert process.stderr is not None
            async for text in TextReceiveStream(process.stderr, errors="replace"):
                notes.append(text)
                if line := text.strip().rpartition("\n")[2]:
                    await ctx.report_progress(len(notes), message=line)

        try:
            with anyio.move_on_after(seconds + _PATIENCE / 2) as scope:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(listen)
                    assert process.stdout is not None
                    output += [text async for text in TextReceiveStream(process.stdout, errors="replace")]
                await process.wait()
        finally:
            with anyio.CancelScope(shield=True):
                if process.returncode is None:
                    process.send_signal(signal.SIGINT)
                    with anyio.move_on_after(_PATIENCE):
                        await process.wait()
                # Closing kills what is left; the guards of its runs of TLC then end these.
                await process.aclose()
        return None if scope.cancelled_caught else process.returncode, "".join(output), "".join(notes)

    def _answer(self, code: int | None, output: str, notes: str, budget: Spent | None) -> Answer:
        notes = notes.strip()[-_NOTES:]
        if code is not None and code not in _MEANINGS:
            raise ToolError(f"did not run: {notes or output[-_NOTES:]}")
        meaning = "interrupted: the budget was reached" if code is None else _MEANINGS[ExitCode(code)]
        found = Answer(
            exit_code=ExitCode.INCONCLUSIVE if code is None else code,
            meaning=meaning,
            answer=output,
            size=len(output.encode()),
            notes=notes,
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

    def whole(self, handle: str) -> str:
        """All of a long answer. Raises ToolError."""
        if handle not in self._long:
            raise ToolError(f"no answer is kept as {handle}: call the tool again")
        return self._long[handle]

    def more(self, handle: str, offset: int) -> str:
        """What a long answer says from a character on. Raises ToolError."""
        text = self.whole(handle)[offset : offset + _LARGEST // 2]
        while len(json.dumps(text)) > _LARGEST - 2 * _NOTES - 500:
            text = text[: len(text) * 9 // 10]
        return text


@contextmanager
def _refusing() -> Iterator[None]:
    """Answer what the system refuses with its reason: a name that is no path, a path or a command that is too long."""
    try:
        yield
    except OSError as error:
        about = f": {cut(str(error.filename), _NOTES)}" if error.filename is not None else ""
        raise ToolError(f"the system refuses it, {reason_of(error)}{about}") from error
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
