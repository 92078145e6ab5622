"""The sections of a sweep file as types; its JSON Schema is generated from them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

import msgspec

from tla2py.logs.sections import LOG_KEYS, LOG_SECTIONS, LogsSection
from tla2py.model.finding import Acceptance
from tla2py.model.logs import MUTATION_KEYS, MutationSection
from tla2py.model.model import ParameterKind, is_expression
from tla2py.model.outcome import Outcome
from tla2py.toml import value_text

# A value as written: TLA+ text in a string, or a TOML integer or boolean.
Scalar = str | int | bool
# More values are a typo, such as to = 1000000000.
MOST_VALUES = 100_000


class _Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of all sections."""


class ModelSection(_Section, frozen=True):
    """``[model]``: what TLC checks, named as in TLC's grammar; None for keys that the file does not set."""

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
    possible: list[str] | None = None


class ValuesTable(_Section, frozen=True, rename={"first": "from", "last": "to"}):
    """A rule for a parameter's values: a range of numbers, or sets of model values by size."""

    first: int | None = None
    last: int | None = None
    step: int = 1
    model_values: str | None = None
    sizes: list[Annotated[int, msgspec.Meta(ge=0, le=MOST_VALUES)]] | None = None


# The values of a parameter: a list, of lists for a list in [model], or a rule.
Values = list[Scalar | list[Scalar]] | ValuesTable


class GridSection(_Section, frozen=True):
    """``[grid]``: zipped parameters, and the points left out of or added to their product."""

    zip: list[list[str]] = []
    where: str | list[str] = []
    exclude: list[dict[str, Scalar]] = []
    include: list[dict[str, Scalar]] = []
    repeat: int = 1
    search: Literal["law"] | None = None
    within: str | int | float = "5%"


class TlcSection(_Section, frozen=True):
    """``[tlc]``: how TLC searches, and the limits of one execution."""

    mode: Literal["check", "simulate", "generate"] = "check"
    find: Literal["first", "each"] = "first"
    workers: Annotated[int, msgspec.Meta(ge=1)] = 1
    timeout: str | int = "10m"
    memory: str | int = "1GiB"
    disk: str | int | None = None
    num: int | None = None
    depth: int | None = None
    budget: str | int | None = None
    seed: int = 0
    coverage: bool = False
    vacuity: bool = False
    graph: bool = False
    behaviours: bool = False
    translate: bool = True
    overrides: list[str] = []
    options: list[str] = []
    java_options: list[str] = []
    warm: bool = True
    trust: bool = False
    executor: Literal["spark", "local"] | None = None


class FilesSection(_Section, frozen=True):
    """``[inputs]``, the files that runs may read, and ``[outputs]``, those that they write and the store keeps."""

    files: list[str] = []


class LintSection(_Section, frozen=True):
    """``[lint]``: the rules of lint that do not apply."""

    ignore: list[str] = []


class GateSection(_Section, frozen=True):
    """``[gate]``: what a gate asks beside the expectations."""

    second: str | None = None


Expected = Literal["holds", "violated", "inconclusive", "broken", "excluded"]


class _Expectation(_Section, frozen=True, kw_only=True):
    """The expected results of a point; ``outcome`` is finer than ``verdict``."""

    verdict: Expected | None = None
    outcome: Outcome | None = None
    violates: list[str] | None = None
    trace_length: int | None = None
    distinct: int | None = None
    min_distinct: int | None = None
    generated: int | None = None
    fires: list[str] | None = None


class ExpectPoint(_Expectation, frozen=True, kw_only=True):
    """``[[expect.point]]``: the expectation for the points that agree with ``match``, values or a predicate."""

    match: dict[str, Scalar] | str
    proposed: str | None = None


class ExternalExpectation(ExpectPoint, frozen=True, kw_only=True):
    """An expectation from a config; ``where`` is its place."""

    match: dict[str, Scalar]
    where: str


class ExpectSection(_Expectation, frozen=True, kw_only=True):
    """``[expect]``: the rows, and the expectation for points without one."""

    law: dict[str, str] = {}
    point: list[ExpectPoint] = []


Expectation: TypeAlias = ExpectPoint | ExpectSection


class Sections(_Section, frozen=True):
    """A sweep file as written."""

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
    environment: dict[str, str | int] = {}
    java_properties: dict[str, str | int] = {}
    inputs: FilesSection = FilesSection()
    outputs: FilesSection = FilesSection()
    logs: LogsSection = LogsSection()
    mutation: MutationSection | None = None
    expect: ExpectSection | None = None
    gate: GateSection = GateSection()
    lint: LintSection = LintSection()
    accept: Acceptance = {}


