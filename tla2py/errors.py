"""The exceptions of tla2py, each with a code, a place and a hint.

A violation that TLC finds is a row, never an exception. These exceptions report bad input, a missing tool or an
unusable store; the command line turns each into one or two lines and exit code 2.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from pathlib import PurePath
from typing import Generic, TypeVar

Result = TypeVar("Result")


class ExitCode(IntEnum):
    """The exit codes of the command line."""

    OK = 0
    UNEXPECTED = 1
    NOT_RUN = 2
    INCONCLUSIVE = 3


MOST_LINES = 10
"""The most lines that an excerpt keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place in a file, or in an option such as ``-c N=1``.

    Lines and columns count from 1, columns in characters; without a line the place is the whole file. The end is
    inclusive. ``excerpt`` holds the first ``MOST_LINES`` lines of the text at the place, then ``...`` if there are more.
    """

    file: str
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    excerpt: str = ""

    @classmethod
    def parse(cls, text: str) -> Place:
        """The place written as ``file``, ``file:line`` or ``file:line:column``."""
        found = re.fullmatch(r"(.*?)(?::(\d+))?(?::(\d+))?", text, re.DOTALL)
        assert found is not None
        file, line, column = found.groups()
        return cls(file=file, line=int(line) if line else None, column=int(column) if column else None)

    @property
    def order(self) -> tuple[str, int, int]:
        """A sort key: by file, then by line and column."""
        return self.file, self.line or 0, self.column or 0

    def __str__(self) -> str:
        """``file:line:column``, as far as known."""
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)


class Tla2pyError(Exception):
    """The base class of all errors that users see.

    ``code`` is a stable slug such as ``unknown-constant``; ``where`` is ``file``, ``file:line`` or
    ``file:line:column``; ``hint`` says how to fix it.
    """

    def __init__(self, code: str, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(code, message, where, hint)
        self.code = code
        self.message = message
        self.where = where
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        # Pickling, as Spark does, loses keyword-only arguments.
        return partial(type(self), where=self.where, hint=self.hint), (self.code, self.message)

    def __str__(self) -> str:
        """One or two lines: where and what is wrong, then the hint."""
        place = f"{self.where}: " if self.where else ""
        text = f"{place}{self.message}"
        return f"{text}\n{self.hint}" if self.hint else text

    @property
    def line(self) -> str:
        """The error on one line."""
        problem = str(self).removesuffix(f"\n{self.hint}")
        return "; ".join(" ".join(part.split()) for part in (problem, self.hint or "") if part)


class InputError(Tla2pyError, ValueError):
    """A module, a config, a sweep file or an option is wrong."""


class ToolchainError(Tla2pyError, RuntimeError):
    """Java, the TLA+ tools or Spark are missing or unusable."""


class StoreError(Tla2pyError, RuntimeError):
    """A store cannot be read or written."""


def reason_of(error: Exception) -> str:
    """The message of an error, without the path that an OSError repeats."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


@contextmanager
def writing(path: object) -> Iterator[None]:
    """Raise InputError (``output-unwritable``) for the block's OSError."""
    try:
        yield
    except OSError as error:
        raise InputError(
            "output-unwritable",
            f"cannot write {path}: {reason_of(error)}",
            hint="check that its folder exists, that you may write to it and that the disk is not full",
        ) from error


@dataclass(frozen=True, slots=True)
class AnalysisResult(Generic[Result]):
    """The result of an analysis that a verdict does not depend on, or what stands for it and why the analysis failed."""

    result: Result
    failure: str | None = None


def attempt(analysis: Callable[[], Result], otherwise: Result) -> AnalysisResult[Result]:
    """Run an analysis, and return its result, or ``otherwise`` with the reason if it fails.

    Whatever fails in it is a reason, but errors of tla2py are raised as they are, as is KeyboardInterrupt. The analysis
    must not return an iterator that fails later.
    """
    try:
        return AnalysisResult(analysis())
    except Tla2pyError:
        raise
    except Exception as error:
        return AnalysisResult(otherwise, failure_text(error))


def failure_text(error: Exception) -> str:
    """Describe an unexpected error in one line: the system's message, or which error tla2py made and where."""
    if isinstance(error, OSError):
        return " ".join(reason_of(error).split())
    kind = type(error).__name__
    message = " ".join(str(error).split())
    described = f"{kind}: {message}" if message else kind
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return f"tla2py failed with {described}"
    last = frames[-1]
    return f"tla2py failed with {described} ({PurePath(last.filename).name}:{last.lineno})"
