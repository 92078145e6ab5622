"""The implications in what a model checks, with what decides before TLC comes to them; and checks that cannot be FALSE."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TypeAlias

from tla2py.tla.graph import ModuleGraph
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Definition, Expression, Module, Span
from tla2py.tla.scope import Entity, Scope
from tla2py.tla.tree import deeply

# The level up to which the left side of an operator is an antecedent that TLC evaluates state by state.
_IMPLICATIONS = {"=>": Level.ACTION, "~>": Level.STATE}


Key: TypeAlias = tuple[str, Span]
"""What is equal for the same text: a module's name and a place in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """A part that TLC evaluates only where what is before it, or around it, does not decide.

    ``reason`` says what decided, if TLC came to the formula around this part and never to the part; it is empty for a
    temporal formula, which TLC does not evaluate from left to right. ``implied`` is the antecedent that was FALSE then, if
    that is what decided. An operator's arguments are not ``markable``: they may be operators themselves.
    """

    span: Span
    reason: str
    implied: Span | None = None
    markable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Antecedent:
    """The antecedent of an implication: its module's file, its span there, and the definition around it.

    TLC evaluates an antecedent with ``everywhere`` at each state that it checks. ``guards`` are the parts of the
    definition that this antecedent is inside of, the outermost first; ``entered`` is the definition's body as another one,
    None for what the config names.
    """

    module: Module
    span: Span
    definition: str
    everywhere: bool = False
    guards: tuple[Guard, ...] = ()
    entered: Guard | None = None

    @property
    def key(self) -> Key:
        """A key that is equal for the same text."""
        return self.module.name, self.span

    @property
    def markers(self) -> tuple[Guard, ...]:
        """The guards that tell how far TLC came, the outermost first; none if nothing decides before the antecedent."""
        entered = () if self.entered is None else (self.entered,)
        return (*entered, *self.guards) if self.guards else ()

    def find_decisive_guard(self, reported: Collection[Key], marked: Collection[Key]) -> Guard | None:
        """Return the guard at which TLC stopped each time, None if that is unknown.

        ``reported`` are the guards that it came to, of those that are ``marked``.
        """
        if not self.guards:
            return self.entered
        keys = [(self.module.name, guard.span) for guard in self.markers]
        came_to = [number for number, key in enumerate(keys) if key in reported]
        following = came_to[-1] + 1 if came_to else 0
        if following == len(keys):
            return None
        # What TLC did not come to although it came to all before; of a guard without a marker only the last is sure.
        sure = keys[following] in marked or following == len(keys) - 1
        return self.markers[following] if sure else None


class Reach(IntEnum):
    """How surely TLC evaluates a part of an invariant at a state."""

    SOMETIMES = 0
    ALWAYS = 1
    """At each state, whatever its value."""
    REQUIRED = 2
    """At each state, and the invariant is FALSE where this part is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Position:
    """Where a part of a check is: its scope, the definition that it is written in, and what is around it there.

    ``each_state`` is set in an invariant and in ``[]P``, but not in what TLC evaluates in the initial states alone, or
    along behaviours.
    """

    scope: Scope
    owner: Entity
    reach: Reach
    each_state: bool
    guards: tuple[Guard, ...] = ()
    entered: Guard | None = None

    def at(self, reach: Reach) -> _Position:
        """This position for a part that is evaluated as surely as ``reach`` says, at most as surely as before."""
        return replace(self, reach=min(self.reach, reach))


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticFinding:
    """A part of a check that is TRUE at every state or step of every behaviour: its place, what makes it so, and a hint."""

    module: Module
    span: Span
    definition: str
    reason: str
    hint: str

    @property
    def key(self) -> Key:
        """A key that is equal for the same text."""
        return self.module.name, self.span


