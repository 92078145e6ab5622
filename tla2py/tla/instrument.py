"""The engine that copies definitions so that TLC prints what it evaluates, or takes some steps alone.

Edits of module texts keep columns, because TLA+ ends a list of conjuncts by alignment.
"""

from __future__ import annotations

import contextlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from tla2py.errors import InputError
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Definition, Expression, Module, Span, blank
from tla2py.tla.parse import read_text
from tla2py.tla.scope import Entity, Resolver, Scope
from tla2py.tla.tree import deeply
from tla2py.tla.value import Value, format_value
from tla2py.tla.value_text import ValueTextError, parse_value


class Edit(NamedTuple):
    """Text to insert in place of ``removed`` characters; line and column count from 1."""

    line: int
    column: int
    text: str
    removed: int = 0


def edited(lines: Iterable[str], edits: Iterable[Edit], first: int = 1) -> list[str]:
    """Lines of a module, of which the first has the number ``first``, with the edits made.

    Of several edits at one place, the text of the first comes first. Spaces that a text ends with on a line of its own
    become as wide as what they stand below, where that has tabs.
    """
    changed = list(lines)
    for line, column, text, removed in sorted(edits, key=lambda each: (each.line, each.column))[::-1]:
        old = changed[line - first]
        body = text.rstrip(" ")
        if body.endswith("\n"):
            text = body + blank(old[: len(text) - len(body)])
        changed[line - first] = old[: column - 1] + text + old[column - 1 + removed :]
    return changed


def wrapped(span: Span, before: str, inside: Iterable[Edit], after: str) -> Iterator[Edit]:
    """The edits that put text around a span, and those ``inside`` it; what is in it and after it stays in its columns."""
    yield Edit(span.begin_line, span.begin_column, f"{before}\n{' ' * (span.begin_column - 1)}")
    yield from inside
    yield Edit(span.end_line, span.end_column + 1, f"{after}\n{' ' * span.end_column}")


def left_out(span: Span, instead: str) -> Iterator[Edit]:
    """The edits that put other text in the place of a span, which becomes a comment."""
    return wrapped(span, f"{instead} (*", (), "*)")


def between(module: Module, before: Span, after: Span, pattern: str, text: str) -> Edit:
    """The edit that replaces the first match of a pattern between the end of a span and the end of another."""
    lines = module.text.split("\n")
    for line in range(before.end_line, after.end_line + 1):
        column = before.end_column if line == before.end_line else 0
        code = re.sub(r"\\\*.*|\(\*.*?\*\)", lambda each: " " * len(each[0]), lines[line - 1][column:])
        if found := re.search(pattern, code):
            return Edit(line, column + found.start() + 1, text, len(text))
    raise InputError(
        "not-confirmable", f"{module.excerpt(before)} cannot be taken apart", hint="write it on one line"
    )


def edited_with(text: str, edits: Iterable[Edit], printer: str, place: tuple[int, int]) -> str:
    """The text of a module with edits that use the operators of the module ``printer``, as ``tla2pyTell!Operator``.

    ``place`` is where a definition begins, before all edits.
    """
    line, column = place
    tell = Edit(line, column, f"LOCAL tla2pyTell == INSTANCE {printer}\n{' ' * (column - 1)}")
    return "\n".join(edited(text.split("\n"), [tell, *edits]))


def named_values(names: Iterable[str]) -> str:
    """The arguments of a printer's operator that are a tuple of names and one of their values."""
    names = tuple(names)
    quoted = ", ".join(f'"{name}"' for name in names)
    return f"<<{quoted}>>, <<{', '.join(names)}>>"


Binding: TypeAlias = tuple[tuple[str, str], ...]
"""Names and the values that they are bound to, as TLA+ text."""


def printed_tuples(output: str, tag: str = "tla2py: ") -> Iterator[Value]:
    """The tuples that a further run printed, which begin with a tag; TLC breaks long ones into lines."""
    pending = ""
    # Strings may hold what splitlines() takes for the end of a line.
    for line in output.split("\n"):
        if line.startswith((f'<<"{tag}', f'<< "{tag}')):
            pending = line
        elif pending:
            pending += "\n" + line
        with contextlib.suppress(ValueTextError):
            if pending.endswith(">>"):
                yield parse_value(pending)
                pending = ""


def bound(names: Iterable[Value], values: Iterable[Value]) -> Binding:
    """The binding that a further run printed as a tuple of names and one of values."""
    return tuple(zip(map(str, names), map(format_value, values), strict=True))


