"""Runs the blocks of one page from top to bottom, in a folder of its own, and compares what they print."""

from __future__ import annotations

import ast
import contextlib
import contextvars
import io
import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.command import tool
from tests.docs.blocks import ROOT, Block, Command, begins_with, commands
from tla2py.cli.app import run_app
from tla2py.sweep.file import read_sweep_text
from tla2py.tla.parse import raise_mistake, read_text
from tla2py.tlc.config.read import parse_config

# Commands with any of these are for a shell; others are run in this process, which saves starting Python.
_SHELL = re.compile(r"[|<>&;$*`~]")
_TIME = re.compile(r"\b\d+(\.\d+)?( ?s|ms|m ?\d+s)\b")


class _Stream(io.StringIO):
    """What is written, here and in the order in which all was written."""

    def __init__(self, both: io.StringIO) -> None:
        super().__init__()
        self._both = both

    def write(self, text: str) -> int:
        self._both.write(text)
        return super().write(text)


Differ = Callable[[Block, str, str], None]


def _fail(block: Block, shown: str, printed: str) -> None:
    raise AssertionError(f"{block.place} shows\n{shown}\nand prints\n{printed}")


class Session:
    """The state that the blocks of a page share: a folder with the systems' specs in it, and the names of Python.

    What does not print what the page shows is given to ``differ(block, shown, printed)``; by default it fails.
    """

    def __init__(self, page: Path | None, folder: Path, differ: Differ | None = None) -> None:
        self.folder = folder
        self._differ = differ or _fail
        self._names: dict[str, Any] = {}
        self._printed = ""
        self._code = 0
        shutil.copytree(ROOT / "specs", folder / "specs")
        self._cwd = folder
        for name, text in begins_with(page) if page else ():
            (folder / name).write_text(text, encoding="utf-8")

    def run(self, block: Block) -> None:
        """Run or read a block, and hold what it prints to what the page shows."""
        if block.title:
            path = self._cwd / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            before = path.read_text(encoding="utf-8") if "added" in block.notes else ""
            path.write_text(before + block.text, encoding="utf-8")
        match block.language:
            case "console" | "sh":
                self._commands(block)
            case "python":
                self._printed = self._python(block)
            case "text" if block.follows == "python":
                if not agree(block.text, self._printed):
                    self._differ(block, block.text, self._printed)
            case "toml":
                _read_toml(block)
            case "tla":
                _read_tla(block)
            case "cfg":
                parse_config(block.text, block.page)

    def _commands(self, block: Block) -> None:
        found = list(commands(block))
        for place, command in enumerate(found):
            said = found[place + 1].text if place + 1 < len(found) else ""
            code, out, both = self._command(command)
            shown = f"{block.place}: {command.text}\nends with {code} and prints\n{both}"
            if said != "echo $?":
                last = place + 1 == len(found)
                assert code == int(block.notes.get("exits with", "0") if last else "0"), shown
            if command.output and not (agree(command.output, out) or agree(command.output, both)):
                head = f"$ {command.text}\n"
                self._differ(block, f"{head}{command.output}\n", f"{head}{out or both}")

    def _command(self, command: Command) -> tuple[int, str, str]:
        """The exit code, what went to standard output, and that with standard error."""
        words = [] if _SHELL.search(command.text) else shlex.split(command.text, comments=True)
        if words[:1] == ["make"]:
            return self._command(Command(text=recipe(words[1]), output=""))
        both = io.StringIO()
        if words[:1] == ["tla2py"]:
            out = _Stream(both)
            with self._here(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(_Stream(both)):
                argv, sys.argv = sys.argv, words
                try:
                    # In a context of its own: a command says for itself how modules are read from then on.
                    self._code = contextvars.copy_context().run(run_app)
                finally:
                    sys.argv = argv
            printed = out.getvalue(), both.getvalue()
        else:
            printed = self._shell(command.text)
        alone, together = (text.replace(f"{self.folder}/", "") for text in printed)
        return self._code, alone, together

    def _shell(self, text: str) -> tuple[str, str]:
        where = self.folder / ".cwd"
        script = f"(exit {self._code})\n{text}\nended=$?; pwd > {where}; exit $ended"
        env = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        done = tool("bash", "-c", script, cwd=self._cwd, env=env)
        self._code = done.returncode
        self._cwd = Path(where.read_text().strip())
        return done.stdout, done.stderr + done.stdout

    def _python(self, block: Block) -> str:
        """What a block prints, its last expression included, as a notebook has it."""
        body = ast.parse(block.text, block.place).body
        out = io.StringIO()
        with self._here(), contextlib.redirect_stdout(out):
            for node in body[:-1]:
                exec(compile(ast.Module([node], []), block.place, "exec"), self._names)
            last = body[-1]
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), block.place, "eval"), self._names)
                if value is not None:
                    out.write(f"{value}\n")
            else:
                exec(compile(ast.Module([last], []), block.place, "exec"), self._names)
        return out.getvalue()

    @contextlib.contextmanager
    def _here(self) -> Iterator[None]:
        before = Path.cwd()
        os.chdir(self._cwd)
        try:
            yield
        finally:
            os.chdir(before)


def recipe(target: str) -> str:
    """The command that a target of the Makefile runs after setup."""
    options = ("--no-print-directory", "-n", "-o", "setup")
    done = tool("make", *options, target, cwd=ROOT, check=True)
    return done.stdout.strip().replace(".venv/bin/", "")


def agree(shown: str, printed: str) -> bool:
    """Whether output is as shown: times and the width of columns aside, and `...` stands for anything."""
    pattern = r"(.*)".join(re.escape(part) for part in _normal(shown).split("..."))
    return re.fullmatch(pattern, _normal(printed), re.DOTALL) is not None


def _normal(text: str) -> str:
    lines = [re.sub(r"\s+", " ", _TIME.sub("TIME", line)).rstrip() for line in text.strip("\n").splitlines()]
    # A line of dots takes the ends of the lines around it.
    return re.sub(r"(^|\n) ?\.\.\.(\n|$)", "...", "\n".join(lines))


def _read_toml(block: Block) -> None:
    if block.title in ("pyproject.toml", "tla2py.toml"):
        tomllib.loads(block.text)
        return
    top = block.text.partition("[")[0]
    text = block.text if "module" in top else f'module = "Spec.tla"\n{block.text}'
    read_sweep_text(text, block.page)


def _read_tla(block: Block) -> None:
    whole = block.text.lstrip().startswith("----")
    text = block.text if whole else f"---- MODULE Part ----\n{block.text}\n====\n"
    raise_mistake(read_text(text, block.page))
