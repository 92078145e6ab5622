"""The mutants of a model and those that a file proposes, a choice of them, and the limit on what they may cost."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import msgspec

from tla2py.errors import InputError
from tla2py.model.model import Config
from tla2py.model.mutant import one_line
from tla2py.model.run import Run
from tla2py.mutation.operators import OPERATORS, Text
from tla2py.mutation.walk import Mutant, Walk, mutant_of
from tla2py.text import did_you_mean
from tla2py.tla.graph import ModuleGraph, closure
from tla2py.tla.module import Module
from tla2py.tlc.config.render import render_config

_NAME = "tla2pyBudget"
# The module itself may extend neither.
_FORMULA = 'LET Tla2pyTLC == INSTANCE TLC Tla2pyN == INSTANCE Naturals IN Tla2pyN!<(Tla2pyTLC!TLCGet("distinct"), {})'
_END = re.compile(r"={4,}\s*$")
_BEGIN = re.compile(r"\s*-{4,}\s*MODULE\b")


def with_budget(text: str, states: int) -> str:
    """The text of a module with the constraint in the line that ends it, so that all lines stay."""
    lines = text.split("\n")
    depth = 0
    for place, line in enumerate(lines):
        depth += bool(_BEGIN.match(line))
        if depth and _END.match(line.lstrip()):
            depth -= 1
            if not depth:
                lines[place] = f"{_NAME} == {_FORMULA.format(states)} {line.lstrip()}"
                break
    return "\n".join(lines)


def budgeted(run: Run) -> Run:
    """The run with the constraint in its config."""
    config = replace(run.config, constraints=(*run.config.constraints, _NAME))
    return replace(run, config=config, config_text=render_config(config, run.template))


def model_mutants(spec: ModuleGraph, config: Config, replaced: Mapping[str, str]) -> list[Mutant]:
    """The mutants of a model, in the order of their places; ``replaced`` are the values of replaced names."""
    named = {name: frozenset(re.findall(r"[\w!]+", value)) for name, value in replaced.items()}
    walk = Walk(spec, closure(named))
    found = walk.behaviour(config.specification, config.init, config.next)
    weakened: dict[str, tuple[Mutant, list[str]]] = {}
    for name in config.invariants:
        for each in walk.checks(name):
            weakened.setdefault(each.mutant, (each, []))[1].append(name)
    return in_order([*found, *(replace(each, checks=tuple(names)) for each, names in weakened.values())])


def in_order(mutants: Iterable[Mutant]) -> list[Mutant]:
    """The mutants by module and place, each once."""
    once = {each.mutant: each for each in mutants}
    return sorted(once.values(), key=lambda m: (m.file, m.edit.span.begin_line, m.edit.span.begin_column))


def chosen_mutants(
    mutants: Sequence[Mutant],
    *,
    operators: Collection[str] = (),
    actions: Collection[str] = (),
    sample: int | None = None,
    seed: int = 0,
) -> list[Mutant]:
    """Some of the mutants: those of some operators and definitions, and of these a random sample.

    Raises InputError: ``unknown-operator``, ``unknown-definition``, ``no-mutants``.
    """
    for name in operators:
        if name not in OPERATORS:
            raise InputError(
                "unknown-operator",
                f"no mutation operator {name}",
                hint=did_you_mean(name, list(OPERATORS), f"operators: {', '.join(OPERATORS)}"),
            )
    definitions = list(dict.fromkeys(each.definition for each in mutants))
    for name in actions:
        if name not in definitions:
            hint = did_you_mean(name, definitions, f"definitions with mutants: {', '.join(definitions)}")
            raise InputError("unknown-definition", f"no mutant changes a definition {name}", hint=hint)
    left = [
        each
        for each in mutants
        if (not operators or each.operator in operators) and (not actions or each.definition in actions)
    ]
    if not left:
        raise InputError(
            "no-mutants",
            "there is nothing to mutate",
            hint="the model's specification reaches no definition that these operators can change",
        )
    if sample is None or sample >= len(left):
        return left
    places = sorted(random.Random(seed).sample(range(len(left)), sample))  # noqa: S311 - a reproducible choice
    return [left[place] for place in places]


def given_mutants(specs: Iterable[ModuleGraph], lines: Iterable[str], source: str) -> list[Mutant]:
    """The mutants that a file proposes, a JSON object on each line: ``module``, ``line``, ``column``, ``before``, ``after``.

    Raises InputError (``bad-mutant``).
    """
    modules = {module.name: module for spec in specs for module in spec.modules if module.path is not None}
    return in_order(
        _given(text, f"{source}:{number}", modules) for number, text in enumerate(lines, 1) if text.strip()
    )


_EXAMPLE = '{"module": "Lease", "line": 7, "column": 16, "before": "wait = 0", "after": "TRUE"}'


class _Given(msgspec.Struct):
    module: str
    line: int
    column: int
    before: str
    after: str


def _given(text: str, where: str, modules: Mapping[str, Module]) -> Mutant:
    def wrong(message: str, hint: str = f"example: {_EXAMPLE}") -> InputError:
        return InputError("bad-mutant", message, where=where, hint=hint)

    try:
        data = msgspec.json.decode(text, type=_Given)
    except msgspec.MsgspecError as error:
        raise wrong(f"not a mutant: {error}") from error
    module = modules.get(data.module.removesuffix(".tla"))
    if module is None:
        raise wrong(f"no module {data.module}", f"modules: {', '.join(modules)}")
    line, column, before, after = data.line, data.column, data.before, data.after
    lines = module.text.split("\n")
    source = Text(module.text)
    begin = (
        source.offset(line, column) if 0 < line <= len(lines) and 0 < column <= len(lines[line - 1]) else -1
    )
    if not before or begin < 0 or not module.text.startswith(before, begin):
        there = lines[line - 1][column - 1 :] if begin >= 0 else ""
        raise wrong(
            f"line {line}, column {column} of {module.name} is not {one_line(before)!r}",
            f"there is {there!r}" if there else "lines and columns count from 1",
        )
    span = source.span(begin, begin + len(before))
    owner = next(
        (each for each in module.definitions if each.span.begin_line <= line <= each.span.end_line), None
    )
    return mutant_of(source.rewrite("given", span, after), owner, module)
