"""The command line as tests run it: within this process, or as a process of its own where a test is about that."""

from __future__ import annotations

import atexit
import contextlib
import functools
import io
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tla2py.cli.main import main

Environment = Mapping[str, str | None]

# Variables of the machine that would decide what a test finds.
_CLEARED: Environment = dict.fromkeys(("TLA2TOOLS_JAR", "TLA2PY_JAVA_HOME", "FORCE_COLOR"))
# Variables that an interpreter reads as it starts.
_OF_INTERPRETER = frozenset({"PYTHONPATH", "PYTHONHOME", "PYTHONIOENCODING", "PYTHONUTF8", "LANG", "LC_ALL"})


@dataclass(frozen=True)
class Ended:
    """How a command ended and what it printed."""

    code: int
    stdout: str
    stderr: str

    @property
    def errors(self) -> list[str]:
        """The lines on standard error."""
        return self.stderr.splitlines()


def run(*args: str | Path, cwd: Path, env: Environment | None = None) -> Ended:
    """Run a command within this process, which is afterwards as it was before.

    ``env`` is laid over the environment; None removes a variable. Variables that only a new interpreter reads are
    refused with ValueError: those tests take ``run_process``.
    """
    if _OF_INTERPRETER & (env or {}).keys():
        raise ValueError("an interpreter reads these variables as it starts")
    with contextlib.ExitStack() as stack:
        stack.enter_context(_restored(environment(env), cwd))
        stdout = stack.enter_context(_stream(1, "stdout", errors="strict"))
        stderr = stack.enter_context(_stream(2, "stderr", errors="backslashreplace"))
        code = _exit_code([str(arg) for arg in args])
        sys.stdout.flush()
        sys.stderr.flush()
        return Ended(code=code, stdout=_text(stdout), stderr=_text(stderr))


def run_process(
    *args: str | Path,
    cwd: Path,
    env: Environment | None = None,
    prefix: Sequence[str] = (),
    timeout: float = 300,
) -> Ended:
    """Run a command as a process of its own; ``prefix`` is what starts the interpreter."""
    done = subprocess.run(
        [*prefix, sys.executable, "-m", "tla2py", *map(str, args)],
        cwd=cwd,
        env=environment(env),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return Ended(code=done.returncode, stdout=done.stdout, stderr=done.stderr)


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
