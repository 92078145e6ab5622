"""Copies of a formula in which TLC tells what its parts are: of a step, of what a step may be, or of a whole behaviour."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from tla2py.errors import InputError
from tla2py.tla.instrument import (
    ActionParts,
    Argument,
    Conjunct,
    CopyPlace,
    Edit,
    arguments_of,
    between,
    formula_parts,
    left_out,
    named_values,
    splits,
    wrapped,
)
from tla2py.tla.levels import Level
from tla2py.tla.module import Expression, Module, Variable
from tla2py.tla.scope import Entity, Scope

PRINTER_MODULE = "AskWhyTell"
MOST_PRINTED = 20_000
"""How much TLC tells; what is beyond that is not evaluated, and TLC says so."""
ENOUGH = "tla2py: enough"
# Registers of TLCSet: how much was told, and for each conjunct whether it was TRUE when TLC evaluated it last.
_TOLD, _TRUE = 410_000, 410_001


def printer_text(*, stops: bool) -> str:
    """The module of what the copies tell; with ``stops`` a conjunct that is FALSE ends the evaluation, as it does in TLC."""
    return f"""---- MODULE {PRINTER_MODULE} ----
LOCAL INSTANCE Integers
LOCAL INSTANCE TLC
Begin(conjuncts) == TLCSet({_TOLD}, 0) /\\ \\A number \\in 0..conjuncts : TLCSet({_TRUE} + number, TRUE)
LOCAL More == TLCGet({_TOLD}) <= {MOST_PRINTED} /\\ TLCSet({_TOLD}, TLCGet({_TOLD}) + 1)
LOCAL Told(what) == More /\\ IF TLCGet({_TOLD}) <= {MOST_PRINTED} THEN PrintT(what) ELSE PrintT("{ENOUGH}") /\\ FALSE
Holds(number, names, values, value) ==
  /\\ TLCSet({_TRUE} + number, value)
  /\\ Told(<<"tla2py: holds", number, names, values, value>>)
  /\\ {"value" if stops else "TRUE"}
