"""The command line as tests run it: within this process, or as a process of its own where a test is about that."""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib
import io
import json
import logging
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar

from tla2py.cli.main import main
from tla2py.errors import Tla2pyError

if TYPE_CHECKING:
    from tla2py.execution.result import SweepResult
    from tla2py.gate.reasons import Drift, Problem, Reason
    from tla2py.gate.run import GateResult
    from tla2py.model.finding import Finding
    from tla2py.tla.module import Remark

Environment = Mapping[str, str | None]

# Variables of the machine that would decide what a test finds.
_CLEARED: Environment = dict.fromkeys(("TLA2TOOLS_JAR", "TLA2PY_JAVA_HOME", "FORCE_COLOR"))
# Variables that an interpreter reads as it starts.
_OF_INTERPRETER = frozenset({"PYTHONPATH", "PYTHONHOME", "PYTHONIOENCODING", "PYTHONUTF8", "LANG", "LC_ALL"})


# Names the pipe on which a command in its own process reports its errors.
_RECORD = "TLA2PY_TESTS_RECORD"


@dataclass(kw_only=True)
class Reported:
    """What a command reported, as values: tests assert these, and leave the wording to the generated pages."""

    errors: list[Tla2pyError] = field(default_factory=list)
    warnings: list[Finding | Remark] = field(default_factory=list)
    results: list[SweepResult] = field(default_factory=list)
    gated: list[GateResult] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    @property
    def findings(self) -> list[Finding]:
        from tla2py.model.finding import Finding

        return [each for each in self.warnings if isinstance(each, Finding)]

    @property
    def remarks(self) -> list[Remark]:
        from tla2py.tla.module import Remark

        return [each for each in self.warnings if isinstance(each, Remark)]


# A line of a file with its number, or the mark below it.
_EXCERPT = re.compile(r" +\d* \| ")


@dataclass(frozen=True)
class CommandResult:
    """How a command ended, what it printed and what it reported."""

    code: int
    stdout: str
    stderr: str
    reported: Reported = field(default_factory=Reported, compare=False, repr=False)

    @property
    def json(self) -> Any:
        """What it printed, read as JSON."""
        return json.loads(self.stdout)

    @property
    def errors(self) -> list[str]:
        """The lines on standard error, without excerpts of files and the one on the bundled jar that a sweep begins with."""
        lines = (line for line in self.stderr.splitlines() if not _EXCERPT.match(line))
        return [line for line in lines if " comes with tla2py and is old" not in line]

    @property
    def error(self) -> Tla2pyError:
        """The error that the command reported; there has to be exactly one."""
        (error,) = self.reported.errors
        return error

    @property
    def refusal(self) -> tuple[str, str | None]:
        """The code and the place of that error."""
        return self.error.code, self.error.where

    @property
    def hint(self) -> str:
        assert self.error.hint is not None
        return self.error.hint

    @property
    def findings(self) -> list[tuple[str, str]]:
        return [(finding.code, str(finding.place)) for finding in self.reported.findings]

    @property
    def executed(self) -> int:
        """The number of runs executed, over all sweeps; the others were in their stores."""
        return sum(result.executed for result in self.reported.results)

    @property
    def cached(self) -> int:
        return sum(result.cached for result in self.reported.results)

    @property
    def problems(self) -> list[Problem]:
        return [problem for gated in self.reported.gated for problem in gated.decision.all_problems]

    @property
    def reasons(self) -> set[tuple[Reason, int | None]]:
        """The reason and the point of each problem of a gate."""
        return {(problem.reason, problem.point) for problem in self.problems}

    @property
    def drifts(self) -> list[tuple[int | None, Drift]]:
        """The point and the change of each drift from a lock."""
        from tla2py.gate.reasons import Drift

        return [(each.point, each.cause) for each in self.problems if isinstance(each.cause, Drift)]


def run(
    *args: str | Path, cwd: Path, env: Environment | None = None, code: int | None = None
) -> CommandResult:
    """Run a command within this process, which is afterwards as it was before; assert that it ends with ``code``.

    ``env`` is laid over the environment; None removes a variable. Variables that only a new interpreter reads are
    refused with ValueError: those tests take ``run_process``.
    """
    if _OF_INTERPRETER & (env or {}).keys():
        raise ValueError("an interpreter reads these variables as it starts")
    with contextlib.ExitStack() as stack:
        stack.enter_context(_restored(environment(env), cwd))
        stdout = stack.enter_context(_stream(1, "stdout", errors="strict"))
        stderr = stack.enter_context(_stream(2, "stderr", errors="backslashreplace"))
        reported = stack.enter_context(_recording())
        exit_code = _exit_code([str(arg) for arg in args])
        sys.stdout.flush()
        sys.stderr.flush()
        ended = CommandResult(exit_code, _text(stdout), _text(stderr), reported)
    assert code in (None, ended.code), ended
    return ended


