"""The text of a sweep file, and the places of keys, values and names in it."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import msgspec

from tla2py import toml
from tla2py.errors import InputError, Place, reason_of
from tla2py.model.model import LIST_FIELDS, MODEL_NAMES, bare_name, is_expression
from tla2py.model.outcome import Outcome
from tla2py.sweep.sections import (
    KEYS,
    ONE_JAR,
    REMOVED_KEYS,
    REMOVED_PARAMETERS,
    SECTIONS,
    VARIABLES,
    Expected,
    Sections,
    ValuesTable,
    listed,
)
from tla2py.text import did_you_mean
from tla2py.tla.module import find_string, line_and_column, without_lines_in_strings
from tla2py.tlc.config.read import config_name, offset_of
from tla2py.tlc.config.statements import SINGULAR
from tla2py.toml import value_text


class SweepText:
    """The text of a sweep file, which finds the places of keys and values.

    The values of the parameters ``settings`` are not in it but in options.
    """

    def __init__(self, path: Path, text: str, settings: Container[str] = ()) -> None:
        self.path = path
        self.settings = settings
        self.lines = text.removesuffix("\n").split("\n")
        self.text = "\n".join(self.lines) + "\n"
        # What is inside strings of several lines is no key.
        self._keys = without_lines_in_strings(text).split("\n")

    def place(self, *keys: str | int, value: str | None = None) -> str:
        """``file:line:column`` of a key such as ``("model", "invariants")``, or of a value after it.

        After an array of tables, a number gives the index of a table, from 0.
        """
        if keys[0] == "parameters" and keys[-1] in self.settings:
            return f"--set {keys[-1]}=..."
        line, column = self.position(*keys)
        if value is not None and line:
            for number in range(line, min(line + 40, len(self.lines) + 1)):
                found = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", self.lines[number - 1][column - 1 :])
                if found:
                    return f"{self.path}:{number}:{column + found.start()}"
                column = 1
            if (place := self.inside(keys, value, None, 0)) is not None:
                return str(place)
            line, column = self.position(*keys)
        return f"{self.path}:{line}:{column}" if line else str(self.path)

    def inside(self, keys: Sequence[str | int], text: str, index: int | None, length: int) -> Place | None:
        """The place in the string of a key that has this text; ``index`` and ``length`` are those of ``SourcePlaces.value``."""
        if keys[0] == "parameters" and keys[-1] in self.settings:
            return None
        whole = "\n".join(self.lines)
        line, column = self.position(*keys)
        start = sum(len(each) + 1 for each in self.lines[: line - 1]) + column - 1 if line else 0
        if (offsets := find_string(whole, start, text)) is None:
            return None
        at = offset_of(offsets, index or 0, length if index else len(offsets))
        line, column = line_and_column(whole, at)
        return Place(file=str(self.path), line=line, column=column, excerpt=self.lines[line - 1])

    def assignment(self, name: str, text: str) -> str:
        """How the user would give a constant a value."""
        return f"{name} = {toml.toml_value(text)} under [constants], or several under [parameters]"

    def setting(self, key: str, name: str) -> str:
        """How the user would name the definition of a behaviour."""
        return f'{key} = "{name}" under [model]'

    def position(self, *keys: str | int) -> tuple[int, int]:
        """The line and column of a key or of its table, from 1; line 0 if the file has neither."""
        numbered = any(isinstance(key, int) for key in keys)
        # A name may contain dots, which TOML reads as a table: environment.LOG.
        wanted = ".".join(map(str, keys))
        table: list[str | int] = []
        tables: list[list[str]] = []
        best = (0, 1)
        for number, line in enumerate(self._keys, 1):
            header = _HEADER.match(line)
            if header:
                names = _key_parts(header[1])
                table = [*names, tables.count(names)] if numbered and "[[" in line else [*names]
                tables.append(names)
                if ".".join(map(str, table)) == wanted:
                    best = (number, 1)
                continue
            assignment = _ASSIGNMENT.match(line)
            if assignment and ".".join(map(str, [*table, *_key_parts(assignment[2])])) == wanted:
                return number, len(assignment[1]) + 1
        if best == (0, 1) and len(keys) > 1:
            return self.position(*keys[:-1])
        return best


_PART = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_KEY = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"\s*\[{{1,2}}\s*({_KEY})\s*\]{{1,2}}")
_ASSIGNMENT = re.compile(rf"(\s*)({_KEY})\s*=")


def _key_parts(key: str) -> list[str]:
    return [part.strip("\"'") for part in re.findall(_PART, key)]


# The options that stand for sections of a sweep file.
_OPTIONS = {
    "constants": "-c {}=...",
    "substitutions": "-c {}=...",
    "environment": "--env {}=...",
    "accept": "--accept {}",
    "libraries": "-L {}",
}


class OptionText(SweepText):
    """The options of a command in place of the text of a sweep file; ``path`` is that of the module."""

    def place(self, *keys: str | int, value: str | None = None) -> str:
        """The option that gives a value, or else the module."""
        if value is not None and keys[0] == "model" and is_expression(value):
            return f"--{SINGULAR[str(keys[1])]} ..."
        named = ".".join(map(str, keys[1:])) or value
        option = _OPTIONS.get(str(keys[0]))
        return option.format(named) if option is not None and named else str(self.path)

    def inside(self, keys: Sequence[str | int], text: str, index: int | None, length: int) -> None:  # noqa: ARG002
        """None: an option has no lines."""
        return


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepFile:
    """A sweep file: its path, the sections in it, and its text, which has the places of keys and values.

    Where a command takes options in place of a file, ``source`` names these.
    """

    path: Path
    sections: Sections
    source: SweepText

    @property
    def folder(self) -> Path:
        """The folder that paths in the file are relative to."""
        return self.path.parent

    @property
    def text(self) -> str:
        """The text as a store keeps it."""
        return self.source.text

    def place(self, *keys: str | int, value: str | None = None) -> str:
        """Return the place of a key or value, as ``SweepText.place`` does."""
        return self.source.place(*keys, value=value)

    def with_sections(self, **changes: Any) -> SweepFile:
        """Return the file with other values of some sections; its text stays the same."""
        return replace(self, sections=msgspec.structs.replace(self.sections, **changes))


@dataclass(frozen=True, slots=True, kw_only=True)
class PointPlaces:
    """The places of a point's values and names. ``configs`` are the texts of the sweep's configs by name."""

    file: SweepFile
    configs: Mapping[str, str]
    parameters: Mapping[str, str]

    def value(self, name: str, index: int | None, length: int) -> Place | None:
        """The place of a value in the list of its parameter, or in its table."""
        keys, text = self._list(name) or self._assigned(name)
        if text is None:
            return self.name(name)
        place = self.file.source.inside(keys, text, index, length)
        return place or self._place(self.file.place(*keys, value=text))

    def name(self, name: str) -> Place | None:
        """The place of a name in the sweep file, or in the point's config."""
        bare = name.rpartition("]")[2].strip()
        for key in (*LIST_FIELDS, *MODEL_NAMES):
            if bare in re.findall(r"[\w!]+", self.parameters.get(key, "")):
                return self._place(self.file.place("parameters", key, value=bare))
            own = getattr(self.file.sections.model, key)
            if own == bare or (isinstance(own, list) and bare in own):
                return self._place(self.file.place("model", key, value=bare))
        if (keys := self._assigned(name)[0])[-1] == name:
            return self._place(self.file.place(*keys))
        config = self.parameters.get("config") or self.file.sections.config
        if not isinstance(config, str):
            return None
        return config_name(
            self.file.source.path.parent / config, self.configs.get(config, "").splitlines(), bare
        )

    def _list(self, text: str) -> tuple[tuple[str, ...], str] | None:
        """The key of the list that has an expression at the point, and the expression."""
        for key in LIST_FIELDS if is_expression(text) else ():
            if key in self.parameters and text in listed(self.file.sections, key, self.parameters[key]):
                return ("parameters", key), text
            if text in map(value_text, getattr(self.file.sections.model, key) or ()):
                return ("model", key), text
        return None

    def line(self, number: int) -> Place | None:  # noqa: ARG002 - the configs of a sweep are generated
        """None: the config was generated."""
        return None

    def _assigned(self, name: str) -> tuple[tuple[str, ...], str | None]:
        """Return the key of a name's value at the point, and the value.

        The config may say ``[Base]Limit`` where the file says ``Limit`` or ``W!Limit``.
        """
        tables = (
            ("parameters", self.parameters),
            ("constants", self.file.sections.constants),
            ("substitutions", self.file.sections.substitutions),
        )
        for table, values in tables:
            if name in values:
                return (table, name), value_text(values[name])
        last = bare_name(name)
        for table, values in tables:
            for key in values:
                if last != name and bare_name(key) == last:
                    return (table, key), value_text(values[key])
        return ("model",), None

    def _place(self, place: str) -> Place:
        found = Place.parse(place)
        return replace(found, excerpt=self.file.source.lines[found.line - 1]) if found.line else found


