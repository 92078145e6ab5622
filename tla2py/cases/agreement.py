"""What a program says of a value, compared with the value that the specification has.

JSON has fewer types than TLA+, so the specification's value decides what an answer means: where it has a set, a list is
its elements; where it has a model value or a number as a key, a string that is written like it is that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache

from tla2py.tla.itf import Json, from_itf
from tla2py.tla.value import Function, Interval, ModelValue, Opaque, Record, Value, canonical


@lru_cache(maxsize=1 << 16)
def agrees(answer: str, expected: str) -> bool:
    """Return whether an answer agrees with a value of a state; both are JSON texts, the value is ITF.

    Raises InputError (``itf-syntax``) for an answer that is no value.
    """
    value = _value_of(expected)
    if canonical(_value_of(answer)) == canonical(value):
        return True
    return _agrees(json.loads(answer), value)


@lru_cache(maxsize=1 << 16)
def _value_of(text: str) -> Value:
    return from_itf(json.loads(text))


def _agrees(answer: Json, value: Value) -> bool:
    """Return whether a JSON value agrees with a value of the specification."""
    if isinstance(answer, str):
        return _text_of(value) == answer
    if isinstance(answer, list):
        if isinstance(value, (frozenset, Interval)):
            return _has_elements(answer, value)
        return _has_parts(answer, value)
    if not isinstance(answer, dict):
        return canonical(from_itf(answer)) == canonical(value)
    tag, content = next(iter(answer.items()), ("", None))
    if tag == "#set" and isinstance(content, list):
        return isinstance(value, (frozenset, Interval)) and _has_elements(content, value)
    if tag == "#tup" and isinstance(content, list):
        return _has_parts(content, value)
    if tag == "#map" and isinstance(content, list):
        return _has_pairs(content, value)
    if tag.startswith("#"):
        said = from_itf(answer)
        return canonical(said) == canonical(value) or _text_of(said) == _text_of(value) is not None
    return _has_fields(answer, value)


def _text_of(value: Value) -> str | None:
    """Return the text of a string, or of a model value, which JSON writes as a string; None for other values."""
    if isinstance(value, str):
        return value
    if isinstance(value, ModelValue):
        return value.name
    return value.text if isinstance(value, Opaque) else None


def _key_text(value: Value) -> str | None:
    """Return the text by which an object of JSON has a key, None for one that it cannot have."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return _text_of(value)


def _mapping_of(value: Value) -> Mapping[Value, Value] | None:
    """Return a function, a record or a sequence as a mapping, None for other values."""
    if isinstance(value, tuple):
        return dict(enumerate(value, 1))
    return dict(value.items()) if isinstance(value, (Function, Record)) else None


def _has_parts(parts: Sequence[Json], value: Value) -> bool:
    """Return whether a value is the sequence of these elements."""
    if not isinstance(value, tuple) or len(parts) != len(value):
        return False
    return all(_agrees(part, element) for part, element in zip(parts, value, strict=True))


def _has_elements(parts: Sequence[Json], value: frozenset[Value] | Interval) -> bool:
    """Return whether a set has exactly these elements, of which some may be repeated."""
    # It may be too large to be listed.
    size = value.size if isinstance(value, Interval) else len(value)
    if size > len(parts):
        return False
    plain = {_plain_key(element) for element in value} - {None}
    others = [element for element in value if _plain_key(element) is None]
    met: set[object] = set()
    for part in parts:
        key = _plain_key_of_json(part)
        if key is not None:
            if key not in plain:
                return False
            met.add(key)
            continue
        alike = [number for number, element in enumerate(others) if _agrees(part, element)]
        if not alike:
            return False
        met.update(alike)
    return len(met) == len(plain) + len(others)


def _plain_key(value: Value) -> tuple[str, object] | None:
    """Return what is equal for scalars that one JSON value may mean, None for values with parts."""
    if isinstance(value, bool):
        return "boolean", value
    if isinstance(value, int):
        return "number", value
    text = _text_of(value)
    return None if text is None else ("text", text)


def _plain_key_of_json(part: Json) -> tuple[str, object] | None:
    """Return the key of a scalar in an answer, None for one with parts."""
    if isinstance(part, dict) and next(iter(part), "") not in ("#bigint", "#unserializable"):
        return None
    return None if isinstance(part, list) else _plain_key(from_itf(part))


def _has_pairs(pairs: Sequence[Json], value: Value) -> bool:
    """Return whether a value is the function of these pairs of an argument and a result."""
    mapping = _mapping_of(value)
    if mapping is None or len(pairs) != len(mapping):
        return False
    for argument, result in mapping.items():
        if not any(
            isinstance(pair, list) and _agrees(pair[0], argument) and _agrees(pair[1], result)
            for pair in pairs
        ):
            return False
    return True


def _has_fields(fields: Mapping[str, Json], value: Value) -> bool:
    """Return whether a value is the record or function with exactly these fields or keys."""
    mapping = _mapping_of(value)
    if mapping is None or len(fields) != len(mapping):
        return False
    for argument, result in mapping.items():
        name = _key_text(argument)
        if name is None or name not in fields or not _agrees(fields[name], result):
            return False
    return True
