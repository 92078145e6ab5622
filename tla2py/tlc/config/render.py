"""Rendering of TLC configs with Jinja2; a template sees ``config``, a ``tla2py.model.model.Config``.

As a program it renders a template for each line of its input: so templates of users are rendered, with limits.
"""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import pkgutil
import resource
import signal
import subprocess
import sys
import threading
import time
import traceback
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from tla2py.errors import InputError
from tla2py.model.model import Config

# Importing jinja2 takes a while, and most commands render nothing.
if TYPE_CHECKING:
    import jinja2

# The most that one template may take, and print: a config of more is no use to TLC.
_CPU_SECONDS = 5
_MEMORY_BYTES = 1 << 30
_MOST_TEXT = 64 << 20


class _Request(msgspec.Struct, frozen=True):
    """A template and the config that it sees."""

    template: str
    config: Config


class _Reply(msgspec.Struct, frozen=True):
    """The text, or the error at a line of the template."""

    text: str | None = None
    error: str = ""
    line: int | None = None


_lock = threading.Lock()
_process: tuple[int, subprocess.Popen[bytes]] | None = None


def _render_apart(request: _Request) -> _Reply:
    """What the process replies; it is started once, and again after one that reached its limits."""
    global _process
    with _lock:
        # A forked child must not use its parent's.
        if _process is None or _process[0] != os.getpid():
            _process = os.getpid(), _start()
        process = _process[1]
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(msgspec.json.encode(request) + b"\n")
            process.stdin.flush()
        line = process.stdout.readline()
        if line.endswith(b"\n"):
            return msgspec.json.decode(line, type=_Reply)
        _process = None
        _stop(process)
    if process.returncode == -signal.SIGXCPU:
        return _Reply(error=f"it takes more than {_CPU_SECONDS} seconds")
    return _Reply(error="it takes more memory than a template may")


def _start() -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tla2py.tlc.config.render"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # None of our variables, where secrets may be.
        env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PATH": os.defpath, "LC_ALL": "C.UTF-8"},
        start_new_session=True,
    )
    pid = os.getpid()
    atexit.register(lambda: _stop(process) if os.getpid() == pid else None)
    return process


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a process, which also ends by itself when we do: its input is then closed."""
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=1)
    process.kill()
    process.wait()


@lru_cache(maxsize=1)
def default_template() -> str:
    """The text of the default template."""
    # A wheel has the templates inside the package, as has what a cluster is sent; a checkout has them beside it.
    for folder in ("cfg_templates", "../cfg_templates"):
        with contextlib.suppress(OSError):
            data = pkgutil.get_data("tla2py", f"{folder}/default.cfg.j2")
            if data is not None:
                return data.decode()
    raise InputError(
        "template-missing", "the template default.cfg.j2 is not installed", hint="reinstall tla2py"
    )


def render_config(config: Config, template: str, *, where: str | None = None) -> str:
    """The text of a ``.cfg`` file, always the same for the same config and template.

    ``where`` is the template's file; one of the user's is rendered in a process with limits. Raises InputError
    (``template``) with the line if the template fails or takes too long.
    """
    own, config = template == default_template(), config.named()
    reply = _render_here(template, config) if own else _render_apart(_Request(template, config))
    if reply.text is not None:
        return reply.text
    raise InputError(
        "template",
        reply.error,
        where=f"{where}:{reply.line}" if where and reply.line else where,
        hint="a template sees config, with the fields of tla2py.model.model.Config",
    )


def _render_here(template: str, config: Config) -> _Reply:
    """What a template makes of a config, rendered in this process."""
    import jinja2

    try:
        text = _compile(template).render(config=config)
    except jinja2.TemplateSyntaxError as error:
        return _Reply(error=f"not a Jinja2 template: {error.message}", line=error.lineno)
    except Exception as error:  # anything that a template raises is an error in it
        return _Reply(error=str(error) or type(error).__name__, line=template_line(error))
    return _Reply(text=text) if len(text) <= _MOST_TEXT else _Reply(error="it prints too much for a config")


def template_line(error: Exception) -> int | None:
    """The line of the template that raised an error."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if frame.filename == "<template>"), None)


@lru_cache(maxsize=16)
def _compile(template: str) -> jinja2.Template:
    import jinja2.sandbox

    # A user's template is not trusted: in Jinja2's default environment it could run any Python code.
    own = template == default_template()
    environment = jinja2.Environment if own else jinja2.sandbox.ImmutableSandboxedEnvironment
    return environment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    ).from_string(template)


def main() -> None:
    """Render until the input ends."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    allowed = _MEMORY_BYTES if most == resource.RLIM_INFINITY else min(_MEMORY_BYTES, most)
    # macOS refuses it; there the time and the text are limited, the memory is not.
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (allowed, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    decoder = msgspec.json.Decoder(_Request)
    for line in sys.stdin.buffer:
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time()) + _CPU_SECONDS, hard))
        request = decoder.decode(line)
        reply = _render_here(request.template, request.config)
        sys.stdout.buffer.write(msgspec.json.encode(reply) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