FOLDER_FILE = "models.toml"


def folder_file(path: Path) -> Path | None:
    """The ``models.toml`` of a folder, whether or not it exists; None for a path to something else."""
    own = path / FOLDER_FILE if path.is_dir() else path
    return own if own.name == FOLDER_FILE and own.parent.is_dir() else None


MARK = "tla2py-points.txt"
"""The file that marks a folder as written by ``tla2py cfg``."""
_MARK_TEXT = """\
'tla2py cfg -o' wrote this folder: a folder for each point of a sweep, with the files that TLC needs.
Commands that search a folder above it for configs skip it, as they skip stores.
"""


def mark_points(folder: Path) -> bool:
    """Make a folder for what ``tla2py cfg`` writes, and return whether it is marked; one with other files is not.

    Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    mark = folder / MARK
    if not mark.exists() and not any(folder.iterdir()):
        mark.write_text(_MARK_TEXT, encoding="utf-8")
    return mark.exists()


def files_below(folder: Path) -> Iterator[Path]:
    """The files below a folder, ordered by path, except hidden ones, and last each link to a folder outside of it.

    Of a folder below it that ``mark_points`` marked, only the mark counts. Links to other folders are followed, so that each folder comes once, without a link in its path where there is such a path.
    """
    root, seen, links = folder.resolve(), set[Path](), [folder]
    for link in links:
        # Nothing below a folder that has been seen, or is outside, is looked at.
        for here, folders, names in os.walk(link) if link.resolve().is_relative_to(root) else ():
            if (real := Path(here).resolve()) in seen:
                folders.clear()
                continue
            seen.add(real)
            if MARK in names and real != root:
                folders.clear()
                names = [MARK]
            visible = [Path(here, name) for name in sorted(folders) if not name.startswith(".")]
            links += filter(Path.is_symlink, visible)
            folders[:] = [each.name for each in visible if not each.is_symlink()]
            yield from (Path(here, name) for name in sorted(names) if not name.startswith("."))
    yield from (link for link in links if not link.resolve().is_relative_to(root))


def read_sweep_file(path: Path) -> SweepFile:
    """Return the sweep file at a path.

    Raises InputError: ``manifest``, ``sweep-missing``, ``sweep-unreadable``, and as ``read_sweep_text`` does.
    """
    if path.suffix == ".json":
        raise InputError(
            "manifest",
            f"{path} is not a sweep file; manifests are no longer read",
            hint="'tla2py gate DIR' runs the configs below a folder, and its models.toml says what is expected",
        )
    return read_sweep_text(_read(path), path)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        # A gate also takes a store.
        raise InputError(
            "sweep-missing",
            f"no such sweep file: {path}"
            if path.suffix == ".toml"
            else f"no such sweep file or store: {path}",
            hint="'tla2py init MODULE.tla' writes a first sweep file",
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        hint = "a sweep file is TOML in UTF-8"
        raise InputError("sweep-unreadable", f"cannot read {path}: {reason_of(error)}", hint=hint) from error


def read_sweep_text(text: str, path: Path, given: Mapping[str, object] | None = None) -> SweepFile:
    """Return a text as a sweep file at this path; it need not have the ``given`` keys.

    Raises InputError: ``sweep-syntax``, and as ``convert_sections`` does.
    """
    source = SweepText(path, text)
    try:
        data = toml.loads(text)
    except toml.TOMLDecodeError as error:
        raise _toml_error(path, str(error)) from error
    if re.search(r"\\(u|U0000)0000", text):
        hint = "remove it; no path may have that character"
        raise InputError("sweep-syntax", "a string contains \\u0000", where=str(path), hint=hint)
    return SweepFile(path=path, sections=convert_sections({**(given or {}), **data}, source), source=source)


def read_folder_file(path: Path) -> SweepFile:
    """Return a folder's ``models.toml``, which may be missing.

    Raises InputError (``sweep-unreadable``), and as ``read_sweep_text`` does.
    """
    return read_sweep_text(_read(path) if path.is_file() else "", path, {"module": []})


def sweep_file_of(sections: Mapping[str, Any], path: Path) -> SweepFile:
    """Return a sweep file at this path with these sections, which options give.

    Raises InputError as ``convert_sections`` does.
    """
    source = OptionText(path.parent / sections["module"], toml.document(sections))
    return SweepFile(path=path, sections=convert_sections(sections, source), source=source)


def convert_sections(sections: Mapping[str, Any], source: SweepText) -> Sections:
    """A sweep file with these sections; ``source`` is where they are written.

    Raises InputError: ``sweep-syntax``, ``unknown-key``, ``no-module``, ``wrong-type``.
    """
    data = _with_dotted_names(sections, top=True)
    _check_keys(data, source)
    if "module" not in data:
        raise InputError(
            "no-module", "the key module is missing", where=str(source.path), hint='write module = "NAME.tla"'
        )
    try:
        file = msgspec.convert(data, Sections)
    except msgspec.ValidationError as error:
        raise _type_error(data, source, str(error)) from error
    for name, values in file.parameters.items():
        if name not in LIST_FIELDS and isinstance(values, list) and any(isinstance(v, list) for v in values):
            text = f"parameters.{name}: expected a boolean or a number or a string, got a list"
            hint = _type_hint(["parameters", name], text)
            raise InputError("wrong-type", text, where=source.place("parameters", name), hint=hint)
    return file


def removed_parameter(name: str, where: str) -> InputError:
    """Return the error for a parameter that chose the jar of TLC."""
    return InputError(
        "unknown-parameter",
        f"the jar of TLC is no parameter any more: {name}",
        where=where,
        hint=ONE_JAR,
    )


def _check_keys(data: dict[str, Any], source: SweepText) -> None:
    named = data.get("parameters")
    parameters = named if isinstance(named, dict) else {}
    for name in REMOVED_PARAMETERS:
        values = parameters.get(name)
        # Other values are refused once it is known that no module declares the name.
        if isinstance(values, list) and any(isinstance(value, dict) for value in values):
            raise removed_parameter(name, source.place("parameters", name))
    sections = [(key.split(".") if key else [], struct) for key, struct in SECTIONS.items()]
    sections += [(["parameters", name], ValuesTable) for name in parameters]
    for keys, struct in sections:
        for table in _tables(data, keys):
            known = [field.encode_name for field in msgspec.structs.fields(struct)]
            for key in table:
                if key in known:
                    continue
                name, where = ".".join([*keys, key]), source.place(*keys, key)
                if name in REMOVED_KEYS:
                    text = f"there is no key {name} any more"
                    raise InputError("unknown-key", text, where=where, hint=REMOVED_KEYS[name])
                hint = did_you_mean(key, known, f"known here: {', '.join(known)}")
                raise InputError("unknown-key", f"unknown key {name}", where=where, hint=hint)


def _tables(data: dict[str, Any], keys: list[str]) -> list[dict[str, Any]]:
    found: list[Any] = [data]
    for key in keys:
        found = [item[key] for item in found if isinstance(item, dict) and key in item]
        found = [part for item in found for part in (item if isinstance(item, list) else [item])]
    return [item for item in found if isinstance(item, dict)]


_TOML = 'put TLA+ in quotation marks, as in Replicas = ["{b1, b2}"]; see https://toml.io'


def _toml_error(path: Path, text: str) -> InputError:
    if path.suffix == ".tla":
        return InputError(
            "sweep-syntax",
            f"{path} is a module, not a sweep file",
            hint=f"tla2py init {path} -o sweep.toml writes a sweep file for it; tla2py check {path} runs it once",
        )
    if path.suffix == ".cfg":
        return InputError(
            "sweep-syntax",
            f"{path} is a config, not a sweep file",
            hint="tla2py sweep --configs '*.cfg' MODULE.tla runs configs, or config = [\"Name.cfg\"] in a sweep file",
        )
    found = re.search(r"^(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", text, re.DOTALL)
    if not found:
        return InputError("sweep-syntax", f"not TOML: {text}", where=str(path), hint=_TOML)
    message, line, column = found.groups()
    place = f"{path}:{line}:{column}" if line else f"{path} (end of file)"
    return InputError("sweep-syntax", f"not TOML: {message}", where=place, hint=_TOML)


# The types of the top-level keys.
_TYPES = {field.encode_name: field.type for field in msgspec.structs.fields(Sections)}
_WORDS = {
    "str": "a string",
    "int": "a number",
    "bool": "a boolean",
    "array": "a list",
    "object": "a table",
    "float": "a float",
}
_CHOICES = {
    "mode": ("check", "simulate", "generate"),
    "find": ("first", "each"),
    "logs.search": ("bfs", "dfs"),
    "grid.search": ("law",),
    "verdict": get_args(Expected),
    "outcome": tuple(outcome.value for outcome in Outcome),
}


def _type_error(data: dict[str, Any], source: SweepText, text: str) -> InputError:
    """Msgspec's error in the terms of TOML, at its line."""
    message, _, path = text.partition(" - at `$")
    keys: list[str | int] = re.findall(r"[\w-]+", path)
    if keys[:2] == ["expect", "point"] and len(keys) > 2:
        keys[2] = int(keys[2])
    elif keys and f"{keys[0]}[...]" in path and isinstance(table := data[str(keys[0])], dict):
        # The path does not say which name of the table it is.
        kind = _TYPES[str(keys[0])]
        name = next(name for name in table if not _converts({name: table[name]}, kind))
        keys = [keys[0], name, *keys[1:]]
    else:
        keys = [key for key in keys if not str(key).isdigit()]
    missing = re.fullmatch(r"Object missing required field `(\w+)`", message)
    shown = ".".join(str(key) for key in keys if not isinstance(key, int)) or "the file"
    return InputError(
        "wrong-type",
        f"{shown}: the key {missing[1]} is missing" if missing else f"{shown}: {_simplify_message(message)}",
        where=source.place(*keys),
        hint=_type_hint(keys, message),
    )