Role = Literal["conjunct", "condition", "part", "body"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conjunct:
    """A part of an invariant.

    It is a conjunct, the condition of an implication, IF or CASE, or at a greater ``depth`` a part of the conjunct before
    it: of a disjunction or a negation, or the body of a quantifier. ``decisive`` is the value that counts if it has several,
    one for each binding. ``unbound`` are the names of a ``\\E``: if it is FALSE, none of their values is to blame.
    ``definition`` is the name of the definition that it is written in, ``line`` and ``column`` its place in the user's
    module.
    """

    text: str
    role: Role
    definition: str
    module: str
    line: int
    column: int
    depth: int = 0
    decisive: bool = False
    unbound: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Module, line and column."""
        return f"{self.module}:{self.line}:{self.column}"


_DEEPEST = 20


@dataclass(slots=True)
class Argument:
    """An argument of the call of a copied definition; ``edits`` are its changes once it has been copied."""

    expr: Expression
    place: CopyPlace
    edits: list[Edit] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyPlace:
    """Where an expression is: its scope and module, and the names of the definitions that lead to it.

    ``owners`` are these definitions, ``calls`` the texts of their calls, empty where no argument is an action.
    ``names`` are bound around it, ``arguments`` are those of the last call, by parameter. ``depth`` is the number
    of conjuncts and parts that it is inside of, ``positive`` whether an even number of negations is around it.
    """

    scope: Scope
    module: Module
    path: tuple[str, ...]
    owners: tuple[Entity, ...] = ()
    calls: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    depth: int = 0
    positive: bool = True

    def conjunct(self, expr: Expression, role: Role, *, text: str = "", **more: Any) -> Conjunct:
        """An expression at this place as a conjunct."""
        return Conjunct(
            text=text or self.module.excerpt(expr.span),
            role=role,
            definition=self.path[-1],
            module=self.module.name,
            line=self.module.line(expr.span.begin_line),
            column=expr.span.begin_column,
            **more,
        )


class CopySubject(Protocol):
    """Modules, parsed and as texts by file name, and the definitions that the config replaces. Copies change the texts."""

    spec: ModuleGraph
    levels: Levels
    modules: dict[str, str]
    replaced: dict[str, str]


@dataclass(slots=True)
class DefinitionCopy(ABC):
    """The copy of a definition and of those that it is made of, changed; ``root`` is its name.

    The changed text may use the operators of the module ``printer``, as ``tla2pyTell!Operator``. A copy ``beside``
    others goes into the same modules, and uses the same printer.
    """

    query: CopySubject
    name: str
    printer: str
    root: str = ""
    beside: list[DefinitionCopy] = field(default_factory=list, kw_only=True)
    _copies: int = 0
    _inserted: dict[str, list[Edit]] = field(default_factory=dict)
    _originals: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._originals = dict(self.query.modules)
        if self.beside:
            other = self.beside[-1]
            self._originals, self._inserted, self._copies = other._originals, other._inserted, other._copies
        self.beside.append(self)
        self._take()

    @property
    def inserted(self) -> dict[str, list[Edit]]:
        """The definitions of this copy and of those beside it, by module, as edits of the original texts."""
        return self._inserted

    @deeply
    def _take(self) -> None:
        spec = self.query.spec
        top = CopyPlace(scope=spec.scope, module=spec.modules[0], path=())
        self.root = self._copy(spec.scope.names[self.name], top) or self.name
        for module in spec.modules:
            edits = self._inserted.get(module.name, [])
            if edits:
                file, first = f"{module.name}.tla", min((each.line, each.column) for each in edits)
                self.query.modules[file] = edited_with(self._originals[file], edits, self.printer, first)

    def _copy(
        self,
        entity: Entity,
        place: CopyPlace,
        call: str = "",
        arguments: Mapping[str, Argument] | None = None,
    ) -> str | None:
        """Return the name of the copy of a definition used at a place; None if there is nothing to change.

        ``call`` is its call where an argument is an action, ``arguments`` are those of the call.
        """
        definition, body = entity.declaration, entity.body
        if not isinstance(definition, Definition) or body is None or len(place.path) > _DEEPEST:
            return None
        if entity.enclosed or definition.recursive or definition.kind != "operator":
            return None
        module = next((each for each in self.query.spec.modules if each.name == definition.module), None)
        if module is None or f"{module.name}.tla" not in self.query.modules:
            return None
        head = re.match(rf"(?:LOCAL\s+)?{re.escape(definition.name)}\s*(\([^=]*\))?\s*==", definition.text)
        if head is None:
            return None
        span, parameters = body.span, head[1] or ""
        # An operator is not a value.
        values = (each for each in definition.parameters if not re.search(rf"\b{each}\s*\(", parameters))
        there = replace(
            place,
            scope=entity.scope,
            module=module,
            path=(*place.path, definition.name),
            owners=(*place.owners, entity),
            calls=(*place.calls, call),
            names=tuple(values),
            arguments=arguments or {},
        )
        edits = list(self._edits(body, there))
        if not edits:
            return None
        self._copies += 1
        name = f"tla2pyCopy{self._copies}"
        text = "\n".join(edited(module.padded(span).split("\n"), edits, span.begin_line))
        line, column = definition.span.begin_line, definition.span.begin_column
        edit = Edit(line, column, f"{name}{parameters} ==\n{text}\n{' ' * (column - 1)}")
        self._inserted.setdefault(module.name, []).append(edit)
        return name

    @abstractmethod
    def _edits(self, expr: Expression, place: CopyPlace) -> Iterator[Edit]:
        """The changes of an expression."""

    def _enter(self, expr: Expression, place: CopyPlace) -> CopyPlace:
        """The place inside a LET, or an expression that binds names."""
        if expr.shape == "let":
            return replace(place, scope=self.query.spec.resolver.let(place.scope, expr))
        return replace(place, names=(*place.names, *(name for each in expr.bounds for name in each.names)))

    def _level_of(self, expr: Expression, place: CopyPlace) -> Level:
        return self.query.levels.of_expression(expr, place.scope, frozenset(place.names))

    def _call(
        self, expr: Expression, place: CopyPlace, arguments: Mapping[str, Argument] | None = None
    ) -> Edit | None:
        """Return the edit that calls the copy of a definition; None if the expression is no such call.

        ``arguments`` are those of the call, by parameter, where some are actions.
        """
        entity = place.scope.find(expr.operator) if expr.shape == "apply" else None
        # A model may replace a definition by another.
        if entity is None or expr.operator in self.query.replaced:
            return None
        line, column = expr.span.begin_line, expr.span.begin_column
        text = place.module.text.split("\n")[line - 1][column - 1 :]
        written = re.match(rf"{re.escape(expr.operator)}(?![\w!])", text)
        call = ""
        if arguments is None:
            arguments = arguments_of(expr, place)
        else:
            call = " ".join(place.module.excerpt(expr.span).split())
        copy = self._copy(entity, place, call, arguments) if written else None
        if copy is None:
            return None
        own = expr.operator.rpartition("!")[2]
        begin, end = column + len(expr.operator) - len(own), column + len(expr.operator)
        return Edit(line, begin, f"{copy}\n{' ' * (end - 1)}", len(own))


def arguments_of(expr: Expression, place: CopyPlace) -> dict[str, Argument]:
    """Return the arguments of a call of a definition, by parameter."""
    entity = place.scope.find(expr.operator) if expr.shape == "apply" else None
    if entity is None or len(entity.parameters) != len(expr.arguments):
        return {}
    pairs = zip(entity.parameters, expr.arguments, strict=True)
    return {name: Argument(argument, place) for name, argument in pairs}


@dataclass(slots=True)
class ActionParts(DefinitionCopy):
    """The copy of a formula that takes steps of ``action`` alone, or all its steps if it is None.

    ``conjuncts`` are the action's in the order of their numbers, ``depths`` how many come before each on its path,
    ``found`` the expressions with their places.
    ``tells`` are the places of further definitions that report their parameters, with ``Args`` also at their beginning.
    TLC tries a conjunct for each binding for which all before it are possible: what it reports for a conjunct is
    ``ENABLED (K1 /\\ ... /\\ Kk)``, without a copy of the action for each prefix.
    """

    action: str | None = field(kw_only=True)
    tells: Callable[[CopyPlace], bool] = field(default=lambda _: False, kw_only=True)
    conjuncts: list[Conjunct] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    found: list[tuple[Expression, CopyPlace]] = field(default_factory=list)
    _depth: int = 0
    _numbers: dict[tuple[Conjunct, tuple[str, ...], int], int] = field(default_factory=dict)

    def _edits(self, expr: Expression, place: CopyPlace) -> Iterator[Edit]:
        parts = self._conjuncts(expr, place)
        if place.names and self.tells(place):
            call = f'tla2pyTell!Args({self._depth}, "{place.path[-1]}", {named_values(place.names)})'
            parts = wrapped(expr.span, f"({call} /\\ (", parts, "))")
        yield from parts

    def _conjuncts(self, expr: Expression, place: CopyPlace) -> Iterator[Edit]:
        match expr:
            case Expression(shape="apply", operator="/\\"):
                # What is beside the action, as in Guard /\ (A \/ B), has to be possible as well.
                for each in expr.arguments:
                    yield from self._conjuncts(each, place)
            case Expression(shape="let", arguments=(body,)) if self._opens(expr, place):
                yield from self._conjuncts(body, self._enter(expr, place))
            case Expression(shape="bind", operator="\\E", arguments=(body,)) if self._opens(expr, place):
                # A set may be empty.
                ranges = (
                    f"{', '.join(each.names)} \\in {place.module.excerpt(each.domain.span)}"
                    for each in expr.bounds
                    if each.domain is not None
                )
                number, call = self._numbered(expr, f"\\E {', '.join(ranges)}", place)
                inside = self._enter(expr, place)
                bound = self._call_with("Bound", number, inside)
                domains = [each.domain for each in expr.bounds if each.domain is not None]
                opened, closed = self._unless(domains, number, place)
                parts = wrapped(body.span, f"({bound} /\\ (", self._conjuncts(body, inside), "))")
                yield from wrapped(expr.span, f"{opened}({call} /\\ (", parts, f")){closed}")
            case (
                Expression(shape="apply", operator="\\/", arguments=branches)
                | Expression(shape="build", operator="IF", arguments=(_, *branches))
            ) if self._opens(expr, place):
                start, ends, leading = self._depth, [], self._leads(expr, place)
                for each in branches:
                    self._depth = start
                    if leading and not self._leads(each, place):
                        yield from wrapped(each.span, "(tla2pyTell!Never /\\ (", (), "))")
                    else:
                        yield from self._conjuncts(each, place)
                    ends.append(self._depth)
                self._depth = max(ends)
            case _:
                called = self._call(expr, place) if self._opens(expr, place) else None
                yield from [called] if called else self._reported(expr, place)

    def _opens(self, expr: Expression, place: CopyPlace) -> bool:
        return self._leads(expr, place) or self._is_list(expr, place)

    def _leads(self, expr: Expression, place: CopyPlace) -> bool:
        """Whether a formula around the action can take a step of it."""
        resolver = self.query.spec.resolver
        around = self.action is not None and self.action not in place.path
        return around and leads(expr, self.action or "", place.scope, resolver)

    def _is_list(self, expr: Expression, place: CopyPlace) -> bool:
        """Whether a formula is more than one conjunct, or describes the step below quantifiers or disjunctions."""
        level = self._level_of(expr, place)
        if level == Level.CONSTANT:
            # TLC evaluates it once, before all states.
            return False
        match expr:
            case Expression(shape="apply", operator="/\\"):
                return True
            case Expression(shape="let", arguments=(body,)):
                return self._is_list(body, self._enter(expr, place))
            case (
                Expression(shape="bind", operator="\\E")
                | Expression(shape="apply", operator="\\/")
                | Expression(shape="build", operator="IF")
            ):
                return level == Level.ACTION
            case Expression(shape="apply"):
                entity = place.scope.find(expr.operator)
                if entity is None or entity.body is None or entity.kind != "definition":
                    return False
                if getattr(entity.declaration, "recursive", False):
                    return False
                return self._is_list(entity.body, replace(place, scope=entity.scope, names=entity.parameters))
        return False

    def _reported(self, expr: Expression, place: CopyPlace) -> Iterator[Edit]:
        """The edits that make a conjunct report that TLC tries it, and that it is possible."""
        number, call = self._numbered(expr, place.module.excerpt(expr.span), place)
        yield from wrapped(expr.span, f"({call} /\\ ((", (), f") /\\ tla2pyTell!Pass({number})))")

    def _unless(self, parts: Sequence[Expression], number: int, place: CopyPlace) -> tuple[str, str]:  # noqa: ARG002
        """Text around a conjunct that leaves it out where these parts of it may have no value."""
        return "", ""

    def _numbered(self, expr: Expression, text: str, place: CopyPlace) -> tuple[int, str]:
        """The number of a conjunct, and the call that reports that TLC tries it."""
        conjunct = place.conjunct(expr, "conjunct", text=text)
        # The next-state relation may name the action several times.
        number = self._numbers.setdefault((conjunct, place.path, self._depth), len(self.conjuncts))
        if number == len(self.conjuncts):
            self.conjuncts.append(conjunct)
            self.depths.append(self._depth)
            self.found.append((expr, place))
        self._depth += 1
        return number, self._call_with("Try", number, place)

    def _call_with(self, operator: str, number: int, place: CopyPlace) -> str:
        """The call of a printer's operator with the values of the names bound around a place."""
        # The parameters of a definition below the action may make no sense, or read primed variables too early.
        entity = place.scope.find(place.path[-1])
        told = place.path[-1] == self.action or entity is None or self.tells(place)
        hidden = () if told or entity is None else self._hidden(entity, number, operator, place)
        shown = named_values(name for name in place.names if name not in hidden)
        return f"tla2pyTell!{operator}({number}, {shown})"

    def _hidden(self, entity: Entity, number: int, operator: str, place: CopyPlace) -> list[str]:
        """Return the parameters of a definition whose values are not told with a conjunct of it.

        A value is told with that of a conjunct which reads it, where the argument is about a state.
        """
        expr, _ = self.found[number]
        mentioned = {part.operator for part in expr.walk() if part.is_name()}
        hidden = []
        for name in entity.parameters:
            argument = place.arguments.get(name)
            is_read = operator == "Holds" and argument is not None and name in mentioned
            if (
                not is_read
                or argument is None
                or self._level_of(argument.expr, argument.place) >= Level.ACTION
            ):
                hidden.append(name)
        return hidden


def leads(expr: Expression, action: str, scope: Scope, resolver: Resolver) -> bool:
    """Return whether a formula can take a step of a definition of some name."""

    def is_action(used: Expression, _: Entity) -> bool:
        return used.operator.rpartition("!")[2] == action

    return leads_to(expr, is_action, scope, resolver)


def leads_to(
    expr: Expression,
    is_action: Callable[[Expression, Entity], bool],
    scope: Scope,
    resolver: Resolver,
    above: tuple[Entity, ...] = (),
) -> bool:
    """Return whether a formula can take a step of an action, which ``is_action`` recognizes.

    ``above`` are the definitions that the formula is part of.
    """
    entity = scope.find(expr.operator) if expr.shape == "apply" else None
    if entity is not None and entity not in above:
        if is_action(expr, entity):
            return True
        if entity.kind == "definition" and entity.body is not None:
            return leads_to(entity.body, is_action, entity.scope, resolver, (*above, entity))
    inside = resolver.let(scope, expr) if expr.shape == "let" else scope
    return any(leads_to(part, is_action, inside, resolver, above) for part in formula_parts(expr))


def splits(expr: Expression, scope: Scope, resolver: Resolver, levels: Levels) -> bool:
    """Whether an action is only a choice among others: one, or a disjunction of them, perhaps below quantifiers."""
    match expr:
        case Expression(shape="bind", operator="\\E", arguments=(body,)):
            return splits(body, scope, resolver, levels)
        case Expression(shape="let", arguments=(body,)):
            return splits(body, resolver.let(scope, expr), resolver, levels)
        case Expression(shape="apply", operator="\\/", arguments=parts):
            return all(splits(each, scope, resolver, levels) for each in parts)
        case Expression(shape="apply", operator=name):
            used = scope.find(name)
            if used is None or used.kind != "definition":
                return False
            # An operator such as Do(A) may be an action only by its arguments.
            arguments = (levels.of_expression(argument, scope) for argument in expr.arguments)
            return Level.ACTION in (levels.of_entity(used), *arguments)
    return False


def formula_parts(expr: Expression) -> tuple[Expression, ...]:
    """The parts of a formula that may take a step."""
    match expr.shape, expr.operator:
        case "build", "IF":
            return expr.arguments[1:]
        case ("let", _) | (_, "\\E") | ("apply", "/\\" | "\\/"):
            return expr.arguments
    return ()


def with_definitions(spec: ModuleGraph, texts: Sequence[str]) -> ModuleGraph:
    """The graph with definitions of expressions at its root, each by its text; their places are not in the root's text."""
    if not texts:
        return spec
    root = spec.root
    read = ((text, read_text(f"---- MODULE X ----\nX ==\n{text}\n====\n").definitions[0]) for text in texts)
    own = (replace(each, name=text, module=root.name) for text, each in read)
    root = replace(root, definitions=(*root.definitions, *own))
    modules = tuple(root if each is spec.root else each for each in spec.modules)
    return replace(spec, root=root, modules=modules)
