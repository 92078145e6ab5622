"""Test suites from cases, by Jinja templates in a sandbox: every text and value is escaped for the suite's language."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from jinja2.sandbox import SandboxedEnvironment

from tla2py.cases.cases import Cases
from tla2py.errors import InputError, reason_of
from tla2py.tla.itf import Json, json_text
from tla2py.tlc.config.render import template_line

_FOLDER = Path(__file__).with_name("templates")


class _Language(NamedTuple):
    """How values are written; ``{}`` stands for the parts, of a map for its pairs, each a ``pair``."""

    text: str
    number: str
    bits: int
    truth: tuple[str, str]
    sequence: str
    set: str
    map: str
    pair: str


_LANGUAGES = {
    "python": _Language(
        "{}", "{}", 0, ("False", "True"), "seq([{}])", "frozenset([{}])", "record([{}])", "({}, {})"
    ),
    "go": _Language(
        "{}", "int64({})", 64, ("false", "true"), "Seq{{{}}}", "Set{{{}}}", "Map{{{}}}", "{{{}, {}}}"
    ),
}
TEMPLATES = {"pytest": "python", "go": "go"}
# Templates before the first release.
_REMOVED = ("rust", "java")


def render_suite(cases: Cases, template: str, adapter: str = "adapter") -> str:
    """The test suite by a template of ``TEMPLATES`` or by a file, for an adapter in the module of this name.

    Raises InputError: ``template-unreadable``, and ``template-fails`` with the line.
    """
    file = _FOLDER / f"{template}.j2" if template in TEMPLATES else Path(template)
    try:
        source = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        if template in _REMOVED:
            raise InputError(
                "template-unreadable",
                f"there is no template {template} any more",
                hint="write one for Jinja and name it: --template FILE; or read the cases as JSON lines",
            ) from error
        raise InputError(
            "template-unreadable",
            f"cannot read the template {template}: {reason_of(error)}",
            hint=f"--template takes {', '.join(TEMPLATES)}, or a file for Jinja",
        ) from error
    graph = cases.graph
    listed: list[dict[str, Any]] = []
    states: dict[str, Json] = {}
    places: dict[str, int] = {}
    for case in cases:
        whole: dict[str, Any] = cases.to_json(case)
        allowed = [each if cases.inputs else [each] for each in whole["states"]]
        texts = [[json_text(state) for state in each] for each in allowed]
        for text, state in zip(chain(*texts), chain(*allowed), strict=True):
            states.setdefault(text, state)
            places.setdefault(text, len(places))
        listed.append(whole | {"allowed": [[places[text] for text in each] for each in texts]})
    return _rendered(
        source,
        template,
        point=graph.point,
        partial=graph.incomplete,
        adapter=adapter,
        actions=graph.actions,
        methods=_methods(graph.actions),
        variables=list(graph.state(0)),
        states=list(states.values()),
        cases=listed,
    )


def render_adapter(cases: Cases) -> str:
    """The Python module with the adapter that the pytest suite runs against, to be filled in."""
    text = (_FOLDER / "adapter.j2").read_text(encoding="utf-8")
    parameters = {name: set[str]() for name in cases.graph.actions}
    for label in cases.graph.labels:
        parameters[label.action].update(label.args)
    return _rendered(
        text,
        "adapter",
        variables=list(cases.graph.state(0)),
        methods=_methods(cases.graph.actions),
        parameters={name: sorted(names) for name, names in parameters.items()},
    )


def _rendered(text: str, name: str, **context: Any) -> str:
    environment = SandboxedEnvironment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    filters: dict[str, Callable[..., str]] = {"comment": _comment}
    for language in _LANGUAGES:
        filters[f"{language}_text"] = partial(quoted, language)
        filters[f"{language}_value"] = partial(literal, language)
    environment.filters.update(filters)
    try:
        return environment.from_string(text).render(**context)
    # A template can fail in any way.
    except Exception as error:
        line = getattr(error, "lineno", None) or template_line(error)
        raise InputError(
            "template-fails",
            f"{type(error).__name__}: {error}",
            where=f"{name}:{line}" if line else name,
            hint="a template has cases, states, actions, methods, variables, point, partial and adapter, and no files",
        ) from error


def _methods(actions: tuple[str, ...]) -> dict[str, str]:
    """A name of a Python method for each action, all different."""
    found: dict[str, str] = {}
    taken = {"reset", "observe", "close"}
    for action in actions:
        name = re.sub(r"[^A-Za-z0-9_]", "_", action)
        while not name.isidentifier() or keyword.iskeyword(name) or name in taken or name.startswith("__"):
            name = f"do_{name}"
        taken.add(name)
        found[action] = name
    return found


def quoted(language: str, text: str) -> str:
    """A text as a string literal in ASCII."""
    return '"' + "".join(_escaped(language, char) for char in str(text)) + '"'


def _escaped(language: str, char: str) -> str:
    code = ord(char)
    if char in '"\\':
        return f"\\{char}"
    if " " <= char <= "~":
        return char
    if 0xD800 <= code < 0xE000:
        # Half a pair is no character.
        return _escaped(language, "\ufffd")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def literal(language: str, value: Any) -> str:
    """A value in ITF as an expression of a language; a number that its type cannot hold as text."""
    rules = _LANGUAGES[language]
    write = partial(literal, language)
    match value:
        case bool():
            return rules.truth[value]
        case {"#bigint": number}:
            fits = not rules.bits or abs(int(number)) < 1 << (rules.bits - 1)
            return rules.number.format(number) if fits else rules.text.format(quoted(language, str(number)))
        case int():
            return write({"#bigint": str(value)})
        case {"#unserializable": text} | str(text):
            return rules.text.format(quoted(language, text))
        case {"#tup": list(parts)} | list(parts):
            return rules.sequence.format(", ".join(map(write, parts)))
        case {"#set": list(parts)}:
            return rules.set.format(", ".join(map(write, parts)))
        case {"#map": list(pairs)}:
            return rules.map.format(", ".join(rules.pair.format(*map(write, pair)) for pair in pairs))
        case dict():
            fields = (
                (rules.text.format(quoted(language, name)), write(each)) for name, each in value.items()
            )
            return rules.map.format(", ".join(rules.pair.format(*field) for field in fields))
    return quoted(language, str(value))


def _comment(text: object) -> str:
    """A text on one line that ends no comment and no documentation."""
    return re.sub(r"[^ -~]", "?", str(text)).replace("*/", "* /").replace("\\", "/").replace('"', "'")
