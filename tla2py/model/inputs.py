"""What a run may read besides its modules, and which of its files are kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import NamedTuple

from tla2py.model.logs import LogInput


class Variable(NamedTuple):
    """An environment variable or a Java property: its name and its value."""

    name: str
    value: str


class InputFile(NamedTuple):
    """A file that a run may read, or has written: its path in the run's folder and the sha256 of its content."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a run may read besides its modules; ``outputs`` are the patterns of the files to keep."""

    environment: tuple[Variable, ...] = ()
    java_properties: tuple[Variable, ...] = ()
    files: tuple[InputFile, ...] = ()
    outputs: tuple[str, ...] = ()
    log: LogInput | None = None

    def facts(self) -> dict[str, object]:
        """What belongs in a run's digest; empty without inputs, as in the digests from before inputs existed."""
        facts = {
            "environment": self.environment,
            "java_properties": self.java_properties,
            "files": self.files,
            "outputs": self.outputs,
            "log": self.log and self.log.facts(),
        }
        return {name: value for name, value in facts.items() if value}

    def without(self, names: Iterable[str]) -> Inputs:
        """The inputs without files of these names, which the run's folder has anyway."""
        taken = {*names}
        files = tuple(file for file in self.files if file.path not in taken)
        return self if files == self.files else replace(self, files=files)


NO_INPUTS = Inputs()


def is_inside(path: str) -> bool:
    """Whether a relative path with slashes stays in its folder."""
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts and "\0" not in path
