"""What a sweep has of a command: how it is loaded, other values for some names, and only some of its points."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tla2py import toml
from tla2py.errors import InputError
from tla2py.model.model import InputFile
from tla2py.sweep import sections
from tla2py.sweep.file import SweepText
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.parse import Translate
from tla2py.tlc.tools.toolchain import find_jar


def given_values(texts: Sequence[str], option: str = "-c") -> dict[str, str]:
    """The values of ``NAME=VALUE``, by name; ``option`` is how they are given. Raises InputError (``constant-syntax``)."""
    found = {}
    for text in texts:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not (sign and name and value):
            raise InputError(
                "constant-syntax",
                f"{option} {text!r} is not NAME=VALUE",
                hint=f'example: {option} "Replicas={{b1, b2}}"',
            )
        found[name] = value
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    """How a command has a sweep loaded.

    ``translate`` is for PlusCal, see ``load_modules``; ``no_lint`` lets configs pass that lint refuses. ``constants``, written
    ``NAME=VALUE``, ``no_deadlock`` and ``inputs`` change all configs of a folder. ``jars`` are the values of a parameter ``jar``.
    """

    translate: Translate | None = None
    no_lint: bool = False
    constants: tuple[str, ...] = ()
    no_deadlock: bool = False
    inputs: tuple[InputFile, ...] = ()
    jars: tuple[Path, ...] = ()

    @property
    def options(self) -> tuple[str, ...]:
        """The options that say so, as a lock keeps them."""
        given = [f"-c {shlex.quote(text)}" for text in self.constants]
        return (
            *given,
            *["--no-deadlock"] * self.no_deadlock,
            *(f"--input {each.path}" for each in self.inputs),
        )

    def applied(
        self, file: sections.SweepFile, specs: Mapping[str, ModuleGraph], base: Path
    ) -> sections.SweepFile:
        """A sweep file in the folder ``base`` so changed; the modules say whether a name is a constant.

        Raises InputError (``constant-syntax``), and ToolchainError as ``find_jar`` does.
        """
        given = given_values(self.constants)
        declared = {each.name for spec in specs.values() for each in spec.constants}
        defined = {name for spec in specs.values() for name in spec.definitions} - declared
        changed = msgspec.structs.replace
        if self.jars:
            names = [
                name
                for name in sections.JAR_NAMES
                if name in file.parameters or name not in declared | defined
            ]
            values = [_jar_value(each, base) for each in self.jars]
            file = _with_values(file, min(names, key=lambda name: name not in file.parameters), values)
        return changed(
            file,
            constants={
                **file.constants,
                **{name: text for name, text in given.items() if name not in defined},
            },
            substitutions={**file.substitutions, **{name: given[name] for name in given.keys() & defined}},
            model=changed(file.model, check_deadlock=False) if self.no_deadlock else file.model,
            inputs=sections.FilesSection(files=[*file.inputs.files, *(each.path for each in self.inputs)]),
        )


def _jar_value(named: Path, base: Path) -> str | sections.JarFile:
    """A jar as a sweep file in the folder ``base`` names it. Raises ToolchainError as ``find_jar`` does."""
    sha256 = find_jar(named).sha256
    if not named.is_file():
        return str(named)
    return sections.JarFile(path=Path(os.path.relpath(named, base)).as_posix(), sha256=sha256)


PLAIN = Loading()
"""What loads a sweep as its file says."""


def with_settings(
    file: sections.SweepFile, source: SweepText, settings: Sequence[str]
) -> tuple[sections.SweepFile, SweepText]:
    """A sweep file with other values, each written ``NAME=VALUE``: every name is a parameter, of one value or of a list.

    Raises InputError (``constant-syntax``, ``wrong-type``).
    """
    given = given_values(settings, "--set")
    for name, text in given.items():
        file = _with_values(file, name, _values(name, text))
    return file, SweepText(source.path, "\n".join(source.lines), frozenset(given))


def _values(name: str, text: str) -> list[sections.Scalar | sections.JarFile]:
    """TLA+ text as the one value, or the values of a TOML list."""
    try:
        data = toml.loads(f"values = {text}") if text.startswith("[") else {}
    except toml.TOMLDecodeError:
        data = {}
    if data.keys() != {"values"}:
        return [text]
    try:
        return msgspec.convert(
            data["values"],
            list[sections.Scalar | sections.JarFile] if name in sections.JAR_NAMES else list[sections.Scalar],
        )
    except msgspec.ValidationError as error:
        raise InputError(
            "wrong-type",
            f"--set {name}: not a list of numbers, booleans and TLA+ text in quotation marks: {text}",
            hint=f'example: --set \'{name}=["{{b1}}", "{{b1, b2}}"]\'',
        ) from error


def _with_values(
    file: sections.SweepFile, name: str, values: Sequence[sections.Scalar | sections.JarFile]
) -> sections.SweepFile:
    # A single value does not advance with others.
    zipped = ([each for each in names if each != name or len(values) > 1] for names in file.grid.zip)
    texts = [sections.listed_text(each) if isinstance(each, sections.JarFile) else each for each in values]
    grid = msgspec.structs.replace(
        file.grid,
        zip=[names for names in zipped if names],
        # An included point that has a value of its own is of another grid.
        include=[{**row, name: value} for row in file.grid.include if name not in row for value in texts],
    )
    tables = {key: getattr(file, key) for key in ("constants", "substitutions", *sections.VARIABLES)}
    return msgspec.structs.replace(
        file,
        grid=grid,
        parameters={**file.parameters, name: [*values]},
        **{
            key: {each: value for each, value in table.items() if name not in (each, f"{key}.{each}")}
            for key, table in tables.items()
        },
    )


def chosen_places(text: str | None, points: int) -> tuple[int, ...]:
    """The places of points written as ``1,3-5``, all without a text. Raises InputError (``no-point``, ``usage``)."""
    if text is None:
        return tuple(range(points))
    found: dict[int, None] = {}
    for part in text.split(","):
        bounds = re.fullmatch(r"\s*(\d+)(?:\s*-\s*(\d+))?\s*", part)
        first, last = (int(bounds[1]), int(bounds[2] or bounds[1])) if bounds is not None else (1, 0)
        if first > last:
            raise InputError("usage", f"not a list of points: {text}", hint="example: --points 1,3-5")
        for number in range(first, last + 1):
            if not 1 <= number <= points:
                hint = f"choose points from 1 to {points}"
                raise InputError("no-point", f"the sweep has no point {number}", hint=hint)
            found[number - 1] = None
    return tuple(found)
