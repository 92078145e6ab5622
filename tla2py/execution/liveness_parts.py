"""The parts of properties of liveness that may hold at once, and copies of these properties in which TLC reports the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from tla2py.errors import InputError
from tla2py.execution.antecedents import Key
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.instrument import CopyPlace, DefinitionCopy, Edit, between, left_out, wrapped
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Expression, Module, Span

REPORTER = "Tla2pySeen"
"""The operator that reports its argument, a number, and is TRUE."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LivenessPart:
    """A formula of a property of liveness, with what a state has to violate lest the formula holds at once.

    ``kind`` is ``initial`` for ``<>P``, of which only the initial states count; otherwise every state does: ``response``
    for ``P ~> Q``, ``throughout`` for ``[]<>P`` and ``<>[]P``. ``condition`` is P, ``response`` is Q. The ``antecedent`` of
    ``P ~> Q`` is known by its place.
    """

    kind: Literal["initial", "response", "throughout"]
    module: Module
    span: Span
    definition: str
    condition: str
    response: str = ""
    antecedent: Span | None = None

    @property
    def key(self) -> Key:
        """A key that is equal for the same text."""
        return self.module.name, self.span


@dataclass(slots=True)
class LivenessCopy(DefinitionCopy):
    """The copy of a property as a predicate on states: it is TRUE, and reports the parts that do not hold at once.

    ``first`` is the number that the first part reports. Parts about the ``initial`` states are in a copy of their own.
    """

    initial: bool = field(kw_only=True)
    first: int = field(kw_only=True)
    parts: dict[Key, LivenessPart] = field(kw_only=True)

    def _edits(self, expr: Expression, place: CopyPlace) -> Iterator[Edit]:
        yield from self._formula(expr, place)

    def _formula(self, expr: Expression, place: CopyPlace) -> list[Edit]:
        """Return the edits of a formula, none if no part of it counts here."""
        part = self._part(expr, place)
        if part is not None:
            return self._report(expr, part) if (part.kind == "initial") == self.initial else []
        match expr:
            case Expression(shape="apply", operator="/\\", arguments=parts):
                return self._conjunction(parts, place)
            case Expression(shape="let", arguments=(body,)):
                return self._formula(body, self._enter(expr, place))
            case Expression(shape="bind", operator="\\A", arguments=(body,)) if all(
                bound.domain is not None for bound in expr.bounds
            ):
                return self._formula(body, self._enter(expr, place))
            case Expression(shape="apply", operator="=>", arguments=(left, right)) if (
                self._level_of(left, place) is Level.CONSTANT
            ):
                return self._formula(right, place)
        call = self._call(expr, place)
        return [] if call is None else [call]

    def _conjunction(self, parts: Sequence[Expression], place: CopyPlace) -> list[Edit]:
        edits = [self._formula(part, place) for part in parts]
        if not any(edits):
            return []
        changed: list[Edit] = []
        for part, part_edits in zip(parts, edits, strict=True):
            changed += part_edits or left_out(part.span, "TRUE")
        return changed

    def _part(self, expr: Expression, place: CopyPlace) -> LivenessPart | None:
        """Return the part that a formula is, None if it is none, or is about more than states."""
        match expr:
            case Expression(shape="apply", operator="~>", arguments=(left, right)):
                return self._response(expr, left, right, place)
            case Expression(
                shape="apply",
                operator="[]",
                arguments=(
                    Expression(
                        shape="apply",
                        operator="=>",
                        arguments=(left, Expression(shape="apply", operator="<>", arguments=(right,))),
                    ),
                ),
            ):
                return self._response(expr, left, right, place)
            case Expression(
                shape="apply",
                operator=("[]" | "<>") as outer,
                arguments=(Expression(shape="apply", operator=("[]" | "<>") as inner, arguments=(body,)),),
            ) if outer != inner and self._level_of(body, place) is Level.STATE:
                return self._describe("throughout", expr, body, place)
            case Expression(shape="apply", operator="<>", arguments=(body,)) if (
                self._level_of(body, place) is Level.STATE
            ):
                return self._describe("initial", expr, body, place)
        return None

    def _response(
        self, expr: Expression, left: Expression, right: Expression, place: CopyPlace
    ) -> LivenessPart | None:
        if max(self._level_of(left, place), self._level_of(right, place)) > Level.STATE:
            return None
        part = self._describe("response", expr, left, place)
        return replace(part, response=place.module.excerpt(right.span), antecedent=left.span)

    def _describe(
        self,
        kind: Literal["initial", "response", "throughout"],
        expr: Expression,
        body: Expression,
        place: CopyPlace,
    ) -> LivenessPart:
        return LivenessPart(
            kind=kind,
            module=place.module,
            span=expr.span,
            definition=place.path[-1],
            condition=place.module.excerpt(body.span),
        )

    def _report(self, expr: Expression, part: LivenessPart) -> list[Edit]:
        """Return the edits that make a predicate of a part, which is TRUE and reports where it is not TRUE at once."""
        self.parts.setdefault(part.key, part)
        number = self.first + list(self.parts).index(part.key)
        inside: list[Edit] = []
        for operator in _temporal_operators(expr):
            if operator.operator == "~>":
                left, right = operator.arguments
                inside.append(between(part.module, left.span, right.span, r"~>|\\leadsto|↝", "=>"))
            else:
                inside.append(_blank_operator(operator, part.module))
        return [*wrapped(expr.span, "((", inside, f") \\/ {REPORTER}({number}))")]


