"""The sections of a sweep file as types, which are also what its JSON Schema is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Union

import msgspec

from tla2py.model.outcome import Outcome

# A value as written: TLA+ text in a string, TOML integers and booleans as they are.
Scalar = Union[str, int, bool]  # noqa: UP007 - msgspec reads the annotation on Python 3.10 too


class _Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of all sections; unknown keys were already reported with their line."""


class ModelSection(_Section, frozen=True):
    """``[model]``: what TLC is to check, named as in TLC's own grammar; None where the file does not say."""

    specification: str | None = None
    init: str | None = None
    next: str | None = None
    invariants: list[str] | None = None
    properties: list[str] | None = None
    constraints: list[str] | None = None
    action_constraints: list[str] | None = None
    postconditions: list[str] | None = None
    check_deadlock: bool | None = None
    symmetry: str | list[str] | None = None
    view: str | None = None
    alias: str | None = None


class ValuesTable(_Section, frozen=True, rename={"first": "from", "last": "to"}):
    """The values of a parameter by rule: numbers from one to another, or sets of model values by size."""

    first: int | None = None
    last: int | None = None
    step: int = 1
    model_values: str | None = None
    sizes: list[int] | None = None


# The values of a parameter: one by one, or by rule.
Values = Union[list[Scalar], ValuesTable]  # noqa: UP007 - as above


class GridSection(_Section, frozen=True):
    """``[grid]``: which parameters go together, what is left out of their product and what is added to it."""

    zip: list[list[str]] = []
    where: str | list[str] = []
    exclude: list[dict[str, Scalar]] = []
    include: list[dict[str, Scalar]] = []
    repeat: int = 1


class TlcSection(_Section, frozen=True):
    """``[tlc]``: how TLC searches and what one run may take."""

    mode: Literal["check", "simulate", "generate"] = "check"
    find: Literal["first", "each"] = "first"
    workers: int = 1
    timeout: str | int = "10m"
    memory: str | int = "1GiB"
    disk: str | int | None = None
    num: int | None = None
    depth: int | None = None
    seed: int = 0
    coverage: bool = False
    graph: bool = False
    behaviours: bool = False
    translate: bool = True
    overrides: list[str] = []
    options: list[str] = []
    java_options: list[str] = []
    warm: bool = True
    trust: bool = False


Expected = Literal["holds", "violated", "inconclusive", "broken", "excluded"]


class _Expectation(_Section, frozen=True, kw_only=True):
    """What may be expected of a point; ``outcome`` is finer than ``verdict``."""

    verdict: Expected | None = None
    outcome: Outcome | None = None
    violates: list[str] | None = None
    trace_length: int | None = None
    distinct: int | None = None
    min_distinct: int | None = None
    generated: int | None = None
    fires: list[str] | None = None


class ExpectPoint(_Expectation, frozen=True, kw_only=True):
    """``[[expect.point]]``: what is expected of the points that agree with ``match``."""

    match: dict[str, Scalar]


class ToldPoint(ExpectPoint, frozen=True, kw_only=True):
    """The same where a config or a manifest says it, and not the sweep file; ``where`` is the place."""

    where: str


class ExpectSection(_Expectation, frozen=True, kw_only=True):
    """``[expect]``: what holds wherever no row matches, and the rows."""

    point: list[ExpectPoint] = []


class SweepFile(_Section, frozen=True):
    """A whole sweep file as written."""

    module: str | list[str]
    config: str | list[str] | None = None
    name: str | None = None
    libraries: list[str] = []
    template: str | None = None
    model: ModelSection = ModelSection()
    constants: dict[str, Scalar] = {}
    substitutions: dict[str, str] = {}
    parameters: dict[str, Values] = {}
    grid: GridSection = GridSection()
    tlc: TlcSection = TlcSection()
    expect: ExpectSection | None = None


# By their names; "" is the top level.
SECTIONS: dict[str, type[msgspec.Struct]] = {
    "": SweepFile,
    "model": ModelSection,
    "grid": GridSection,
    "tlc": TlcSection,
    "expect": ExpectSection,
    "expect.point": ExpectPoint,
}


