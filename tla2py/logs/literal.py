"""JSON values as TLA+ text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import IO

import msgspec

from tla2py.errors import InputError
from tla2py.logs.formats import JsonValue, LogLines, read_json
from tla2py.model.model import Extension, Inputs
from tla2py.tla.value import format_value, is_identifier
from tla2py.tlc.config.statements import LARGEST

_DEEPEST = 100


def tla_text(value: JsonValue, where: str, path: str = "", depth: int = 0) -> str:
    """The TLA+ text of a JSON value; ``where`` is its place for errors, ``path`` leads to it from the value at ``depth`` 0.

    An array is a sequence. An object is a record, or a function on strings if a key cannot be a field's name; the module has to instantiate
    ``TLC`` and ``Integers``. Raises InputError (``log-value``).
    """
    if depth > _DEEPEST:
        raise value_error(f"{path or 'the value'} is nested deeper than {_DEEPEST} levels", where)
    match value:
        case list():
            return f"<<{', '.join(tla_text(each, where, path, depth + 1) for each in value)}>>"
        case dict() if not value:
            return "<<>>"
        case dict():
            texts = (
                tla_text(each, where, f"{path}.{name}" if path else name, depth + 1)
                for name, each in value.items()
            )
            if all(map(is_identifier, value)):
                return f"[{', '.join(f'{name} |-> {text}' for name, text in zip(value, texts, strict=True))}]"
            keys = (string_text(name, where) for name in value)
            return f"({' @@ '.join(f'{key} :> {text}' for key, text in zip(keys, texts, strict=True))})"
        case int() if value == -LARGEST - 1 and not isinstance(value, bool):
            return f"(-{LARGEST} - 1)"
    return scalar_text(value, where, path, None)


def scalar_text(value: JsonValue, where: str, path: str, null: str | None) -> str:
    """The TLA+ text of a string, a number, a boolean or null. Raises InputError (``log-value``)."""
    match value:
        case None if null is None:
            raise value_error(
                f"{path or 'the value'} is null, which TLA+ does not have",
                where,
                hint='[logs.map] null = "Nil" names what stands for null; or leave the field out of the log',
            )
        case None:
            return str(null)
        case bool():
            return "TRUE" if value else "FALSE"
        case int() if abs(value) > LARGEST:
            raise value_error(
                f"{path or 'the value'} is {value}: TLC has integers up to {LARGEST:,}",
                where,
                hint="log a smaller number, such as an index, or a string",
            )
        case int():
            return str(value)
        case float():
            raise value_error(
                f"{path or 'the value'} is {value!r}: TLC has integers only",
                where,
                hint="log an integer in a smaller unit, such as milliseconds, or a string",
            )
        case str():
            return string_text(value, where)
    raise AssertionError(value)


def string_text(text: str, where: str) -> str:
    """The TLA+ text of a string. Raises InputError (``log-value``) for a control character that TLA+ cannot write."""
    # Most are plain, and a log has many.
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    written = format_value(text)
    for each in written:
        if ord(each) < 32 or ord(each) == 127 or "\ud800" <= each <= "\udfff":
            raise value_error(f"a string has the character U+{ord(each):04X}", where)
    return written


def value_error(
    message: str, where: str, *, hint: str = "TLC cannot read such a value: log another"
) -> InputError:
    """The error about a value that TLA+ cannot write."""
    return InputError("log-value", message, where=where, hint=hint)


LOG_MODULE = "Tla2pyLog"
"""The name of the module that holds a log."""

LOG_NAME = "Tla2py_Log"
"""The definition that is the sequence of steps that a log shows."""

COUNT_NAME = "Tla2py_Count"
"""The definition that is the number of lines."""

MODULES = Path(__file__).parent / "modules"
"""The folder of the modules that read JSON without Java classes, for specifications whose own cannot be found."""

# LOCAL: the module that extends this one may define names that these modules define too.
_HEAD = f"""---- MODULE {LOG_MODULE} ----
\\* Written by tla2py: the log.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
"""
_JSON = (".json", ".ndjson", ".jsonl")


def literal_extension(root: str) -> Extension:
    """What makes a module read its log from the module of the run."""
    names = ("Json.tla", "IOUtils.tla")
    return Extension(
        extends=(root,), modules={name: (MODULES / name).read_text(encoding="utf-8") for name in names}
    )


def write_log(file: IO[str], texts: Iterable[str]) -> None:
    """Write the module ``LOG_MODULE`` with steps, given as TLA+ texts."""
    file.write(f"{_HEAD}{LOG_NAME} == <<")
    count = 0
    # A log may be larger than what memory should hold.
    for count, text in enumerate(texts, 1):
        file.write(f"{',' if count > 1 else ''}\n{text}")
    file.write(f"\n>>\n{COUNT_NAME} == {count}\n====\n")


def write_literal(file: IO[str], inputs: Inputs, folder: Path) -> None:
    """Write the module ``LOG_MODULE`` with the log of a run, its other JSON files and its environment.

    Raises InputError (``log-value``) and those of the reader for the log; a file that cannot be read is left out.
    """
    log = inputs.log
    assert log is not None
    file.write(_HEAD)
    found: dict[str, list[str]] = {"Lines": [], "Value": []}
    own = {each.file: each.path for each in log.files}
    others = [path for path, _ in inputs.files if path not in own and Path(path).suffix in _JSON]
    for number, path in enumerate([*own, *others]):
        name = own.get(path, path)
        for kind, cases in found.items():
            if path in own and (kind == "Value") != (log.literal == "value"):
                continue
            try:
                text = (_lines_text if kind == "Lines" else _value_text)(folder / path, name)
            except InputError:
                if path in own:
                    raise
                continue
            file.write(f"Tla2py_{kind}_{number} ==\n{text}\n")
            cases.append(f"path = {string_text(path, name)} -> Tla2py_{kind}_{number}")
    for kind, cases in found.items():
        # TLC cannot evaluate it, and shows the text. An assertion that fails would be a violation by the log.
        missing = '[nothing \\in {} |-> nothing]["no such file of the run: " \\o path]'
        every = " [] ".join([*cases, f"OTHER -> {missing}"])
        file.write(f"Tla2py_{kind}(path) == {f'CASE {every}' if cases else missing}\n")
    variables = [
        f"{string_text(name, name)} :> {string_text(value, name)}"
        for name, value in (("LC_ALL", "C.UTF-8"), *inputs.environment)
    ]
    file.write(f"Tla2py_Environment == {' @@ '.join(reversed(variables))}\n====\n")


def _lines_text(path: Path, name: str) -> str:
    lines = LogLines(path, name).values()
    values = (tla_text(read_json(text), f"{name}:{number}") for number, text, _ in lines)
    return "<<\n" + ",\n".join(values) + "\n>>"


def _value_text(path: Path, name: str) -> str:
    try:
        msgspec.json.decode(path.read_bytes())
        value = read_json(path.read_bytes())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OSError) as error:
        raise InputError(
            "log-syntax",
            f"not JSON: {error}",
            where=name,
            hint="JsonDeserialize reads a file with one JSON value; ndJsonDeserialize one with a value in each line",
        ) from None
    return tla_text(value, name)