def listed_text(value: Scalar | list[Scalar]) -> str:
    """Return the text of a parameter's value; a list has its entries with commas."""
    return ", ".join(map(value_text, value)) if isinstance(value, list) else value_text(value)


def listed(file: Sections, key: str, text: str) -> tuple[str, ...]:
    """The entries of a value of a parameter for a list in ``[model]``: of its list, of a text of names, or one expression."""
    values = file.parameters.get(key)
    for value in values if isinstance(values, list) else ():
        if isinstance(value, list) and listed_text(value) == text:
            return tuple(map(value_text, value))
    names = tuple(name for name in re.split(r"[\s,]+", text) if name)
    return (text,) if any(map(is_expression, names)) else names


VARIABLES: tuple[ParameterKind, ...] = ("environment", "java_properties")  # names may contain dots
ONE_JAR = (
    "name one jar with --tla2tools; gate --second JAR compares its answers with another's, "
    "and explore A --compare B compares two stores"
)
"""What serves instead of several jars in one sweep."""

REMOVED_PARAMETERS = ("jar", "tlc.jar")
"""The names of the parameter that chose the jar of TLC before the first release; a module may declare ``jar``."""

# The sections by name; "" is the top level.
SECTIONS: dict[str, type[msgspec.Struct]] = {
    "": Sections,
    "model": ModelSection,
    "grid": GridSection,
    "tlc": TlcSection,
    "lint": LintSection,
    "inputs": FilesSection,
    "outputs": FilesSection,
    **LOG_SECTIONS,
    "mutation": MutationSection,
    "gate": GateSection,
    "expect": ExpectSection,
    "expect.point": ExpectPoint,
}


# What every key means, by section, "" for the top level: the JSON Schema and hints of errors show it.
REMOVED_KEYS = {
    "model.periodic": 'name a config that has _PERIODIC: config = "FILE.cfg"',
    "model.rl_reward": 'name a config that has _RL_REWARD: config = "FILE.cfg"',
    "gate.collision_probability": "remove it: sweep and gate print a note where TLC's estimate is above 1E-6",
}
"""Keys of sweep files before the first release, each with what replaces it."""

