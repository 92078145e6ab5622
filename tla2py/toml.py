"""TOML: Python 3.11's reader, values of a sweep file as TLA+ text, and TLA+ text as TOML."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping
from tomllib import TOMLDecodeError, loads
from typing import Any

__all__ = ["TOMLDecodeError", "document", "loads", "toml_key", "toml_string", "toml_value", "value_text"]


def value_text(value: str | int | bool) -> str:
    """A value of a sweep file as TLA+ text; several lines keep their columns relative to each other, as TLA+ requires."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return str(value) if isinstance(value, int) else textwrap.dedent(value).strip("\n").rstrip()


def toml_value(text: str) -> str:
    """TLA+ text as a TOML value: numbers and booleans as they are, anything else as a string."""
    if re.fullmatch(r"\d+", text):
        return text
    if text in {"TRUE", "FALSE"}:
        return text.lower()
    return f"'{text}'" if ("\\" in text or '"' in text) and "'" not in text else toml_string(text)


def toml_string(text: str) -> str:
    """A TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_key(name: str) -> str:
    """A name as a key of TOML."""
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else toml_string(name)


def document(sections: Mapping[str, Any]) -> str:
    """A TOML text with these keys, and with these tables of keys. Values are strings, numbers, booleans, lists and tables of them."""
    keys = [_line(key, value) for key, value in sections.items() if not isinstance(value, Mapping)]
    tables = [
        line
        for name, table in sections.items()
        if isinstance(table, Mapping)
        for line in (f"[{toml_key(name)}]", *(_line(key, value) for key, value in table.items()))
    ]
    return "\n".join([*keys, *tables, ""])


def _line(key: str, value: object) -> str:
    return f"{toml_key(key)} = {_format_toml(value)}"


def _format_toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_format_toml, value))}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(_line(key, each) for key, each in value.items())} }}"
    return toml_string(value) if isinstance(value, str) else json.dumps(value)