@dataclass(slots=True)
class CheckReader:
    """Reads the definitions that a model checks, and all that they reach, for antecedents and for what cannot be FALSE.

    ``replaced`` are the definitions that the config replaces by others.
    """

    spec: ModuleGraph
    replaced: Mapping[str, str]
    antecedents: dict[Key, Antecedent] = field(default_factory=dict)
    always_true: dict[Key, StaticFinding] = field(default_factory=dict)
    _levels: Levels = field(init=False)
    _seen: set[Entity] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._levels = Levels(self.spec.resolver)

    @deeply
    def read(self, names: Iterable[str], *, invariants: bool) -> None:
        """Read what the root module defines as some invariants, or as some properties; other names are left out."""
        for name in names:
            entity = self._entity(name, self.spec.scope)
            if entity is not None:
                self._enter(entity, Reach.REQUIRED, each_state=invariants, named=True)

    def _entity(self, name: str, scope: Scope) -> Entity | None:
        """Return the meaning of a name; for ``Op!label``, a part of Op, that is Op."""
        if name in self.replaced:
            return self.spec.scope.find(self.replaced[name])
        while name and scope.find(name) is None:
            name = name.rpartition("!")[0]
        return scope.find(name) if name else None

    def _enter(self, entity: Entity, reach: Reach, *, each_state: bool, named: bool = False) -> None:
        """Read the body of a definition that is used where TLC evaluates it as surely as ``reach`` says."""
        declaration, body = entity.declaration, entity.body
        if body is None or entity in self._seen:
            return
        self._seen.add(entity)
        # The text of an instance's definition is about other variables, that of one with parameters about their values.
        plain = isinstance(declaration, Definition) and entity.kind == "definition" and not entity.parameters
        entered = None
        if not named:
            markable = self._levels.of_entity(entity) <= Level.ACTION
            reason = f"nothing that it evaluated uses {declaration.name}" if markable else ""
            entered = Guard(span=body.span, reason=reason, markable=markable)
        self._visit(
            body,
            _Position(
                scope=entity.scope,
                owner=entity,
                reach=reach if plain else Reach.SOMETIMES,
                each_state=each_state,
                entered=entered,
            ),
        )

    def _behind(
        self,
        part: Expression,
        position: _Position,
        reason: str,
        *,
        implied: Span | None = None,
        markable: bool = True,
    ) -> _Position:
        """Return the position of a part that TLC may pass over."""
        temporal = self._level(part, position) > Level.ACTION
        guard = Guard(
            span=part.span,
            reason="" if temporal else reason,
            implied=implied,
            markable=markable and not temporal,
        )
        return replace(position, reach=Reach.SOMETIMES, guards=(*position.guards, guard))

    def _module(self, position: _Position) -> Module | None:
        declaration = position.owner.declaration
        return self.spec.file_of(declaration) if isinstance(declaration, Definition) else None

    def _text(self, part: Expression, position: _Position) -> str:
        module = self._module(position)
        return module.excerpt(part.span) if module is not None else ""

    def _visit(self, expr: Expression, position: _Position) -> None:
        if expr.shape == "let":
            self._visit_let(expr, position)
        elif expr.shape == "bind":
            self._visit_binder(expr, position)
        elif expr.shape == "build":
            self._visit_construct(expr, position)
        elif expr.shape == "apply":
            self._visit_application(expr, position)

    def _visit_let(self, expr: Expression, position: _Position) -> None:
        inside = replace(position, scope=self.spec.resolver.let(position.scope, expr))
        for definition in expr.definitions:
            if definition.body is not None:
                reason = f"it used no {definition.name} of the LET"
                self._visit(definition.body, self._behind(definition.body, inside, reason))
        for instance in expr.instances:
            for substitution in instance.substitutions:
                reason = f"it used no {substitution.name} of the instance"
                self._visit(
                    substitution.value, self._behind(substitution.value, inside, reason, markable=False)
                )
        self._visit(expr.arguments[0], inside)

    def _visit_binder(self, expr: Expression, position: _Position) -> None:
        domains = [bound.domain for bound in expr.bounds if bound.domain is not None]
        for domain in domains:
            self._visit(domain, position.at(Reach.ALWAYS))
        if expr.operator == "LAMBDA":
            body = expr.arguments[0]
            self._visit(
                body, self._behind(body, position, "it did not apply the LAMBDA around it", markable=False)
            )
            return
        sets = " or ".join(self._text(domain, position) for domain in domains)
        reason = f"it looked at no element of {sets}" if domains else ""
        if domains and expr.operator in ("\\A", "\\E"):
            reason = f"{sets} was empty each time"
        elif expr.operator == "[|->]":
            reason = "it applied the function around it to no value"
        for body in expr.arguments:
            inside = self._behind(body, position, reason)
            if expr.operator == "\\A" and position.reach is Reach.REQUIRED:
                inside = replace(inside, reach=Reach.REQUIRED)
            self._visit(body, inside)

    def _visit_construct(self, expr: Expression, position: _Position) -> None:
        parts = expr.arguments
        if expr.operator == "IF":
            condition = self._text(parts[0], position)
            self._visit(parts[0], position.at(Reach.ALWAYS))
            self._visit(parts[1], self._behind(parts[1], position, f"{condition} was FALSE each time"))
            self._visit(parts[2], self._behind(parts[2], position, f"{condition} was TRUE each time"))
        elif expr.operator == "CASE":
            self._visit_case(expr, position)
        else:
            if expr.operator == "[]_" and position.reach is Reach.REQUIRED:
                self._check_subscript(expr, position)
            for part in parts:
                self._visit(part, position.at(Reach.SOMETIMES))

    def _visit_case(self, expr: Expression, position: _Position) -> None:
        guards, values = expr.arguments[::2], expr.arguments[1::2]
        for number, (guard, value) in enumerate(zip(guards, values, strict=True)):
            if number == 0:
                self._visit(guard, position.at(Reach.ALWAYS))
            else:
                self._visit(
                    guard, self._behind(guard, position, "it took an arm of the CASE before it each time")
                )
            self._visit(value, self._behind(value, position, "it took another arm of the CASE each time"))

    def _visit_application(self, expr: Expression, position: _Position) -> None:
        parts, operator = expr.arguments, expr.operator
        if len(parts) == 2 and operator in _IMPLICATIONS:
            self._visit_implication(expr, position)
        elif operator == "/\\":
            self._visit_list(parts, position, "FALSE")
        elif operator == "\\/":
            self._visit_list(parts, position.at(Reach.ALWAYS), "TRUE")
        elif operator in ("[]", "<>"):
            on_states = operator == "[]" and self._level(parts[0], position) <= Level.STATE
            each_state = on_states and position.reach is Reach.REQUIRED
            self._visit(parts[0], replace(position, each_state=each_state))
        elif operator == "ENABLED":
            if position.reach is Reach.REQUIRED:
                self._check_enabled(expr, position)
            self._visit(parts[0], position.at(Reach.SOMETIMES))
        else:
            self._visit_call(expr, position)

    def _visit_implication(self, expr: Expression, position: _Position) -> None:
        left, right = expr.arguments
        module = self._module(position)
        if module is not None and self._level(left, position) <= _IMPLICATIONS[expr.operator]:
            on_states = expr.operator == "=>" and self._level(expr, position) <= Level.STATE
            everywhere = on_states and position.each_state and position.reach is not Reach.SOMETIMES
            antecedent = Antecedent(
                module=module,
                span=left.span,
                definition=position.owner.declaration.name,
                everywhere=everywhere,
                guards=position.guards,
                entered=position.entered,
            )
            self.antecedents.setdefault(antecedent.key, antecedent)
        self._visit(left, position.at(Reach.ALWAYS))
        if expr.operator == "=>":
            reason = f"{self._text(left, position)} was FALSE each time"
            self._visit(right, self._behind(right, position, reason, implied=left.span))
        else:
            self._visit(right, position.at(Reach.SOMETIMES))

    def _visit_list(self, parts: Sequence[Expression], position: _Position, decisive: str) -> None:
        """Visit conjuncts, of which FALSE decides, or disjuncts, of which TRUE does."""
        self._visit(parts[0], position if decisive == "FALSE" else position.at(Reach.ALWAYS))
        for number, part in enumerate(parts[1:], 1):
            if decisive == "FALSE" and position.reach is Reach.REQUIRED:
                # Where the model holds, all conjuncts are TRUE.
                self._visit(part, position)
                continue
            before = f"{self._text(parts[0], position)}, before it,"
            if number > 1:
                before = (
                    f"one of the {number} {'conjuncts' if decisive == 'FALSE' else 'disjuncts'} before it"
                )
            self._visit(part, self._behind(part, position, f"{before} was {decisive} each time"))

    def _visit_call(self, expr: Expression, position: _Position) -> None:
        entity = self._entity(expr.operator, position.scope)
        for part in expr.arguments:
            if entity is None:
                self._visit(part, position.at(Reach.ALWAYS))
            else:
                reason = f"{expr.operator} did not evaluate it"
                self._visit(part, self._behind(part, position, reason, markable=False))
        # A definition in a LET was visited there.
        if entity is not None and not entity.enclosed:
            self._enter(entity, position.reach, each_state=position.each_state)

    def _level(self, expr: Expression, position: _Position) -> Level:
        return self._levels.of_expression(expr, position.scope)

    def _check_enabled(self, expr: Expression, position: _Position) -> None:
        """Note an ENABLED that a conjunct or the check itself is, of an action that nothing can disable."""
        unguarded = UnguardedAction(self.spec, self.replaced).find(expr.arguments[0], position.scope)
        if unguarded is not None:
            self._note(expr, position, unguarded, "name the actions that have to be enabled")

    def _check_subscript(self, expr: Expression, position: _Position) -> None:
        """Note ``[A]_e`` where no step changes e."""
        subscript = expr.arguments[1]
        if self._level(subscript, position) is Level.CONSTANT:
            reason = (
                f"no step changes {self._text(subscript, position)}, and [A]_e is TRUE where e stays as it is"
            )
            self._note(expr, position, reason, "write the variables as its subscript")

    def _note(self, expr: Expression, position: _Position, reason: str, hint: str) -> None:
        module = self._module(position)
        if module is not None:
            name = position.owner.declaration.name
            noted = StaticFinding(module=module, span=expr.span, definition=name, reason=reason, hint=hint)
            self.always_true.setdefault(noted.key, noted)