KEYS: Mapping[str, Mapping[str, str]] = {
    "": {
        "module": "The root module, relative to this file; a list makes it a parameter named module.",
        "config": "A .cfg to start from, relative to this file; a list, or a pattern such as models/*.cfg, makes it a parameter named config.",
        "name": "The name of the sweep and of its default store, runs/NAME; default: the file's name.",
        "libraries": "Further module folders, relative to this file; the module's own folder comes first.",
        "template": "A Jinja2 template for configs, relative to this file, instead of default.cfg.j2.",
        "model": "What TLC checks, named as in a config.",
        "constants": "Values of constants: TLA+ text in a string, or TOML integers and booleans.",
        "substitutions": "Replacements of constants and definitions: a definition's name, or an expression.",
        "parameters": "The grid: each key lists its values.",
        "grid": "Which parameters advance together, and which points are left out or added.",
        "tlc": "How TLC searches, and the limits of one execution.",
        "environment": "Environment variables of every run; several values go under [parameters] as environment.NAME.",
        "java_properties": "Java system properties of every run; several values go under [parameters] as java_properties.NAME.",
        "inputs": "Files that runs may read.",
        "outputs": "Files that runs write and the store keeps.",
        "logs": "Logs of real systems, each a point: does a behaviour of the specification explain it?",
        "mutation": "Which changes of the specification a gate makes, to see what no check notices.",
        "expect": "The results you expect; default: every point holds.",
        "gate": "What a gate asks beside the expectations.",
        "lint": "The rules of lint to ignore.",
        "accept": 'Findings that you accept, each with a reason: CODE = "reason" for all of a kind, CODE.NAME for that of one definition, action or parameter.',
    },
    "inputs": {
        "files": "Files or patterns such as data/*.csv, relative to this file; a run finds them under the same path. A parameter in braces, such as {environment.LOG}, stands for the point's value.",
    },
    "outputs": {
        "files": "Files or patterns, relative to a run's folder; the others are dropped after the run.",
    },
    **LOG_KEYS,
    "mutation": MUTATION_KEYS,
    "model": {
        "specification": "The definition of the behaviours, Init /\\ [][Next]_vars; default: Spec, if the module has one.",
        "init": "The definition of the initial states; with next, instead of specification.",
        "next": "The definition of the next-state relation; with init, instead of specification.",
        "invariants": "Definitions or expressions that every reachable state must satisfy.",
        "properties": "Temporal properties, by name or as expressions, that every behaviour must satisfy.",
        "constraints": "Definitions or expressions that bound the search: TLC explores no further from a state that violates one.",
        "action_constraints": "Definitions or expressions that bound the search: TLC takes no step that violates one.",
        "postconditions": "Definitions that TLC evaluates at the end; TLC 2.20 and newer, more than one since April 2026.",
        "check_deadlock": "Whether a state without a successor is a violation.",
        "symmetry": "A definition that is a set of permutations, or a list of constants to permute.",
        "view": "The definition by which TLC distinguishes states.",
        "alias": "The definition of what TLC prints instead of the variables; TLC 2.20 and newer.",
        "possible": "Definitions that some reachable state or step must satisfy: _POSSIBLE, TLC since April 2026.",
    },
    "parameters.NAME": {
        "from": "The first number.",
        "to": "The upper bound, or the lower one with a negative step.",
        "step": "The step from one number to the next; may be negative.",
        "model_values": "The prefix of the model values: b gives b1, b2 and so on.",
        "sizes": "The sizes of the sets of model values.",
    },
    "grid": {
        "zip": "Lists of parameters that advance together, first value with first value.",
        "where": "Predicates in TLA+ over the parameters; a point is left out unless all are true.",
        "exclude": "Partial points; every point that matches one is left out.",
        "include": "Whole points, added after the grid.",
        "repeat": "With simulation: the number of seeds for each point.",
        "search": "Run only the points that decide the laws of the checked properties.",
        "within": "With search: a law is settled when it is 95 % sure that fewer of the other points contradict it.",
    },
    "tlc": {
        "mode": "Check all reachable states, or simulate or generate random behaviours.",
        "find": "Stop at the first violation, or run again until each violated invariant and property has its own trace.",
        "workers": "TLC worker threads of one execution.",
        "timeout": "The time limit of one execution of TLC, as in 90s, 5m or 1h30m; a number is seconds.",
        "memory": "The memory limit of one execution, heap and everything else, as in 2GiB; a number is bytes.",
        "disk": "How much one execution may write, as in 10GiB; default: an equal share of the free space.",
        "num": "With simulation: the number of behaviours.",
        "depth": "With simulation: the maximum number of states in a behaviour.",
        "budget": "With simulation: how long TLC goes on, as in 5m; to reach it is a normal end, unlike a timeout.",
        "seed": "With simulation: the random seed.",
        "coverage": "Collect coverage, for the table coverage.",
        "vacuity": "Run TLC again on the points that hold, to find implications and properties that could not fail.",
        "graph": "Keep the state graph, in the tables graph_states and graph_edges; for small models.",
        "behaviours": "With simulation: keep the behaviours, in the tables traces, states and changes.",
        "translate": "Translate PlusCal on a copy if its translation is missing or outdated.",
        "overrides": "Jars or folders of Java classes that override definitions, relative to this file.",
        "options": "Further options, passed to TLC unchanged.",
        "java_options": "Further options, passed to Java unchanged.",
        "warm": "Let short runs share a JVM if there are many.",
        "trust": "Give TLC your environment, files and network.",
        "executor": "Who executes the runs: spark, or local for the threads of this machine; as --executor.",
    },
    "gate": {
        "second": "The TLC of a second opinion: a release such as 1.7.4, or bundled; a gate is red where it disagrees.",
    },
    "lint": {"ignore": "The codes of the rules to ignore."},
    "expect": {
        "verdict": "The expected verdict.",
        "outcome": "The expected outcome, by TLC's own name for its exit status; finer than verdict.",
        "violates": "The names that are violated, exactly these; deadlock for a deadlock.",
        "trace_length": "States in the shortest counterexample found.",
        "distinct": "Distinct states, exactly.",
        "min_distinct": "Distinct states, at least.",
        "generated": "States generated, exactly.",
        "fires": "Actions that must fire; TLC then collects coverage.",
        "law": "By property the predicate over the parameters that is TRUE where it is violated; rows take precedence.",
        "point": "Rows for points that agree with their match; the first one that agrees applies.",
        "match": "Parameter values of the points that the row applies to, or a predicate in TLA+ over the parameters, as in where.",
        "proposed": "Why --record proposed the row; a gate is red until somebody has read the row and removed this line.",
    },
}
