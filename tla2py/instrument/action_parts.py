"""Copies of the next-state relation in which the conjuncts of one action report how far TLC gets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tla2py.instrument.conjunct import Conjunct
from tla2py.instrument.copies import DefinitionCopy, Place
from tla2py.instrument.edits import Edit, wrapped
from tla2py.syntax import Level
from tla2py.syntax.expression import Expression
from tla2py.syntax.scope import Resolver, Scope

PRINTER = "AskEnabledTell"
PRINTER_TEXT = f"""---- MODULE {PRINTER} ----
LOCAL INSTANCE TLC
Try(number, names, values) == PrintT(<<"tla2py: try", number, names, values>>)
Bound(number, names, values) == PrintT(<<"tla2py: bound", number, names, values>>)
Never == FALSE
Pass(number) == PrintT(<<"tla2py: pass", number>>)
====
"""


@dataclass(slots=True)
class ActionParts(DefinitionCopy):
    """The copy of a formula that takes steps of ``action`` alone, or all its steps if it is None.

    ``conjuncts`` are the action's in the order of their numbers, ``depths`` how many come before each on its path,
    ``found`` the expressions with their places.
    TLC tries a conjunct for each binding for which all before it are possible: what it reports for a conjunct is
    ``ENABLED (K1 /\\ ... /\\ Kk)``, without a copy of the action for each prefix.
    """

    action: str | None = field(kw_only=True)
    conjuncts: list[Conjunct] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    found: list[tuple[Expression, Place]] = field(default_factory=list)
    _depth: int = 0
    _keys: list[tuple[Conjunct, tuple[str, ...], int]] = field(default_factory=list)
    # Inside a conjunct beside the action, as in Guard /\ (A \/ B).
    _beside: bool = False

    def _edits(self, expr: Expression, names: tuple[str, ...], place: Place) -> Iterator[Edit]:
        outside = self.action is not None and not self._beside and self.action not in place.path
        if outside and not self._leads(expr, place):
            yield from wrapped(expr.span, "(tla2pyTell!Never /\\ (", (), "))")
        else:
            yield from self._conjuncts(expr, names, place, outside=outside)

    def _conjuncts(
        self, expr: Expression, names: tuple[str, ...], place: Place, *, outside: bool
    ) -> Iterator[Edit]:
        match expr:
            case Expression(shape="apply", operator="/\\"):
                for each in expr.arguments:
                    # What is beside the action has to be possible as well.
                    leading = outside and self._leads(each, place)
                    before, self._beside = self._beside, self._beside or (outside and not leading)
                    yield from self._conjuncts(each, names, place, outside=leading)
                    self._beside = before
            case Expression(shape="let", arguments=(body,)) if outside or self._is_list(
                expr, names, place.scope
            ):
                within = self.query.spec.resolver.let(place.scope, expr)
                yield from self._conjuncts(body, names, replace(place, scope=within), outside=outside)
            case Expression(shape="bind", operator="\\E", arguments=(body,)) if outside or self._is_list(
                expr, names, place.scope
            ):
                # A set may be empty.
                ranges = (
                    f"{', '.join(each.names)} \\in {place.module.excerpt(each.domain.span)}"
                    for each in expr.bounds
                    if each.domain is not None
                )
                number, call = self._numbered(expr, f"\\E {', '.join(ranges)}", names, place)
                inside = (*names, *(name for each in expr.bounds for name in each.names))
                bound = self._call_with("Bound", number, inside, place)
                parts = self._conjuncts(body, inside, place, outside=outside)
                parts = wrapped(body.span, f"({bound} /\\ (", parts, "))")
                yield from wrapped(expr.span, f"({call} /\\ (", parts, "))")
            case (
                Expression(shape="apply", operator="\\/", arguments=branches)
                | Expression(shape="build", operator="IF", arguments=(_, *branches))
            ) if outside or self._is_list(expr, names, place.scope):
                start, ends = self._depth, []
                for each in branches:
                    self._depth = start
                    if outside:
                        yield from self._edits(each, names, place)
                    else:
                        yield from self._conjuncts(each, names, place, outside=False)
                    ends.append(self._depth)
                self._depth = max(ends)
            case _:
                entity = place.scope.find(expr.operator) if expr.shape == "apply" else None
                listed = outside or self._is_list(expr, names, place.scope)
                called = self._call(expr, place) if entity is not None and listed else None
                yield from [called] if called else self._reported(expr, names, place)

    def _leads(self, expr: Expression, place: Place) -> bool:
        resolver = self.query.spec.resolver
        return self.action is not None and leads(expr, self.action, place.scope, resolver)

    def _is_list(self, expr: Expression, names: tuple[str, ...], scope: Scope) -> bool:
        """Whether a formula is more than one conjunct, or describes the step below quantifiers or disjunctions."""
        levels = self.query.levels
        if levels.of_expression(expr, scope, frozenset(names)) == Level.CONSTANT:
            # TLC evaluates it once, before all states.
            return False
        match expr:
            case Expression(shape="apply", operator="/\\"):
                return True
            case Expression(shape="let", arguments=(body,)):
                return self._is_list(body, names, self.query.spec.resolver.let(scope, expr))
            case (
                Expression(shape="bind", operator="\\E")
                | Expression(shape="apply", operator="\\/")
                | Expression(shape="build", operator="IF")
            ):
                return levels.of_expression(expr, scope, frozenset(names)) == Level.ACTION
            case Expression(shape="apply"):
                entity = scope.find(expr.operator)
                if entity is None or entity.body is None or entity.kind != "definition":
                    return False
                recursive = getattr(entity.declaration, "recursive", False)
                return not recursive and self._is_list(entity.body, entity.parameters, entity.scope)
        return False

    def _reported(self, expr: Expression, names: tuple[str, ...], place: Place) -> Iterator[Edit]:
        """The edits that make a conjunct report that TLC tries it, and that it is possible."""
        number, call = self._numbered(expr, place.module.excerpt(expr.span), names, place)
        yield from wrapped(expr.span, f"({call} /\\ ((", (), f") /\\ tla2pyTell!Pass({number})))")

    def _numbered(self, expr: Expression, text: str, names: tuple[str, ...], place: Place) -> tuple[int, str]:
        """The number of a conjunct, and the call that reports that TLC tries it."""
        conjunct = Conjunct(
            text=text,
            role="conjunct",
            definition=place.path[-1],
            module=place.module.name,
            line=place.module.line(expr.span.begin_line),
            column=expr.span.begin_column,
        )
        key = (conjunct, place.path, self._depth)
        # The next-state relation may name the action several times.
        if key not in self._keys:
            self._keys.append(key)
            self.conjuncts.append(conjunct)
            self.depths.append(self._depth)
            self.found.append((expr, place))
        number = self._keys.index(key)
        self._depth += 1
        return number, self._call_with("Try", number, names, place)

    def _call_with(self, operator: str, number: int, names: tuple[str, ...], place: Place) -> str:
        """The call of a printer's operator with the values of names."""
        # The parameters of a definition below the action may make no sense, or read primed variables too early.
        entity = place.scope.find(place.path[-1])
        hidden = () if place.path[-1] == self.action or entity is None else entity.parameters
        shown = [name for name in names if name not in hidden]
        quoted, values = ", ".join(f'"{name}"' for name in shown), ", ".join(shown)
        return f"tla2pyTell!{operator}({number}, <<{quoted}>>, <<{values}>>)"


def leads(
    expr: Expression, action: str, scope: Scope, resolver: Resolver, above: tuple[str, ...] = ()
) -> bool:
    """Whether a formula can take a step of an action; ``above`` are the definitions that it is part of."""
    entity = scope.find(expr.operator) if expr.shape == "apply" else None
    if entity is not None and expr.operator not in above:
        if expr.operator.rpartition("!")[2] == action:
            return True
        if entity.kind == "definition" and entity.body is not None:
            return leads(entity.body, action, entity.scope, resolver, (*above, expr.operator))
    inside = resolver.let(scope, expr) if expr.shape == "let" else scope
    return any(leads(each, action, inside, resolver, above) for each in formula_parts(expr))


def formula_parts(expr: Expression) -> tuple[Expression, ...]:
    """The parts of a formula that may take a step."""
    if expr.shape == "build" and expr.operator == "IF":
        return expr.arguments[1:]
    if (
        expr.shape == "let"
        or expr.operator == "\\E"
        or (expr.shape == "apply" and expr.operator in ("/\\", "\\/"))
    ):
        return expr.arguments
    return ()