# Expressions with an element, whatever the constants are.
_NEVER_EMPTY = frozenset({"BOOLEAN", "Nat", "Int", "Real", "STRING"})


@dataclass(frozen=True, slots=True)
class UnguardedAction:
    """Finds, in an action, a part that is enabled in every state because nothing in it is a condition on the state."""

    spec: ModuleGraph
    replaced: Mapping[str, str]

    @deeply
    def find(self, action: Expression, scope: Scope) -> str | None:
        """Return why an action is always enabled, None if it is not, or not by its form."""
        return self._find(action, scope, "it", frozenset())

    def _find(self, expr: Expression, scope: Scope, name: str, inside: frozenset[Entity]) -> str | None:
        if expr.shape == "build" and expr.operator == "[]_":
            return "a step that changes nothing is enabled in every state"
        if expr.shape == "let":
            return self._find(expr.arguments[0], self.spec.resolver.let(scope, expr), name, inside)
        if expr.shape == "bind" and expr.operator == "\\E" and self._never_empty(expr):
            return self._find(expr.arguments[0], scope, name, inside)
        if expr.shape == "apply" and expr.operator == "\\/":
            found = (self._find(part, scope, name, inside) for part in expr.arguments)
            return next((reason for reason in found if reason is not None), None)
        entity = self._definition(expr, scope)
        if entity is not None and entity.body is not None and entity not in inside:
            return self._find(entity.body, entity.scope, entity.declaration.name, inside | {entity})
        if self._assigned(expr, scope, inside) is not None:
            return f"{name} has no guard, so it is enabled in every state"
        return None

    def _definition(self, expr: Expression, scope: Scope) -> Entity | None:
        entity = scope.find(expr.operator) if expr.shape == "apply" else None
        if entity is None or expr.operator in self.replaced or entity.kind != "definition":
            return None
        return entity

    @staticmethod
    def _never_empty(expr: Expression) -> bool:
        domains = [bound.domain for bound in expr.bounds]
        return all(
            domain is not None
            and (domain.operator in _NEVER_EMPTY or (domain.operator == "{}" and bool(domain.arguments)))
            for domain in domains
        )

    def _assigned(self, expr: Expression, scope: Scope, inside: frozenset[Entity]) -> frozenset[str] | None:
        """Return the variables to which a formula gives values and does nothing else; None if it may be FALSE."""
        if expr.shape != "apply":
            return None
        if expr.operator == "/\\":
            return self._assigned_by_all(expr.arguments, scope, inside)
        if expr.operator == "UNCHANGED":
            return self._variables(expr.arguments[0], scope)
        if expr.operator == "=":
            left, right = expr.arguments
            levels = Levels(self.spec.resolver)
            primed = left.shape == "apply" and left.operator == "'"
            if not primed or levels.of_expression(right, scope) > Level.STATE:
                return None
            variable = scope.named(left.arguments[0])
            return frozenset({left.arguments[0].operator}) if _is_variable(variable) else None
        entity = self._definition(expr, scope)
        if entity is not None and entity.body is not None and entity not in inside:
            return self._assigned(entity.body, entity.scope, inside | {entity})
        return None

    def _assigned_by_all(
        self, parts: Sequence[Expression], scope: Scope, inside: frozenset[Entity]
    ) -> frozenset[str] | None:
        variables = frozenset[str]()
        for part in parts:
            assigned = self._assigned(part, scope, inside)
            # Two values for one variable are a condition.
            if assigned is None or assigned & variables:
                return None
            variables |= assigned
        return variables

    def _variables(self, expr: Expression, scope: Scope) -> frozenset[str] | None:
        if expr.operator == "<<>>" and expr.shape == "build":
            parts = [self._variables(part, scope) for part in expr.arguments]
            known = [part for part in parts if part is not None]
            return frozenset[str]().union(*known) if len(known) == len(parts) else None
        entity = scope.named(expr)
        if _is_variable(entity):
            return frozenset({expr.operator})
        if entity is None or entity.kind != "definition" or entity.body is None:
            return None
        return self._variables(entity.body, entity.scope)


def _is_variable(entity: Entity | None) -> bool:
    return entity is not None and entity.kind == "variable"


def read_checks(
    spec: ModuleGraph, invariants: Iterable[str], properties: Iterable[str], replaced: Mapping[str, str]
) -> CheckReader:
    """Return what the definitions of some invariants and properties contain and reach."""
    reader = CheckReader(spec, replaced)
    reader.read(invariants, invariants=True)
    reader.read(properties, invariants=False)
    return reader


def sort_antecedents(reader: CheckReader) -> tuple[Antecedent, ...]:
    """Return the antecedents by module and place, of several at one place the outermost first."""
    return tuple(
        sorted(reader.antecedents.values(), key=lambda each: (each.module.name, *span_order(each.span)))
    )


def span_order(span: Span) -> tuple[int, int, int, int]:
    """Return what sorts spans by place, of several at one place the outermost first."""
    return span.begin_line, span.begin_column, -span.end_line, -span.end_column