When(number, names, values, value) == Told(<<"tla2py: holds", number, names, values, value>>) /\\ value
Clear(numbers) == {"TRUE" if stops else f"(%A number %in numbers : TLCGet({_TRUE} + number))".replace("%", chr(92))}
Missed(number) == TLCSet({_TRUE} + number, FALSE)
Try(number, names, values) == Told(<<"tla2py: try", number, names, values>>)
Bound(number, names, values) == Told(<<"tla2py: bound", number, names, values>>)
Never == FALSE
Pass(number) == Told(<<"tla2py: pass", number>>)
Args(depth, name, names, values) == Told(<<"tla2py: args", depth, name, names, values>>)
Shown(names, before, after) == Told(<<"tla2py: shown", names, before, after>>)
Unit(number, names, values, facts, next) == Told(<<"tla2py: unit", number, names, values, facts>>) /\\ next
Enter(number, names, values) == Told(<<"tla2py: enter", number, names, values>>)
Gives(next, formula) == (formula \\in BOOLEAN) /\\ next
Printed(number, names, values, value) == PrintT(<<"tla2py: conjunct", number, names, values, value>>)
Whether(number, names, values, formula) == \\E value \\in {{formula}} : Printed(number, names, values, value) /\\ value
Tell(number, names, values, value) == {"Whether" if stops else "Printed"}(number, names, values, value)
====
"""


About = Literal["init", "next", "units", "fairness", "formula"]


class Unit(NamedTuple):
    """An action of a next-state relation or of a fairness condition, or a part of a temporal formula.

    ``name`` is the action's, ``expr`` the formula and ``place`` where it is; ``kind`` is ``WF``, ``SF`` or empty. Of a
    fairness condition ``written`` is its text, such as ``WF_vars(A)``, and ``subscript`` that of its variables.
    ``call`` is the text of an operator with actions as arguments, as ``Do(A)``: these have no values. With
    ``is_call`` TLC tells the values of the parameters of the definition that ``expr`` applies.
    """

    name: str
    conjunct: Conjunct
    expr: Expression
    place: CopyPlace
    kind: str = ""
    written: str = ""
    subscript: str = ""
    call: str = ""
    is_call: bool = False

    @property
    def definition(self) -> Entity | None:
        """The definition that the formula applies or is the whole body of; None for a part of one."""
        used = self.place.scope.find(self.expr.operator) if self.expr.shape == "apply" else None
        if used is not None and used.kind == "definition":
            return used
        owner = self.place.owners[-1] if self.place.owners else None
        return owner if owner is not None and owner.body is self.expr else None


@dataclass(slots=True)
class Formula:
    """A temporal formula: the operator, its parts, and the number of what TLC tells of it."""

    operator: str
    parts: list[Formula] = field(default_factory=list)
    number: int = -1


@dataclass(slots=True)
class InstrumentedFormula(ActionParts):
    """The copy of a behaviour or property that tells one thing ``about`` it.

    About the initial predicate and the next-state relation it tells each conjunct, as ``ActionParts``; with ``fixed`` all
    variables have their next values, so each conjunct has a value whatever comes before; unless it is ``valued`` TLC tells
    that it tries it, and then that it could. About the ``units`` of the relation,
    the actions of the ``fairness`` conditions and the parts of a temporal ``formula`` it tells ``units``; the temporal
    operators themselves are for the reader, who has the ``tree``. ``base`` is added to the numbers of ``units``.
    """

    about: About = field(kw_only=True)
    fixed: bool = field(default=True, kw_only=True)
    valued: bool = field(default=True, kw_only=True)
    base: int = field(default=0, kw_only=True)
    units: list[Unit] = field(default_factory=list)
    tree: Formula = field(default_factory=lambda: Formula("/\\"))
    _within: bool = False
    # What the part at hand has to be for TLC to go on to the next.
    _want: str = "TRUE"
    _before: list[tuple[int, int, frozenset[str]]] = field(default_factory=list)
    # Definitions of a LET that are not used yet, with their places.
    _local_formulas: dict[Entity, CopyPlace] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tells = self._is_action
        # Named: a dataclass with slots is another class than the one that super() would look for.
        ActionParts.__post_init__(self)

    def _edits(self, expr: Expression, place: CopyPlace) -> Iterator[Edit]:
        if self._within and self.about == "units":
            yield from self._of_units(expr, place)
        elif self._within:
            # A parameter may stand for an action, which has no value.
            formulas = _formulas(expr)
            names = [name for name in place.names if name not in formulas]
            names = [name for name in names if not self._is_given_action(name, place)]
            values = replace(place, names=tuple(names))
            yield from ActionParts._edits(self, expr, values)
        else:
            yield from self._of_formula(expr, place)

    def _of_formula(self, expr: Expression, place: CopyPlace) -> Iterator[Edit]:
        level = self._level_of(expr, place)
        formula = self.about == "formula"
        match expr:
            case _ if level < Level.TEMPORAL and formula:
                yield from self._part(expr, place)
            case _ if level == Level.ACTION:
                yield from self._of_conjuncts(expr, place)
            case _ if level < Level.TEMPORAL and self.about == "init":
                yield from self._of_conjuncts(expr, place, shown=True)
            case _ if level < Level.TEMPORAL:
                yield from left_out(expr.span, "TRUE")
            case Expression(shape="apply", operator="[]", arguments=(box,)) if (
                box.operator == "[]_" and not formula
            ):
                yield from self._of_box(expr, box, place)
            case Expression(shape="apply", operator="/\\" | "\\/" | "=>" | "~>" | "<=>"):
                yield from self._of_operator(expr, place)
            case Expression(shape="apply", operator="[]" | "<>" | "~", arguments=(body,)):
                written = _prefix_operator(expr, place.module)
                width = len(written)
                yield Edit(expr.span.begin_line, expr.span.begin_column, " " * width, width)
                # The operator is gone from the copy, so its part has to be what the formula has to be.
                yield from self._inside(Formula(expr.operator), [(body, self._want)], place)
            case Expression(shape="bind", operator="\\A" | "\\E", arguments=(body,)) if all(
                each.domain for each in expr.bounds
            ):
                inside = self._enter(expr, place)
                number, want = self._unit(expr, place), self._want
                goes = "TRUE" if expr.operator == "\\A" else "FALSE"
                enter = f"tla2pyTell!Enter({self.base + number}, {named_values(inside.names)})"
                node = Formula(expr.operator, number=number)
                parts = [*self._inside(node, [(body, goes)], inside)]
                parts = [*wrapped(body.span, f"({enter} /\\ (", parts, "))")]
                yield from wrapped(expr.span, f"tla2pyTell!Gives({want}, (", parts, "))")
            case Expression(shape="let", arguments=(body,)):
                inside = self._enter(expr, place)
                for definition in expr.definitions:
                    entity = inside.scope.find(definition.name)
                    if entity is not None and not entity.parameters:
                        self._local_formulas[entity] = inside
                yield from self._of_formula(body, inside)
            case Expression(shape="build", operator="IF", arguments=(condition, _, _)) if (
                self._level_of(condition, place) == Level.CONSTANT
            ):
                # TLC refuses a CASE over temporal formulas.
                yield from self._of_choice(expr, place)
            case Expression(shape="apply") if self._is_local_formula(expr, place):
                entity = place.scope.find(expr.operator)
                assert entity is not None
                assert entity.body is not None
                # TLC evaluates a definition of a LET once, so its parts are told once.
                yield from self._of_formula(entity.body, self._local_formulas.pop(entity))
            case Expression(shape="build", operator="WF_" | "SF_", arguments=(variables, action)):
                if self.about in ("fairness", "formula"):
                    kind = expr.operator[:2]
                    facts = _facts(action, place.module.excerpt(variables.span), place.module)
                    yield from self._report_action(expr, action, place, kind, facts)
                else:
                    yield from left_out(expr.span, "TRUE")
            case _:
                called = self._call(expr, place)
                if called is None and formula:
                    raise InputError(
                        "not-confirmable",
                        f"{place.module.excerpt(expr.span)} cannot be taken apart",
                        hint="name its parts by definitions of the module",
                    )
                yield from [called] if called else left_out(expr.span, "TRUE")

    def _is_local_formula(self, expr: Expression, place: CopyPlace) -> bool:
        """Return whether a formula is the first use of a temporal formula that a LET defines."""
        entity = place.scope.find(expr.operator) if expr.is_name() else None
        return entity is not None and entity in self._local_formulas

    def _of_choice(self, expr: Expression, place: CopyPlace) -> Iterator[Edit]:
        """Yield the edits of an IF: TLC tells its condition, then the parts of one branch."""
        condition, *branches = expr.arguments
        before = self.tree, self._want
        self.tree = Formula("IF")
        before[0].parts.append(self.tree)
        self._want = "tla2pyValue"
        yield from self._part(condition, place)
        self._want = before[1]
        for branch in branches:
            yield from self._of_formula(branch, place)
        self.tree, self._want = before

    def _of_operator(self, expr: Expression, place: CopyPlace) -> Iterator[Edit]:
        """The edits of a connective: TLC is to evaluate all its parts, and then find what it is wanted to be."""
        goes = "FALSE" if expr.operator == "\\/" else "TRUE"
        *others, last = expr.arguments
        bodies = [*((each, goes) for each in others), (last, self._want)]
        yield from self._inside(Formula(expr.operator), bodies, place)
        if expr.operator == "~>":
            left, right = (each.span for each in expr.arguments)
            yield between(place.module, left, right, r"~>", "=>")

    def _inside(
        self, node: Formula, bodies: Sequence[tuple[Expression, str]], place: CopyPlace
    ) -> Iterator[Edit]:
        """The edits of the parts of a formula, each with what it is wanted to be."""
        self.tree.parts.append(node)
        before = self.tree, self._want
        for body, want in bodies:
            self.tree, self._want = node, want
            yield from self._of_formula(body, place)
        self.tree, self._want = before

    def _part(self, expr: Expression, place: CopyPlace) -> Iterator[Edit]:
        """The edits of a part of a temporal formula that has a value in each state, or for each step."""
        number = self._unit(expr, place)
        self.tree.parts.append(Formula("", number=number))
        call = f"tla2pyTell!Unit({self.base + number}, {named_values(place.names)}, <<tla2pyValue>>, {self._want})"
        yield from wrapped(expr.span, "(\\E tla2pyValue \\in {(", (), f")}} : {call})")

    def _report_action(
        self, expr: Expression, action: Expression, place: CopyPlace, kind: str, facts: str
    ) -> Iterator[Edit]:
        """Yield the edits that put what TLC prints of an action in the place of an expression."""
        number = self._unit(action, place, kind)
        if kind:
            self.tree.parts.append(Formula(kind, number=number))
            written = " ".join(place.module.excerpt(expr.span).split())
            subscript = " ".join(place.module.excerpt(expr.arguments[0].span).split())
            self.units[number] = self.units[number]._replace(written=written, subscript=subscript)
        entity = place.scope.find(action.operator) if action.shape == "apply" else None
        given = named_values(place.names)
        if any(self._level_of(argument, place) == Level.ACTION for argument in action.arguments) and entity:
            call = " ".join(place.module.excerpt(action.span).split())
            self.units[number] = self.units[number]._replace(call=call)
        elif entity is not None and entity.parameters and len(entity.parameters) == len(action.arguments):
            quoted = ", ".join(f'"{each}"' for each in entity.parameters)
            texts = ", ".join(place.module.excerpt(each.span) for each in action.arguments)
            given = f"<<{quoted}>>, <<{texts}>>"
            self.units[number] = self.units[number]._replace(is_call=True)
        want = self._want if kind else "FALSE"
        call = f"tla2pyTell!Unit({self.base + number}, {given}, tla2pyFacts, {want})"
        yield from left_out(expr.span, f"(\\E tla2pyFacts \\in {{{facts}}} : {call})")

    def _unit(self, expr: Expression, place: CopyPlace, kind: str = "") -> int:
        """The number of an expression, now one of the units."""
        entity = place.scope.find(expr.operator) if expr.shape == "apply" else None
        named = entity is not None and entity.kind == "definition"
        name = expr.operator if named else place.path[-1]
        self.units.append(Unit(name, place.conjunct(expr, "part"), expr, place, kind))
        return len(self.units) - 1

    def _of_box(self, expr: Expression, box: Expression, place: CopyPlace) -> Iterator[Edit]:
        if self.about not in ("next", "units"):
            yield from left_out(expr.span, "TRUE")
            return
        step, end = box.arguments[0], box.span
        yield Edit(expr.span.begin_line, expr.span.begin_column, "  ", 2)
        yield Edit(end.begin_line, end.begin_column, "(", 1)
        yield from self._of_conjuncts(step, place)
        closing = between(place.module, step.span, end, r"\]\s*_", "(*")
        yield closing._replace(text=f") (*\n{' ' * (closing.column - 1)}", removed=0)
        yield Edit(end.end_line, end.end_column + 1, f"*)\n{' ' * end.end_column}")

    def _of_conjuncts(self, expr: Expression, place: CopyPlace, *, shown: bool = False) -> Iterator[Edit]:
        """The edits of an action, or of the initial predicate, which also tells its variables (``shown``)."""
        self._within = True
        edits = self._edits(expr, place)
        if shown or (self.about == "next" and self.fixed):
            edits = wrapped(expr.span, f"({self._report_variables(place)} /\\ (", edits, "))")
        yield from edits
        self._within = False

    def _report_variables(self, place: CopyPlace) -> str:
        """Return the call that prints the variables of the module at a place: abstract ones, if it is that of an instance."""
        names = variables_of(place.scope)
        after = ", ".join(f"{name}'" if self.about == "next" else name for name in names)
        return f"tla2pyTell!Shown({named_values(names)}, <<{after}>>)"

    # The units of a next-state relation.

    def _of_units(self, expr: Expression, place: CopyPlace) -> Iterator[Edit]:
        match expr:
            case Expression(shape="apply", operator="\\/"):
                for each in expr.arguments:
                    yield from self._of_units(each, place)
            case Expression(shape="bind", operator="\\E", arguments=(body,)) if all(
                each.domain for each in expr.bounds
            ):
                yield from self._of_units(body, self._enter(expr, place))
            case Expression(shape="let", arguments=(body,)):
                yield from self._of_units(body, self._enter(expr, place))
            case _:
                entity = place.scope.find(expr.operator) if expr.shape == "apply" else None
                top = len(place.path) == 1 or self._level(place.owners[-1]) == Level.TEMPORAL
                # An operator that has actions as arguments is one action.
                is_choice = entity is not None and (top or self._splits(entity))
                opened = is_choice and not self._takes_actions(expr, place)
                if opened and (called := self._call(expr, place)):
                    yield called
                    return
                facts = _facts(expr, f"<<{', '.join(variables_of(place.scope))}>>", place.module)
                yield from self._report_action(expr, expr, place, "", facts)

    def _level(self, entity: Entity) -> Level:
        level = self.query.levels.of_entity(entity)
        return Level.ACTION if level < Level.ACTION and _takes_formulas(entity) else level

    def _splits(self, entity: Entity) -> bool:
        return entity.body is not None and splits(
            entity.body, entity.scope, self.query.spec.resolver, self.query.levels
        )

    def action_at(self, place: CopyPlace) -> str:
        """The action at a place: the outermost definition that is more than a choice among others, or the innermost."""
        for name, owner, call in zip(place.path, place.owners, place.calls, strict=True):
            is_action = call or self._level(owner) == Level.ACTION
            if is_action and not self._splits(owner):
                return name
        return place.path[-1]

    def has_action_at(self, place: CopyPlace) -> bool:
        """Return whether a definition around a place is an action, and not only a temporal formula."""
        return any(
            call or self._level(owner) < Level.TEMPORAL
            for owner, call in zip(place.owners, place.calls, strict=True)
        )

    def call_at(self, place: CopyPlace) -> str:
        """Return the call of the action at a place if an argument is an action, as ``Do(A)``; else an empty text."""
        return place.calls[place.path.index(self.action_at(place))]

    def _level_of(self, expr: Expression, place: CopyPlace) -> Level:
        level = ActionParts._level_of(self, expr, place)
        if level >= Level.ACTION or not place.arguments:
            return level
        # A parameter that stands for an action makes an action of what it is in.
        for part in expr.walk():
            if part.is_name() and self._is_given_action(part.operator, place):
                return Level.ACTION
        return level

    def _is_action(self, place: CopyPlace) -> bool:
        return (
            self.about == "next"
            and self._level(place.owners[-1]) == Level.ACTION
            and place.path[-1] == self.action_at(place)
            and not self._splits(place.owners[-1])
        )

    # Conjuncts, each with a value where it makes sense.

    def is_effect(self, number: int) -> bool:
        """Whether a conjunct is about the next state."""
        expr, place = self.found[number]
        domains = [each.domain for each in expr.bounds if each.domain is not None]
        judged = domains if expr.operator == "\\E" and expr.shape == "bind" else [expr]
        return any(
            self.query.levels.of_expression(each, place.scope, frozenset()) == Level.ACTION for each in judged
        )

    def is_constant(self, number: int) -> bool:
        """Whether a conjunct has the same value in all states, whatever is bound around it."""
        expr, place = self.found[number]
        known = all(place.scope.find(each.operator) for each in expr.walk() if each.is_name())
        return known and self.query.levels.of_expression(expr, place.scope) == Level.CONSTANT

    def _conjuncts(self, expr: Expression, place: CopyPlace) -> Iterator[Edit]:
        known = len(self._before)
        match expr:
            case Expression(shape="bind", operator="\\A", arguments=(body,)) if (
                self.fixed and self._is_list(body, place) and all(each.domain for each in expr.bounds)
            ):
                yield from self._conjuncts(body, self._enter(expr, place))
            case Expression(shape="apply", operator="=>", arguments=(condition, consequent)) if self.fixed:
                number, call = self._numbered(condition, place.module.excerpt(condition.span), place)
                self.conjuncts[number] = replace(self.conjuncts[number], role="condition")
                call = call.replace("!Try(", "!When(")[:-1]
                yield from wrapped(
                    condition.span, "(\\E tla2pyValue \\in {(", (), f")}} : {call}, tla2pyValue))"
                )
                yield from self._conjuncts(consequent, place)
            case _ if self._is_action_argument(expr, place):
                argument = place.arguments[expr.operator]
                there = replace(argument.place, path=place.path, owners=place.owners, calls=place.calls)
                argument.edits = list(self._conjuncts(argument.expr, there))
            case Expression(shape="apply") if self._takes_actions(expr, place):
                yield from self._opened_call(expr, place)
            case _:
                yield from ActionParts._conjuncts(self, expr, place)
        if expr.operator != "/\\" and expr.shape != "apply":
            del self._before[known:]

    def _is_action_argument(self, expr: Expression, place: CopyPlace) -> bool:
        """Return whether a formula is the first use of a parameter that stands for an action."""
        argument = place.arguments.get(expr.operator) if expr.is_name() else None
        if argument is None or argument.edits is not None:
            return False
        return self._stands_for_action(argument)

    def _is_given_action(self, name: str, place: CopyPlace) -> bool:
        """Return whether a name is a parameter that stands for an action."""
        return name in place.arguments and self._stands_for_action(place.arguments[name])

    def _stands_for_action(self, argument: Argument) -> bool:
        """Return whether an argument is an action, perhaps by the name of a parameter around it."""
        around = argument.place.arguments.get(argument.expr.operator) if argument.expr.is_name() else None
        if around is not None:
            return self._stands_for_action(around)
        return self._level_of(argument.expr, argument.place) == Level.ACTION

    def _is_list(self, expr: Expression, place: CopyPlace) -> bool:
        is_opened = expr.shape == "apply" and self._takes_actions(expr, place)
        return is_opened or ActionParts._is_list(self, expr, place)

    def _takes_actions(self, expr: Expression, place: CopyPlace) -> bool:
        """Return whether a formula is a definition that has actions as arguments."""
        return any(self._stands_for_action(each) for each in arguments_of(expr, place).values())

    def _opened_call(self, expr: Expression, place: CopyPlace) -> Iterator[Edit]:
        """Yield the edits of a call with actions as arguments, which are told where the definition uses them."""
        arguments = arguments_of(expr, place)
        depth = self._depth
        call = self._call(expr, place, arguments)
        edits: list[Edit] = []
        for argument in arguments.values():
            edits += argument.edits or ()
        if call is not None:
            edits.append(call)
        if not edits:
            self._depth = depth
            edits = list(self._reported(expr, place))
        yield from edits

    def _reported(self, expr: Expression, place: CopyPlace) -> Iterator[Edit]:
        variables = variables_of(place.scope)
        mentioned = dict.fromkeys(each.operator for each in expr.walk() if each.operator in variables)
        level = self._level_of(expr, place)
        primed = [f"{name}'" for name in mentioned] if self.fixed and level == Level.ACTION else []
        number, call = self._numbered(expr, place.module.excerpt(expr.span), place)
        opened, closed = self._unless([expr], number, place)
        stands = expr.is_name() and place.scope.find(expr.operator) is None
        if self.valued and (self.fixed or (level < Level.ACTION and not stands)):
            shown = replace(place, names=(*place.names, *mentioned, *primed))
            told = self._call_with("Holds", number, shown)
            end = f")}} : {told[:-1]}, tla2pyValue)){closed}"
            yield from wrapped(expr.span, f"{opened}(\\E tla2pyValue \\in {{(", (), end)
        else:
            call = self._call_with("Try", number, replace(place, names=(*place.names, *mentioned)))
            end = f") /\\ tla2pyTell!Pass({number}))){closed}"
            yield from wrapped(expr.span, f"{opened}({call} /\\ ((", (), end)

    def _call_with(self, operator: str, number: int, place: CopyPlace) -> str:
        if self.fixed:
            return f"tla2pyTell!{operator}({number}, {named_values(place.names)})"
        return ActionParts._call_with(self, operator, number, place)

    def _unless(self, parts: Sequence[Expression], number: int, place: CopyPlace) -> tuple[str, str]:
        depth = self.depths[number]
        self._before = [each for each in self._before if each[1] < depth]
        needs = frozenset[str]().union(*(_needs(each, place.scope, 0) for each in parts))
        risky = [str(before) for before, _, tests in self._before if tests & needs]
        expr, _ = self.found[number]
        if not self.is_effect(number) and expr.operator != "\\E":
            self._before.append((number, depth, _tests(expr, place.scope, 0)))
        if not risky:
            return "", ""
        opened = f"(IF tla2pyTell!Clear({{{', '.join(risky)}}}) THEN "
        return opened, f" ELSE tla2pyTell!Missed({number}))"


def _prefix_operator(expr: Expression, module: Module) -> str:
    """Return the operator that a formula begins with, as it is written: a negation has several spellings."""
    text = module.excerpt(expr.span)
    spellings = (expr.operator, "\\lnot", "\\neg")
    return next(each for each in spellings if text.startswith(each))


def _formulas(expr: Expression) -> frozenset[str]:
    """The names that are parts of a formula as they are."""
    own = frozenset({expr.operator} if expr.is_name() else ())
    return own.union(*map(_formulas, formula_parts(expr)))


def _takes_formulas(entity: Entity) -> bool:
    """Return whether a parameter of a definition is a part of its formula, as in ``Do(A) == A /\\ x = 1``."""
    return entity.body is not None and bool(_formulas(entity.body).intersection(entity.parameters))


def variables_of(scope: Scope) -> list[str]:
    """The variables of a module; in an instance some may stand for expressions."""
    own = {each.name for each in scope.module.variables}
    return [
        name
        for name, each in scope.names.items()
        if "!" not in name and (name in own or isinstance(each.declaration, Variable))
    ]


def _names(expr: Expression) -> frozenset[str]:
    return frozenset(
        each.operator for each in expr.walk() if each.shape == "apply" and each.operator[:1].isalpha()
    )


_PARTIAL = frozenset({"Head", "Tail", "SubSeq", "\\div", "%", "UNION"})
# Definitions are followed to this depth.
_DEEP = 6


def _needs(expr: Expression, scope: Scope, depth: int) -> frozenset[str]:
    """The names whose values an expression needs to be of some form: a record with a field, a function defined there."""
    found = frozenset[str]()
    for each in expr.walk():
        if each.operator in (".", "[]", "CHOOSE") or each.operator in _PARTIAL:
            found |= _names(each)
    return found | _below(expr, scope, depth, _needs)


def _tests(expr: Expression, scope: Scope, depth: int) -> frozenset[str]:
    """The names that a conjunct may test, so that what comes after it makes sense: all but those that are indices alone."""
    found = frozenset[str]()
    pending = [expr]
    while pending:
        each = pending.pop()
        if each.shape == "apply" and each.operator[:1].isalpha() and _followed(each, scope) is None:
            found |= {each.operator}
        elif _followed(each, scope) is not None:
            continue
        index = each.operator == "[]" and each.shape == "build"
        pending += [part for n, part in enumerate(each.children()) if not (index and n and part.is_name())]
    return found | _below(expr, scope, depth, _tests)


def _followed(expr: Expression, scope: Scope) -> Entity | None:
    """The definition that an expression applies."""
    entity = scope.find(expr.operator) if expr.shape == "apply" else None
    if entity is None or entity.body is None or entity.kind != "definition":
        return None
    return None if expr.operator in variables_of(scope) else entity


def _below(
    expr: Expression, scope: Scope, depth: int, of: Callable[[Expression, Scope, int], frozenset[str]]
) -> frozenset[str]:
    """What ``of`` finds in the definitions that an expression uses, in the terms of the expression."""
    found = frozenset[str]()
    for each in expr.walk() if depth < _DEEP else ():
        entity = _followed(each, scope)
        if entity is None or entity.body is None:
            continue
        inner = of(entity.body, entity.scope, depth + 1)
        found |= inner.intersection(variables_of(entity.scope))
        for name, part in zip(entity.parameters, each.arguments, strict=False):
            found |= _names(part) if name in inner else frozenset()
    return found


def _facts(action: Expression, subscript: str, module: Module) -> str:
    """The formula for whether an action is enabled to change something, whether a step takes it, and whether it is enabled."""
    # Nothing may stand to the left of a list of conjuncts around it.
    own = f"\n{module.padded(action.span)} "
    text = f"<<{own}>>_{subscript}"
    return f"<<ENABLED {text}, {text}, ENABLED ({own})>>"