def run_process(
    *args: str | Path,
    cwd: Path,
    env: Environment | None = None,
    prefix: Sequence[str] = (),
    timeout: float = 300,
    code: int | None = None,
) -> CommandResult:
    """Run a command as its own process; ``prefix`` starts the interpreter. Only errors are reported as values."""
    record = Record()
    done = subprocess.run(
        [*prefix, *record.command, *map(str, args)],
        cwd=cwd,
        env=environment(env) | record.env,
        pass_fds=[record.sink],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert code in (None, done.returncode), done
    return CommandResult(done.returncode, done.stdout, done.stderr, Reported(errors=record.read()))


class Record:
    """A pipe over which a command in its own process hands over the errors it reported.

    A file would not do: some tests let a command write none.
    """

    command: ClassVar[Sequence[str]] = (sys.executable, __file__)

    def __init__(self) -> None:
        self._source, self.sink = os.pipe()
        os.set_blocking(self._source, False)

    @property
    def env(self) -> dict[str, str]:
        """The variable that names the pipe to the command."""
        return {_RECORD: str(self.sink)}

    def read(self) -> list[Tla2pyError]:
        """The errors, once the command has ended; none if it was killed."""
        os.close(self.sink)
        with os.fdopen(self._source, "rb") as source:
            data = source.read()
        errors: list[Tla2pyError] = pickle.loads(data) if data else []
        return errors


def tool(
    *argv: str | Path,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    check: bool = False,
    code: int | None = None,
    timeout: float = 300,
) -> subprocess.CompletedProcess[str]:
    """A program that ended, with this exit status if one is given, and what it printed."""
    words = [str(each) for each in argv]
    done = subprocess.run(
        words, cwd=cwd, env=env, check=check, timeout=timeout, capture_output=True, text=True
    )
    assert code in (None, done.returncode), done
    return done


def needs_process(env: Environment | None) -> bool:
    """Whether only a new interpreter can have this environment."""
    return bool(_OF_INTERPRETER & (env or {}).keys())


def environment(changes: Environment | None = None) -> dict[str, str]:
    """The environment of this process with changes; None removes a variable."""
    changed = {**_CLEARED, **(changes or {})}
    kept = {name: value for name, value in os.environ.items() if name not in changed}
    return kept | {name: value for name, value in changed.items() if value is not None}


def _exit_code(args: list[str]) -> int:
    sys.argv = ["tla2py", *args]
    try:
        main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


@contextlib.contextmanager
def _recording() -> Iterator[Reported]:
    """Record what commands report. Each is wrapped where a command calls it, and does what it does anyway."""
    reported = Reported()
    with contextlib.ExitStack() as stack:

        def watch(owner: str, name: str, note: Callable[..., object]) -> None:
            module, *names = owner.split(":")
            holder = functools.reduce(getattr, names, importlib.import_module(module))
            original = getattr(holder, name)

            @functools.wraps(original)
            def watched(*args: Any, **options: Any) -> Any:
                result = original(*args, **options)
                note(result, *args)
                return result

            setattr(holder, name, watched)
            stack.callback(setattr, holder, name, original)

        for module in ("app", "lint", "prepare"):
            watch(f"tla2py.cli.{module}", "print_error", lambda _, error: reported.errors.append(error))
        watch("tla2py.cli.lint", "lint_paths", lambda report, *_: reported.warnings.extend(report.findings))
        watch("tla2py.cli.gate", "gate", lambda gated, *_: reported.gated.extend(gated))
        listener = "tla2py.cli.progress:ConsoleListener"
        watch(listener, "warned", lambda _, __, *findings: reported.warnings.extend(findings))
        watch(listener, "told", lambda _, __, text: reported.told.append(text))
        watch(listener, "finished", lambda _, __, result: reported.results.append(result))
        yield reported


@contextlib.contextmanager
def _restored(environ: Mapping[str, str], cwd: Path) -> Iterator[None]:
    """A process as if it were new, in a folder and with an environment; all of it is undone at the end."""
    before = Path.cwd(), dict(os.environ), sys.argv, tempfile.tempdir, logging.getLogger().handlers[:]
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    os.chdir(cwd)
    _set_environment(environ)
    tempfile.tempdir = None
    # It keeps the proxies that the environment named when it was first used.
    urllib.request.install_opener(None)
    _clear_caches()
    try:
        with _process_end():
            yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        folder, kept, sys.argv, tempfile.tempdir, logging.getLogger().handlers[:] = before
        _set_environment(kept)
        os.chdir(folder)
        urllib.request.install_opener(None)
        _clear_caches()


def _set_environment(environ: Mapping[str, str]) -> None:
    for name in os.environ.keys() - environ.keys():
        del os.environ[name]
    os.environ.update(environ)


def _clear_caches() -> None:
    """Forget what tla2py found out about the machine and its environment."""
    for name, module in list(sys.modules.items()):
        if name.startswith("tla2py."):
            for value in vars(module).values():
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()


@contextlib.contextmanager
def _process_end() -> Iterator[None]:
    """Remove the folders at the end of the block that a process removes when it exits."""
    register = atexit.register
    folders = contextlib.ExitStack()

    def keep(function: Callable[..., Any], *args: Any, **options: Any) -> Callable[..., Any]:
        if function is shutil.rmtree:
            folders.callback(function, *args, **options)
            return function
        return register(function, *args, **options)

    atexit.register = keep  # type: ignore[assignment]
    try:
        with folders:
            yield
    finally:
        atexit.register = register


@contextlib.contextmanager
def _stream(descriptor: int, name: str, *, errors: str) -> Iterator[IO[bytes]]:
    """A file that gets what this process and its children write to a standard stream."""
    before = getattr(sys, name)
    before.flush()
    kept = os.dup(descriptor)
    with tempfile.TemporaryFile() as sink:
        os.dup2(sink.fileno(), descriptor)
        # Descriptors are shared, not copied: what a child writes comes where it belongs among what we write.
        stream = io.TextIOWrapper(os.fdopen(os.dup(descriptor), "wb"), encoding="utf-8", errors=errors)
        setattr(sys, name, stream)
        try:
            yield sink
        finally:
            setattr(sys, name, before)
            stream.close()
            os.dup2(kept, descriptor)
            os.close(kept)


def _text(sink: IO[bytes]) -> str:
    sink.seek(0)
    return sink.read().decode("utf-8")


if __name__ == "__main__":
    # The folder of the tests is no place to import from.
    del sys.path[0]
    with _recording() as recorded:
        try:
            main()
        finally:
            os.write(int(os.environ[_RECORD]), pickle.dumps(recorded.errors))