def _type_hint(keys: list[str | int], message: str) -> str:
    """What would be right instead of a value of the wrong type."""
    name = str(keys[-1]) if keys else ""
    choices = _CHOICES.get(name) or (_CHOICES.get(f"{keys[0]}.{name}") if keys else None)
    if "enum" in message and choices is not None:
        return f"one of: {', '.join(choices)}"
    if "got `float`" in message:
        return "TLC knows whole numbers only; write other values as TLA+ text in quotation marks"
    if keys and keys[0] == "parameters":
        return f"write {name} = [1, 2] for these values, {name} = {{ from = 1, to = 3 }} for a range; a single value belongs under [constants]"
    # The meaning of the key, or of the table around it if the key is the user's name.
    named = [str(key) for key in keys if not isinstance(key, int)]
    while named:
        *section, name = named
        # A point of [expect] has the keys of [expect].
        table = ".".join(section).removesuffix(".point")
        meaning = KEYS.get(table, {}).get(name)
        if meaning:
            return f"{name}: {meaning}"
        named = section
    return "docs/sweep-file.md describes sweep files"


def _converts(value: object, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _simplify_message(message: str) -> str:
    def words(found: re.Match[str]) -> str:
        return " or ".join(_WORDS.get(name, name) for name in found[1].split(" | ") if name != "null")

    message = re.sub(r"`([^`]*)`", words, message).replace("enum value", "value")
    return message[:1].lower() + message[1:]


_RULE = {field.encode_name for field in msgspec.structs.fields(ValuesTable)}
# The sections that name parameters.
_OF_PARAMETERS = ("parameters", "grid", "expect")


def _with_dotted_names(data: Any, *, top: bool = False) -> Any:
    """The data of a sweep file with ``environment.LOG`` as one name, not as a table in a table."""
    if isinstance(data, list):
        return [_with_dotted_names(each) for each in data]
    if not isinstance(data, Mapping):
        return data
    found: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, dict) and (key in VARIABLES or (key == "tlc" and not top)):
            named = dict(_dotted_names(value))
            found |= {key: named} if top else {f"{key}.{name}": each for name, each in named.items()}
        elif top and key not in _OF_PARAMETERS:
            found[key] = value
        else:
            found[key] = _with_dotted_names(value)
    return found


def _dotted_names(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict) and not value.keys() <= _RULE:
            yield from _dotted_names(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
