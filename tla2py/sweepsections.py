"""The sections of a sweep file as types, which are also what its JSON Schema is made of."""

from __future__ import annotations

from typing import Literal, Union

import msgspec

from tla2py.outcome import Outcome

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
    """The same where a config or a manifest says it, and not the sweep file; ``where`` is the place.

    With ``unknown`` it is there to be found out, and whatever is found is as expected.
    """

    where: str
    unknown: bool = False


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