# What every key means, in a sentence: what editors show, and the page of the reference.
# By section, as in ``[section]``; "" is the top level and "parameters.NAME" a rule that makes values.
KEYS: Mapping[str, Mapping[str, str]] = {
    "": {
        "module": "The root module, relative to this file; a list makes it a parameter named module.",
        "config": (
            "A .cfg to start from, relative to this file; a list, or a pattern such as models/*.cfg, makes it a "
            "parameter named config."
        ),
        "name": "Names the sweep and its default store runs/NAME; without it, the file's name.",
        "libraries": "Further module folders, relative to this file; the module's own is always searched first.",
        "template": "A Jinja2 template of configs, relative to this file, in place of default.cfg.j2.",
        "model": "What TLC is to check, named as in a config.",
        "constants": "Values of constants: TLA+ text in a string, or TOML integers and booleans.",
        "substitutions": "Constants and definitions that are replaced, by a definition's name or an expression.",
        "parameters": "The grid: each key has the values that it takes, one after the other.",
        "grid": "Which parameters go together, and which points are left out or added.",
        "tlc": "How TLC searches, and what one execution may take.",
        "expect": "What you expect of the points; without it, that each of them holds.",
    },
    "model": {
        "specification": "The definition of the behaviours, Init /\\ [][Next]_vars; without it Spec, if there is one.",
        "init": "The definition of the initial states; with next, in place of specification.",
        "next": "The definition of the next-state relation; with init, in place of specification.",
        "invariants": "Definitions that every reachable state is to satisfy.",
        "properties": "Temporal properties that every behaviour is to satisfy.",
        "constraints": "Definitions that bound the search: beyond a state that does not satisfy them TLC does not go.",
        "action_constraints": "Definitions that bound the search by step: TLC does not take one that does not satisfy them.",
        "postconditions": "Definitions that TLC evaluates at the end; TLC 2.20 and newer.",
        "check_deadlock": "Whether a state without a next one is a violation.",
        "symmetry": "A definition that is a set of permutations, or a list of constants to permute.",
        "view": "The definition by which TLC tells states apart.",
        "alias": "The definition of what TLC prints in place of the variables; TLC 2.20 and newer.",
    },
    "parameters.NAME": {
        "from": "The first of the numbers.",
        "to": "The last of the numbers, at most.",
        "step": "From one number to the next; negative to go down.",
        "model_values": "How the names of the model values begin: with b they are b1, b2 and so on.",
        "sizes": "A set of model values of each of these sizes.",
    },
    "grid": {
        "zip": "Lists of parameters that go together: the first value of one with the first of the others.",
        "where": "Predicates in TLA+ over the parameters; a point is left out where one of them is not true.",
        "exclude": "Partial points; every point that agrees with one of them is left out.",
        "include": "Whole points that are added after the grid.",
        "repeat": "With simulation: so many seeds for each point.",
    },
    "tlc": {
        "mode": "Check all reachable states, or simulate or generate random behaviours.",
        "find": (
            "Stop at the first violation, or run again until each violated invariant and property has a trace of its own."
        ),
        "workers": "TLC worker threads of one execution.",
        "timeout": "The time limit of one execution of TLC, as in 90s, 5m or 1h30m; a number is seconds.",
        "memory": "The memory limit of one execution, everything included, as in 2GiB; a number is bytes.",
        "disk": "What one execution may write, as in 10GiB; without it, an equal share of what is free.",
        "num": "With simulation: how many behaviours.",
        "depth": "With simulation: states of a behaviour at most.",
        "seed": "With simulation: the seed of what is random.",
        "coverage": "Ask TLC for coverage, for the table coverage.",
        "graph": "Keep the state graph, in the tables graph_states and graph_edges; for small models.",
        "behaviours": "With simulation: keep the behaviours, in the tables traces, states and changes.",
        "translate": "Translate PlusCal, on a copy, where its translation is missing or old.",
        "overrides": "Jars or folders of Java classes that override definitions, relative to this file.",
        "options": "Further options of TLC, handed over as they are.",
        "java_options": "Further options of Java, handed over as they are.",
        "warm": "Let short runs share a JVM where there are many of them.",
        "trust": "Let TLC see the environment, the files and the network that you have.",
    },
    "expect": {
        "verdict": "The coarse reading of what TLC said.",
        "outcome": "What TLC said, by TLC's own name for its exit status; finer than verdict.",
        "violates": "The names of what is violated, these and no others; deadlock for a deadlock.",
        "trace_length": "States of the shortest counterexample found.",
        "distinct": "Distinct states, exactly.",
        "min_distinct": "Distinct states, at the least.",
        "generated": "States generated, exactly.",
        "fires": "Actions that must fire; TLC is then asked for coverage.",
        "point": "Rows for the points that agree with their match; the first one that agrees counts.",
        "match": "The parameters of the points that the row is for.",
    },
}
