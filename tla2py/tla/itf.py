"""Values and states in the Informal Trace Format (Apalache's ADR-015), in both directions.

Integers are always written ``{"#bigint": "n"}``, as the format requires since 2023; bare numbers are read too. ITF
writes a model value as a plain string, so the state's ``#meta`` lists the strings that are model values. Values that
JSON or its readers cannot hold are kept as TLA+ text under ``#unserializable``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import NamedTuple, TypeAlias

from tla2py.errors import InputError
from tla2py.text import cut
from tla2py.tla.canonical import (
    CONSECUTIVE,
    INTEGER,
    MODEL_VALUE,
    OPAQUE,
    RECORD,
    SEQUENCE,
    SET,
    STRING,
    Form,
    canonical,
    scalar_forms,
)
from tla2py.tla.value import DEEPEST, Function, ModelValue, Opaque, Record, Value
from tla2py.tla.value_text import format_form, parse_value

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

EXPANDED = 10_000
"""The largest size at which a set of consecutive integers is written out in JSON."""


def to_itf(value: Value, model_values: Collection[str] = frozenset()) -> Json:
    """The ITF form of ``value``, the same for all equal values.

    A model value listed in ``model_values`` becomes a plain string, so none of these names may also occur as a
    string in ``value``. Any other model value becomes ``{"#unserializable": name}``. Parts nested deeper than
    ``DEEPEST`` become their TLA+ text in the same way.
    """
    return form_to_itf(canonical(value), model_values)


def form_to_itf(form: Form, model_values: Collection[str]) -> Json:
    """``to_itf`` for a canonical form."""
    # Parents are created first and filled later, which avoids recursion.
    holder: list[Json] = []
    todo: list[_Todo] = [(form, holder.append, 0)]
    while todo:
        part, put, depth = todo.pop()
        rank, content = part[0], part[1]
        inner = depth + 1
        if rank == INTEGER:
            put({"#bigint": str(content)})
        elif rank == OPAQUE or (rank == MODEL_VALUE and content not in model_values):
            put({"#unserializable": content})
        elif rank < SET:
            put(content)
        elif depth > DEEPEST:
            put({"#unserializable": format_form(part)})
        elif rank == SEQUENCE:
            elements: list[Json] = []
            put(elements)
            todo.extend((element, elements.append, inner) for element in reversed(part[2]))
        elif rank == SET:
            put(_set_to_itf(part, todo, inner))
        elif rank == RECORD:
            record: dict[str, Json] = dict.fromkeys(part[2])
            put(record)
            todo.extend(
                (value, partial(record.__setitem__, name), inner)
                for name, value in zip(part[2], part[3], strict=True)
            )
        else:
            pairs: list[Json] = []
            put({"#map": pairs})
            for key, value in zip(part[2], part[3], strict=True):
                pair: list[Json] = []
                pairs.append(pair)
                todo.append((value, pair.append, inner))
                todo.append((key, pair.append, inner))
    return holder[0]


# A form, the function that stores its JSON, and its depth.
_Todo: TypeAlias = tuple[Form, Callable[[Json], None], int]


def _set_to_itf(form: Form, todo: list[_Todo], depth: int) -> Json:
    size, elements = form[1], form[2]
    if not size or elements[-1] is not CONSECUTIVE:
        written: list[Json] = []
        todo.extend((element, written.append, depth) for element in reversed(elements))
        return {"#set": written}
    low = elements[0][1]
    if size > EXPANDED:
        return {"#unserializable": f"{low}..{low + size - 1}"}
    return {"#set": [{"#bigint": str(item)} for item in range(low, low + size)]}


def from_itf(
    json: Json, model_values: Collection[str] = frozenset(), *, names: Collection[str] = frozenset()
) -> Value:
    """The value of an ITF expression; strings in ``model_values`` are read as model values.

    ``names`` are read as model values in TLA+ text, even where they could mean something else (``Nat``).
    ``{"#tup": ...}`` is a sequence, and Apalache's variants are records. Raises ``InputError`` (``itf-syntax``) for
    anything that is not ITF or nested more than ``DEEPEST`` deep, ``ValueTextError`` for an ``#unserializable`` that is not TLA+.
    """
    stack: list[tuple[Iterator[Json], list[Value], Callable[[list[Value]], Value]]] = []
    value = json
    while True:
        scalar = _scalar_from_itf(value, model_values, names, deep=len(stack) >= DEEPEST)
        if scalar is None:
            if len(stack) > DEEPEST:
                raise InputError("itf-syntax", f"a value is nested more than {DEEPEST} deep", hint=ITF_PAGE)
            parts, build = _parts_from_itf(value)
            stack.append((iter(parts), [], build))
        elif stack:
            stack[-1][1].append(scalar)
        else:
            return scalar
        while (part := next(stack[-1][0], _END)) is _END:
            _, items, build = stack.pop()
            built = build(items)
            if not stack:
                return built
            stack[-1][1].append(built)
        value = part  # type: ignore[assignment]


_END = object()


def _scalar_from_itf(
    json: Json, model_values: Collection[str], names: Collection[str], *, deep: bool
) -> Value | None:
    if isinstance(json, str):
        return ModelValue(json) if json in model_values else json
    if isinstance(json, (bool, int)):
        return json
    if isinstance(json, dict) and len(json) == 1:
        tag, content = next(iter(json.items()))
        if tag == "#bigint" and isinstance(content, (str, int)):
            try:
                return int(content)
            except ValueError:
                raise _bad(json) from None
        if tag == "#unserializable" and isinstance(content, str):
            if deep and content.startswith(("<<", "{", "[", "(")):
                return Opaque(content)
            return parse_value(content, model_values=(*model_values, *names))
    return None


def _parts_from_itf(json: Json) -> tuple[Iterable[Json], Callable[[list[Value]], Value]]:
    if isinstance(json, list):
        return json, tuple
    if not isinstance(json, dict):
        raise _bad(json)
    tag = next(iter(json), "")
    if not tag.startswith("#"):
        names = list(json)
        return json.values(), lambda items: Record(zip(names, items, strict=True))
    content = json[tag]
    if len(json) == 1 and isinstance(content, list):
        if tag == "#tup":
            return content, tuple
        if tag == "#set":
            return content, frozenset
        if tag == "#map" and all(isinstance(pair, list) and len(pair) == 2 for pair in content):
            flat = [part for pair in content if isinstance(pair, list) for part in pair]
            return flat, lambda items: Function(zip(items[::2], items[1::2], strict=True))
    raise _bad(json)


ITF_PAGE = "the format: https://apalache-mc.org/docs/adr/015adr-trace.html"


def _bad(json: Json) -> InputError:
    return InputError(
        "itf-syntax",
        f"not an ITF expression: {cut(repr(json), 63)}",
        hint=ITF_PAGE,
    )


def state_to_itf(values: Mapping[str, Value]) -> dict[str, Json]:
    """The ITF state of variables and their values, with the model values' names under ``#meta``.

    ``modelValues`` lists the names that do not also occur as strings in the state; the others are written as
    ``#unserializable`` and listed as ``ambiguousModelValues``, so that ``state_from_itf`` reads every state back.
    """
    forms = {name: canonical(value) for name, value in values.items()}
    names: set[str] = set()
    strings: set[str] = set()
    for form in scalar_forms(forms.values()):
        if form[0] == MODEL_VALUE:
            names.add(form[1])
        elif form[0] == STRING:
            strings.add(form[1])
    listed = names - strings
    state: dict[str, Json] = {name: form_to_itf(form, listed) for name, form in forms.items()}
    if names:
        meta: dict[str, Json] = {"modelValues": [*sorted(listed)]}
        if listed != names:
            meta["ambiguousModelValues"] = [*sorted(names - listed)]
        state["#meta"] = meta
    return state


def state_from_itf(obj: Mapping[str, Json]) -> dict[str, Value]:
    """The variables of an ITF state and their values; raises the errors of ``from_itf``."""
    meta = obj.get("#meta")
    listed, names = (_names(meta, key) for key in ("modelValues", "ambiguousModelValues"))
    # TLC prints null for a variable without a value; a model value named null is listed in #meta.
    unassigned = {"#unserializable": "null"} if "null" not in listed | names else None
    return {
        name: Opaque("null") if json == unassigned else from_itf(json, listed, names=names)
        for name, json in obj.items()
        if not name.startswith("#")
    }


def _names(meta: Json, key: str) -> frozenset[str]:
    listed = meta.get(key) if isinstance(meta, dict) else None
    return (
        frozenset(name for name in listed if isinstance(name, str))
        if isinstance(listed, list)
        else frozenset()
    )


class _Kind(NamedTuple):
    """What decides how a variable combines with others: its name, and the names and strings in its value."""

    name: str
    model_values: frozenset[str]
    strings: frozenset[str]


class VariableText(NamedTuple):
    """A variable and its value as part of a JSON object."""

    text: str
    kind: _Kind


def variable_text(name: str, value: Value) -> VariableText:
    """The text of a variable, for ``joined_text``."""
    form = canonical(value)
    scalars = list(scalar_forms([form]))
    named, strings = (
        frozenset(each[1] for each in scalars if each[0] == rank) for rank in (MODEL_VALUE, STRING)
    )
    return VariableText(json_text({name: form_to_itf(form, named)})[1:-1], _Kind(name, named, strings))


def joined_text(variables: Iterable[VariableText]) -> str | None:
    """The state of these variables, as ``state_text`` writes it.

    None if a variable is repeated, or if a string is the name of a model value: such a state has to be written
    as a whole.
    """
    texts, kinds = zip(*variables, strict=True)
    ending = _ending(kinds)
    return None if ending is None else "{" + ",".join(texts) + ending


@lru_cache(maxsize=1 << 16)
def _ending(kinds: tuple[_Kind, ...]) -> str | None:
    names = frozenset[str]().union(*(kind.model_values for kind in kinds))
    strings = frozenset[str]().union(*(kind.strings for kind in kinds))
    if len({kind.name for kind in kinds}) < len(kinds) or names & strings:
        return None
    return f',"#meta":{json_text({"modelValues": sorted(names)})}}}' if names else "}"


def state_text(values: Mapping[str, Value]) -> str:
    """The JSON text of a state in ITF."""
    return json_text(state_to_itf(values))


def json_text(value: object) -> str:
    """The JSON text of a value, as the tables have it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
