"""The JSON Schema of sweep files, generated from their sections, with which editors complete and check.

It is draft 4, the newest that Taplo reads. It contains no references, since draft 4 ignores a description beside one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from tla2py.model.config import LIST_FIELDS
from tla2py.sweep.grid import MODEL_KEYS
from tla2py.sweep.sections import KEYS, VARIABLES, SweepFile

Schema = dict[str, Any]

# Constraints beyond a key's type; reading a sweep file enforces them too.
_BOUNDS: Mapping[str, tuple[str, Schema]] = {
    "module": ("array", {"minItems": 1}),
    "config": ("array", {"minItems": 1}),
    "workers": ("integer", {"minimum": 1}),
    "step": ("integer", {"not": {"enum": [0]}}),
    "timeout": ("string", {"pattern": r"^\s*(\d+(\.\d+)?\s*(ms|s|m|h|d)\s*)+$|^\s*\d+(\.\d+)?\s*$"}),
    "memory": ("string", {"pattern": r"^\s*\d+(\.\d+)?\s*([kKmMgGtT][iI]?[bB]?|[bB])?\s*$"}),
    "disk": ("string", {"pattern": r"^\s*\d+(\.\d+)?\s*([kKmMgGtT][iI]?[bB]?|[bB])?\s*$"}),
}
# The name of a constant or definition, or an operator such as \prec or +.
_NAME = r"^\S+$"
# Also within a module or through an instance: [Mod]Name, I!Name.
_REPLACED = r"^(\[\w+\]\s*)?\S+$"


def sweep_schema() -> Schema:
    """The schema as a JSON object."""
    made = msgspec.json.schema(SweepFile)
    plain = _spelled(made["$defs"]["SweepFile"], made["$defs"])
    sections = plain["properties"]
    _describe(plain, "")
    for name in ("model", "grid", "tlc", "inputs", "outputs", "logs", "lint", "mutation", "expect"):
        _describe(sections[name], name)
    _describe(sections["expect"]["properties"]["point"]["items"], "expect")
    logs = sections["logs"]["properties"]
    _describe(logs["map"], "logs.map")
    _describe(next(each for each in logs["unobserved"]["anyOf"] if "properties" in each), "logs.unobserved")
    _named(sections["constants"], _NAME)
    _named(sections["substitutions"], _REPLACED)
    for name in VARIABLES:
        # A name with dots is a table in TOML.
        values = sections[name].pop("additionalProperties")
        sections[name]["additionalProperties"] = {"anyOf": [*values["anyOf"], {"type": "object"}]}
    _parameters(sections["parameters"])
    head = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "title": "A sweep file of tla2py",
        "description": "A sweep of TLC over a grid of parameters.",
    }
    return head | {key: value for key, value in plain.items() if key not in head}


def _spelled(schema: Any, known: Mapping[str, Schema]) -> Any:
    """A schema without references, without null, which TOML lacks, and without table defaults."""
    if isinstance(schema, list):
        return [_spelled(part, known) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _spelled(known[schema["$ref"].rpartition("/")[2]], known)
    made = {key: _spelled(value, known) for key, value in schema.items() if not _is_noise(key, value)}
    if "anyOf" in made:
        some = [part for part in made.pop("anyOf") if part.get("type") != "null"]
        made |= some[0] if len(some) == 1 else {"anyOf": some}
    if isinstance(made.get("enum"), list):
        made["enum"] = [each for each in made["enum"] if each is not None]
    return made


def _is_noise(key: str, value: object) -> bool:
    if key == "required":
        return value == []  # not allowed in draft 4
    return (key == "default" and (value is None or isinstance(value, dict))) or key == "title"


def _describe(schema: Schema, section: str) -> None:
    """Add the descriptions and bounds of a section's keys."""
    schema.pop("description", None)
    if section:
        table, _, name = section.rpartition(".")
        schema["description"] = KEYS.get(table, {}).get(name, "")
    for key, part in schema["properties"].items():
        part["description"] = KEYS[section][key]
        _bound(part, key)


def _bound(part: Schema, key: str) -> None:
    kind, bounds = _BOUNDS.get(key, ("", {}))
    for each in part.get("anyOf", [part]):
        if each.get("type") == kind:
            each.update(bounds)


def _named(schema: Schema, pattern: str) -> None:
    """Allow the user's names as the keys of a table."""
    schema["patternProperties"] = {pattern: schema.pop("additionalProperties")}
    schema["additionalProperties"] = False


def _parameters(schema: Schema) -> None:
    listed, rule = schema["additionalProperties"]["anyOf"]
    listed["minItems"] = 1
    _describe(rule, "parameters.NAME")
    rule["description"] = "Values by rule: from, to and step, or model_values and sizes."
    rule["oneOf"] = [{"required": ["from", "to"]}, {"required": ["model_values", "sizes"]}]
    rule["dependencies"] = {"from": ["to"], "to": ["from"]}
    _named(schema, _REPLACED)
    # Keys of [model] may be parameters too, so editors offer them.
    own = {}
    for key in MODEL_KEYS:
        note = " Here: for each point, a list of comma-separated names." * (key in LIST_FIELDS)
        own[key] = {**listed, "description": KEYS["model"][key] + note}
    for name in VARIABLES:
        own[name] = {"type": "object", "description": f"Values by name, for each point: {name}.NAME = [...]."}
    schema["properties"] = own
