"""The page of the Python interface, generated from signatures and docstrings."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import tla2py

_HEAD = """\
# Python

Generated from the code. `import tla2py` imports neither pandas nor Spark; a call imports what it needs.
[Exploring counterexamples](../explorer.md) shows these in use. The value classes can be imported from `tla2py` itself.
"""

# The classes that the functions of the package return, use and raise.
_SECTIONS = (
    ("A sweep", "tla2py.sweep.sweep", ("Sweep",)),
    ("A check", "tla2py.execution.check", ("Checked",)),
    ("Outcomes and verdicts", "tla2py.model.outcome", ("Outcome", "Verdict")),
    ("A store", "tla2py.analysis.view", ("StoreView",)),
    ("A trace", "tla2py.model.trace", ("Trace", "State", "StateDiff", "Location")),
    ("Comparisons of traces", "tla2py.model.trace", ("Comparison",)),
    ("Pictures of a trace", "tla2py.view.lanes", ("Lanes",)),
    ("Values of two or more parameters", "tla2py.analysis.charts", ("Heatmap",)),
    ("Growth", "tla2py.analysis.charts", ("Growth", "Series", "Prediction")),
    (
        "A violating point and those that hold",
        "tla2py.analysis.contrast",
        ("Contrasts", "Contrast", "Neighbour"),
    ),
    ("Laws", "tla2py.analysis.explanation", ("Explanation", "PropertyLaw")),
    ("Kinds of counterexamples", "tla2py.analysis.kinds", ("Kinds", "Kind")),
    ("A counterexample without its states", "tla2py.analysis.kinds", ("StoredTrace",)),
    ("Causes", "tla2py.model.cause", ("ViolationCauses", "Cause")),
    ("Conjuncts", "tla2py.replay.conjuncts", ("Conjuncts", "ConjunctRow")),
    ("A part of an invariant", "tla2py.replay.query", ("Conjunct",)),
    ("Conjuncts by kind of counterexample", "tla2py.analysis.questions", ("Turning", "TurningKind", "Turn")),
    ("How far an action gets", "tla2py.replay.successors", ("Enabledness", "PrefixRow")),
    ("Essential steps", "tla2py.replay.conjuncts", ("Essential",)),
    ("Two stores", "tla2py.analysis.contrast", ("StoreComparison", "PointPair")),
    ("Values", "tla2py.tla.value", ("ModelValue", "Record", "Function", "Interval", "Opaque")),
    ("Values as text", "tla2py.tla.value", ("format_value",)),
    ("Values from text", "tla2py.tla.value_text", ("parse_value",)),
    ("What differs between two values", "tla2py.tla.value_changes", ("changes", "Change")),
    ("Values in ITF", "tla2py.tla.itf", ("from_itf", "to_itf")),
    ("Equal values", "tla2py.tla.value", ("same_value",)),
    ("Errors", "tla2py.errors", ("Tla2pyError", "InputError", "ToolchainError", "StoreError")),
)


def api_page() -> str:
    """The page, in Markdown."""
    parts = [_HEAD, "## The package\n"]
    own = [name for name in tla2py.__all__ if inspect.isfunction(getattr(tla2py, name))]
    parts += ["\n".join(_entry("tla2py", name)) for name in own]
    for title, module, names in _SECTIONS:
        parts.append(f"## {title}\n")
        parts += ["\n".join(_entry(module, name)) for name in names]
    return "\n".join(parts)


def _entry(module: str, name: str) -> Iterator[str]:
    thing = getattr(importlib.import_module(module), name)
    yield f"### `{module}.{name}`"
    yield ""
    if inspect.isclass(thing):
        yield _words(thing)
        yield ""
        members = list(_members(thing))
        if members:
            yield "| | |"
            yield "|---|---|"
            yield from members
            yield ""
    else:
        yield f"    {name}{_signature(thing)}"
        yield ""
        yield _words(thing)
        yield ""


def _members(thing: type) -> Iterator[str]:
    """A row for each public field, property and method that the class or a base of ours defines, if that has no section."""
    fields = dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ()
    for field in fields:
        if not field.name.startswith("_"):
            yield f"| `{field.name}: {_cell(field.type)}` | |"
    described = {name for _, _, names in _SECTIONS for name in names} - {thing.__name__}
    ours = [
        each
        for each in reversed(thing.__mro__)
        if each.__module__.startswith("tla2py.") and each.__name__ not in described
    ]
    for name, member in (pair for each in ours for pair in vars(each).items()):
        if name.startswith("_") or not getattr(member, "__doc__", None):
            continue
        if isinstance(member, (property, cached_property)):
            made = member.fget if isinstance(member, property) else member.func
            kind = inspect.signature(made).return_annotation if made else ""
            yield f"| `{name}: {_cell(kind)}` | {_cell(_words(member))} |"
        elif inspect.isfunction(member):
            yield f"| `{name}{_cell(_signature(member, bound=True))}` | {_cell(_words(member))} |"


def _signature(function: Any, *, bound: bool = False) -> str:
    """The signature with its annotations as written; that of a ``bound`` method without its object."""
    made = inspect.signature(function)
    parts = []
    keyword = False
    for name, each in list(made.parameters.items())[bound:]:
        if each.kind is each.KEYWORD_ONLY and not keyword:
            keyword = True
            parts.append("*")
        default = "" if each.default is each.empty else f" = {each.default!r}"
        parts.append(f"{name}: {each.annotation}{default}")
    return f"({', '.join(parts)}) -> {made.return_annotation}"


def _words(thing: object) -> str:
    """The docstring in Markdown, a line for each paragraph and list item."""
    text = (inspect.getdoc(thing) or "").replace("``", "`")
    parts = [part for paragraph in text.split("\n\n") for part in re.split(r"\n(?=\* )", paragraph)]
    lines = [" ".join(part.split()) for part in parts]
    return "\n\n".join(lines)


def _cell(text: object) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")
