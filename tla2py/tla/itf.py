"""Values and states in the Informal Trace Format (Apalache's ADR-015), in both directions.

Integers are always written ``{"#bigint": "n"}``, as the format requires since 2023; bare numbers are read too. ITF
writes a model value as a plain string, so the state's ``#meta`` lists the strings that are model values. Values that
JSON or its readers cannot hold are kept as TLA+ text under ``#unserializable``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import msgspec

from tla2py.errors import InputError
from tla2py.text import cut
from tla2py.tla.value import (
    CONSECUTIVE,
    DEEPEST,
    INTEGER,
    MODEL_VALUE,
    OPAQUE,
    RECORD,
    SEQUENCE,
    SET,
    STRING,
    Form,
    Function,
    ModelValue,
    Opaque,
    Record,
    Value,
    canonical,
    format_form,
    scalar_forms,
)
from tla2py.tla.value_text import parse_value

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


def form_to_itf(form: Form, model_values: Collection[str], depth: int = 0) -> Json:
    """``to_itf`` for a canonical form."""
    rank, content = form[0], form[1]
    if rank == INTEGER:
        return {"#bigint": str(content)}
    if rank == OPAQUE or (rank == MODEL_VALUE and content not in model_values):
        return {"#unserializable": content}
    if rank < SET:
        return content  # type: ignore[no-any-return]
    if depth > DEEPEST:
        return {"#unserializable": format_form(form)}
    if rank == SET and content and form[2][-1] is CONSECUTIVE:
        low = form[2][0][1]
        if content > EXPANDED:
            return {"#unserializable": f"{low}..{low + content - 1}"}
        return {"#set": [{"#bigint": str(item)} for item in range(low, low + content)]}
    parts = [form_to_itf(part, model_values, depth + 1) for part in form[-1]]
    if rank == SEQUENCE:
        return parts
    if rank == SET:
        return {"#set": parts}
    if rank == RECORD:
        return dict(zip(form[2], parts, strict=True))
    keys = (form_to_itf(key, model_values, depth + 1) for key in form[2])
    return {"#map": [[key, part] for key, part in zip(keys, parts, strict=True)]}


def from_itf(
    json: Json,
    model_values: Collection[str] = frozenset(),
    *,
    names: Collection[str] = frozenset(),
    depth: int = 0,
) -> Value:
    """The value of an ITF expression; strings in ``model_values`` are read as model values.

    ``names`` are read as model values in TLA+ text, even where they could mean something else (``Nat``).
    ``{"#tup": ...}`` is a sequence, and Apalache's variants are records. ``depth`` counts the expressions around it.
    Raises ``InputError`` (``itf-syntax``) for anything that is not ITF or nested more than ``DEEPEST`` deep,
    ``ValueTextError`` for an ``#unserializable`` that is not TLA+.
    """
    if isinstance(json, str):
        return ModelValue(json) if json in model_values else json
    if isinstance(json, (bool, int)):
        return json
    tag, content = next(iter(json.items()), ("", None)) if isinstance(json, dict) else ("#tup", json)
    if isinstance(json, dict) and tag.startswith("#") and len(json) > 1:
        raise _bad(json)
    if tag == "#bigint" and isinstance(content, (str, int)):
        try:
            return int(content)
        except ValueError:
            raise _bad(json) from None
    if tag == "#unserializable" and isinstance(content, str):
        if depth >= DEEPEST and content.startswith(("<<", "{", "[", "(")):
            return Opaque(content)
        return parse_value(content, model_values=(*model_values, *names))
    if depth > DEEPEST:
        raise InputError("itf-syntax", f"a value is nested more than {DEEPEST} deep", hint=ITF_PAGE)

    def inner(part: Json) -> Value:
        return from_itf(part, model_values, names=names, depth=depth + 1)

    if isinstance(json, dict) and not tag.startswith("#"):
        return Record((name, inner(part)) for name, part in json.items())
    if isinstance(content, list) and tag in ("#tup", "#set"):
        return tuple(map(inner, content)) if tag == "#tup" else frozenset(map(inner, content))
    if isinstance(content, list) and tag == "#map":
        pairs = [pair for pair in content if isinstance(pair, list) and len(pair) == 2]
        if len(pairs) == len(content):
            return Function((inner(key), inner(part)) for key, part in pairs)
    raise _bad(json)


ITF_PAGE = "the format: https://apalache-mc.org/docs/adr/015adr-trace.html"


def _bad(json: Json) -> InputError:
    return InputError("itf-syntax", f"not an ITF expression: {cut(repr(json), 63)}", hint=ITF_PAGE)


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


class TraceStateReader:
    """Reads states written by ``state_to_itf``; a value written as in the state before is the same object.

    A step changes few variables of a state, and whoever compares two states looks at objects first.
    """

    def __init__(self) -> None:
        self._texts: dict[str, bytes] = {}
        self._values: dict[str, Value] = {}

    def read(self, text: str) -> dict[str, Value]:
        """The variables of a state and their values; raises the errors of ``from_itf``, and ValueError."""
        texts = {name: bytes(raw) for name, raw in _RAW_STATE.decode(text).items()}
        # The same text may stand for another value if other strings are model values.
        known = self._texts if texts.get("#meta") == self._texts.get("#meta") else {}
        new = {n: json.loads(each) for n, each in texts.items() if n == "#meta" or known.get(n) != each}
        values = state_from_itf(new)
        self._values = {
            n: values[n] if n in values else self._values[n] for n in texts if not n.startswith("#")
        }
        self._texts = texts
        return self._values


_RAW_STATE = msgspec.json.Decoder(dict[str, msgspec.Raw])


def _names(meta: Json, key: str) -> frozenset[str]:
    listed = meta.get(key) if isinstance(meta, dict) else None
    return frozenset(name for name in (listed if isinstance(listed, list) else []) if isinstance(name, str))


# What decides how a variable combines with others: its name, and the model values and strings in its value.
_Kind: TypeAlias = tuple[str, frozenset[str], frozenset[str]]


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
    return VariableText(json_text({name: form_to_itf(form, named)})[1:-1], (name, named, strings))


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
    variables, named, texts = zip(*kinds, strict=True)
    names, strings = (frozenset[str]().union(*each) for each in (named, texts))
    if len({*variables}) < len(kinds) or names & strings:
        return None
    return f',"#meta":{json_text({"modelValues": sorted(names)})}}}' if names else "}"


def state_text(values: Mapping[str, Value]) -> str:
    """The JSON text of a state in ITF."""
    return json_text(state_to_itf(values))


def json_text(value: object) -> str:
    """The JSON text of a value, as the tables have it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