def _temporal_operators(expr: Expression) -> Iterator[Expression]:
    """Yield the applications of temporal operators in a part, which are all at its top."""
    if expr.shape == "apply" and expr.operator in ("[]", "<>", "~>", "=>"):
        if expr.operator != "=>":
            yield expr
        if expr.operator != "~>":
            for part in expr.arguments:
                yield from _temporal_operators(part)


def _blank_operator(expr: Expression, module: Module) -> Edit:
    """Return the edit that leaves a prefix operator out and keeps all columns."""
    line, column = expr.span.begin_line, expr.span.begin_column
    length = 2 if module.text.split("\n")[line - 1][column - 1 :][:2] in ("[]", "<>") else 1
    return Edit(line, column, " " * length, length)


@dataclass(slots=True)
class CopySource:
    """The modules whose definitions are copied."""

    spec: ModuleGraph
    levels: Levels
    modules: dict[str, str]
    replaced: dict[str, str]


@dataclass(slots=True)
class LivenessCopies:
    """The copies of properties: their edits by module, and their names as predicates on every state and on initial ones."""

    edits: dict[str, list[Edit]] = field(default_factory=dict)
    parts: dict[Key, LivenessPart] = field(default_factory=dict)
    invariants: list[str] = field(default_factory=list)
    properties: list[str] = field(default_factory=list)


def copy_liveness(
    spec: ModuleGraph,
    texts: Mapping[str, str],
    properties: Iterable[str],
    replaced: Mapping[str, str],
    first: int,
) -> LivenessCopies:
    """Return copies of properties whose parts report numbers from ``first`` on.

    ``texts`` are the texts of the modules that TLC would read.
    """
    names = {f"{module.name}.tla": texts.get(module.name, module.text) for module in spec.modules}
    source = CopySource(spec, Levels(spec.resolver), names, dict(replaced))
    copies = LivenessCopies()
    beside: list[DefinitionCopy] = []
    originals = [replaced.get(name, name) for name in properties]
    for original in originals:
        if original not in spec.scope.names:
            continue
        for initial, roots in ((False, copies.invariants), (True, copies.properties)):
            try:
                copy = LivenessCopy(
                    source,
                    original,
                    REPORTER,
                    beside=beside,
                    initial=initial,
                    first=first,
                    parts=copies.parts,
                )
            except InputError:
                # A formula that cannot be taken apart: nothing is asked, so nothing is claimed.
                return LivenessCopies()
            if copy.root != original:
                roots.append(copy.root)
            copies.edits = copy.inserted
    return copies


def find_liveness_parts(
    spec: ModuleGraph, properties: Iterable[str], replaced: Mapping[str, str]
) -> dict[Key, LivenessPart]:
    """Return the parts of properties that may hold at once, by key."""
    return copy_liveness(spec, {}, properties, replaced, 0).parts
