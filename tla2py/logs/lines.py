"""The lines of a run's log, as the tables number them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tla2py.errors import InputError
from tla2py.logs.map import Mapper
from tla2py.logs.read import LogLines
from tla2py.model.logs import LogInput


class NumberedLine(NamedTuple):
    """A line of a log: its number, its text, and its place."""

    number: int
    text: bytes
    file: str
    file_line: int

    @property
    def place(self) -> str:
        """The place as ``file:line``."""
        return f"{self.file}:{self.file_line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogText:
    """The text of a run's log; ``files`` are its files where they can be read.

    The lines of one file have its numbers. Those of several files are numbered in their common order, without those that
    ``[logs.map]`` drops.
    """

    log: LogInput
    files: Sequence[Path]

    def lines(self) -> Iterator[NumberedLine]:
        """All lines, up to the first that cannot be read in the order of several files."""
        if len(self.files) > 1:
            with contextlib.suppress(InputError):
                yield from self.steps()
            return
        with self.files[0].open("rb") as lines:
            for number, text in enumerate(lines, 1):
                yield NumberedLine(number, text, self.log.files[0].path, number)

    def steps(self) -> Iterator[NumberedLine]:
        """The lines that are steps of a log that is checked against the specification alone.

        Raises InputError as reading the log does.
        """
        assert self.log.observed is not None
        several = len(self.files) > 1
        logs = [
            LogLines(file, each.path, required=not several)
            for each, file in zip(self.log.files, self.files, strict=True)
        ]
        for step, line in enumerate(Mapper(self.log.observed.map).steps(logs), 1):
            yield NumberedLine(step if several else line.number, line.text, line.file, line.number)

    def line(self, number: int) -> NumberedLine | None:
        """The line of this number."""
        return next((line for line in self.lines() if line.number == number), None)
