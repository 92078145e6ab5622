"""What a VIEW hides: TLC takes states with equal views for the same state, and looks at the first that it finds only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tla2py.lint.definitions import is_temporal
from tla2py.lint.subject import Subject, finding, keyword_of, rule, steps
from tla2py.model.finding import Finding, Severity
from tla2py.tla.graph import ModuleGraph, ScopedExpression, find_bodies
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Expression
from tla2py.tla.scope import Scope
from tla2py.tla.tree import deeply

VIEW_LIVENESS = "view-liveness"
VIEW_HIDES = "view-hides"
_CHECKED = ("invariants", "properties", "possible")
_CONSTRAINED = ("constraints", "action_constraints")


@rule(Severity.WARNING, VIEW_LIVENESS, VIEW_HIDES)
def views(subject: Subject) -> Iterator[Finding]:
    """TLC misses what holds in a state that it takes for another one, and reports nothing."""
    for view in subject.of("view"):
        for spec in subject.specs:
            hidden = hidden_variables(view.name, spec)
            if not hidden:
                continue
            for name in dict.fromkeys(mention.name for mention in subject.of("properties")):
                if is_temporal(name, spec):
                    message = f"with VIEW {view.name} TLC may miss a violation of liveness, or report a false one: {name}"
                    hint = "check liveness in a config without VIEW"
                    yield finding(VIEW_LIVENESS, view.place, message, hint, name)
            # A simulation looks at every state, whatever its view.
            if subject.mode != "check":
                continue
            for read in _hidden_reads(subject, spec, hidden):
                variables = ", ".join(sorted(read.variables))
                message = (
                    f"{read.name} reads {variables}, which VIEW {view.name} does not list: {read.effect}"
                )
                hint = f"list {variables} in {view.name}, or compare with a config without VIEW"
                yield finding(VIEW_HIDES, view.place, message, hint, read.name)


@deeply
def hidden_variables(view: str, spec: ModuleGraph) -> frozenset[str]:
    """Return the variables that a view does not list; none if the module does not define the view.

    A view lists a variable that it is, or that stands alone in its tuple or record, perhaps within further ones or by the
    name of a definition. It may determine others, as by ``x + 1``, which is not known here.
    """
    listed: set[str] = set()
    pending = [_Part(each.expr, each.scope) for each in find_bodies(spec, [view])]
    if not pending:
        return frozenset()
    while pending:
        part = pending.pop()
        variable = _variable_of(part)
        if variable is not None:
            listed.add(variable)
        elif part.expr.shape == "build" and part.expr.operator in ("<<>>", "record"):
            pending += [replace(part, expr=each) for each in part.expr.arguments]
        elif part.expr.shape == "let":
            scope = spec.resolver.let(part.scope, part.expr)
            pending.append(_Part(part.expr.arguments[0], scope))
        else:
            entity = part.scope.named(part.expr)
            if entity is not None and entity.body is not None and not entity.parameters:
                pending.append(_Part(entity.body, entity.scope))
    return frozenset(variable.name for variable in spec.variables) - listed


@dataclass(frozen=True, slots=True, kw_only=True)
class _HiddenRead:
    """Hidden variables that a definition reads; ``effect`` says what TLC then does."""

    name: str
    variables: frozenset[str]
    effect: str


def _hidden_reads(subject: Subject, spec: ModuleGraph, hidden: frozenset[str]) -> Iterator[_HiddenRead]:
    """Yield what reads hidden variables: checks, constraints, and the relation that says which steps there are."""
    replaced = {name: frozenset({by}) for name, by in subject.config.replacing_names.items()}
    reader = _VariableReader(spec, {**replaced, **subject.replaced})
    for mention in subject.of(*_CHECKED):
        read = reader.read_by_name(mention.name) & hidden
        if read and not (mention.key == "properties" and is_temporal(mention.name, spec)):
            effect = "among states with the same view, TLC checks only the first that it finds"
            yield _HiddenRead(name=mention.name, variables=read, effect=effect)
    for mention in subject.of(*_CONSTRAINED):
        if read := reader.read_by_name(mention.name) & hidden:
            keyword = keyword_of(mention.key)
            effect = f"which states {keyword} leaves out depends on the order in which TLC finds them"
            yield _HiddenRead(name=mention.name, variables=read, effect=effect)
    yield from _hidden_guards(subject, spec, reader, hidden)


@deeply
def _hidden_guards(
    subject: Subject, spec: ModuleGraph, reader: _VariableReader, hidden: frozenset[str]
) -> Iterator[_HiddenRead]:
    """Yield the next-state relations in which hidden variables decide more than their own next values."""
    effect = "TLC explores only one of the states with the same view, so it may miss states, violations and deadlocks"
    for mention in subject.of("next", "specification"):
        for relation in _relations(mention.key, mention.name, spec):
            deciding = _DecidingParts(spec, hidden)
            read: set[str] = set()
            for part in deciding.of_relation(_Part(relation.expr, relation.scope)):
                read |= reader.read(part) & hidden
            if read:
                own = relation.scope.named(relation.expr)
                name = mention.name if own is None else relation.expr.operator
                yield _HiddenRead(name=name, variables=frozenset(read), effect=effect)


def _relations(key: str, name: str, spec: ModuleGraph) -> Iterator[ScopedExpression]:
    """Yield the next-state relation of that name, or those of a specification: A of each [][A]_v."""
    if key == "next":
        for relation in find_bodies(spec, [name]):
            # Its name, rather than its body, says what it is.
            yield ScopedExpression(expr=_name_of(name, relation.expr), scope=spec.scope)
        return
    for each in steps(spec, name):
        boxed = each.expr.arguments[0] if each.expr.operator == "[]" and each.expr.arguments else None
        if boxed is not None and boxed.operator == "[]_":
            yield ScopedExpression(expr=boxed.arguments[0], scope=each.scope, owner=each.owner)


def _name_of(name: str, at: Expression) -> Expression:
    return Expression(shape="apply", operator=name, span=at.span)


@dataclass(frozen=True, slots=True)
class _Part:
    """An expression, the scope of its names, and the names that are bound around it.

    Within ENABLED the next values of variables are chosen, not read.
    """

    expr: Expression
    scope: Scope
    bound: frozenset[str] = frozenset()
    enabled: bool = False

    def inside(self, expr: Expression) -> _Part:
        """Return a part of this one, in which the names are bound that this one binds."""
        names: set[str] = set()
        for bound in self.expr.bounds:
            names.update(bound.names)
        return replace(self, expr=expr, bound=self.bound | names)


def _variable_of(part: _Part) -> str | None:
    """Return the variable that an expression is the bare name of, perhaps through an instance; None for any other."""
    entity = part.scope.named(part.expr)
    if entity is None or part.expr.operator in part.bound:
        return None
    if entity.kind == "variable":
        return entity.declaration.name
    if entity.kind == "substituted" and entity.body is not None:
        return _variable_of(_Part(entity.body, entity.scope))
    return None


class _VariableReader:
    """Finds the variables that expressions read, also through definitions, instances and what a config puts in their place.

    ``replaced`` maps a name to the names in what takes its place.
    """

    def __init__(self, spec: ModuleGraph, replaced: Mapping[str, frozenset[str]]) -> None:
        self._spec = spec
        self._replaced = replaced

    @deeply
    def read_by_name(self, name: str) -> frozenset[str]:
        """Return the variables that a definition of the root reads."""
        read: set[str] = set()
        for each in (name, *self._replaced.get(name, ())):
            for root in find_bodies(self._spec, [each]):
                read |= self.read(_Part(root.expr, root.scope))
        return frozenset(read)

    def read(self, part: _Part) -> frozenset[str]:
        """Return the variables that an expression reads, in the state or in the next one."""
        read: set[str] = set()
        seen: set[object] = set()
        pending = [part]
        while pending:
            part = pending.pop()
            expr, scope = part.expr, part.scope
            if expr.shape == "apply" and expr.operator == "'" and part.enabled:
                continue
            if expr.shape == "apply" and expr.operator == "ENABLED":
                part = replace(part, enabled=True)
            if expr.shape == "let":
                # Its definitions are read where they are used.
                pending.append(
                    replace(part, expr=expr.arguments[0], scope=self._spec.resolver.let(scope, expr))
                )
                continue
            pending += [part.inside(child) for child in expr.children()]
            if expr.shape != "apply" or expr.operator in part.bound:
                continue
            for used in self._used(part):
                entity = used.entity
                if entity is None or (entity, part.enabled) in seen:
                    continue
                seen.add((entity, part.enabled))
                if entity.kind == "variable":
                    read.add(entity.declaration.name)
                elif entity.body is not None:
                    around = part.bound if entity.enclosed else frozenset()
                    bound = around.union(entity.parameters)
                    pending.append(_Part(entity.body, entity.scope, bound, part.enabled))
        return frozenset(read)

    def _used(self, part: _Part) -> Iterator[ScopedExpression]:
        """Yield what an applied name refers to, and what the config puts in its place."""
        yield ScopedExpression(expr=part.expr, scope=part.scope)
        for name in self._replaced.get(part.expr.operator.rpartition("!")[2], ()):
            yield ScopedExpression(expr=_name_of(name, part.expr), scope=self._spec.scope)


class _DecidingParts:
    """Finds the parts of a next-state relation that decide which steps there are, and how they change listed variables.

    What only gives hidden variables their next values is none: it decides nothing that TLC looks at.
    """

    def __init__(self, spec: ModuleGraph, hidden: frozenset[str]) -> None:
        self._spec = spec
        self._hidden = hidden
        self._levels = Levels(spec.resolver)
        self._seen: set[object] = set()

    def of_relation(self, part: _Part) -> Iterator[_Part]:
        """Yield the parts of an action."""
        expr = part.expr
        if self._is_update(part) or (expr.shape == "apply" and expr.operator == "UNCHANGED"):
            return
        match expr.shape, expr.operator:
            case ("apply", "/\\" | "\\/"):
                for each in expr.arguments:
                    yield from self.of_relation(part.inside(each))
            case ("bind", "\\E"):
                for bound in expr.bounds:
                    if bound.domain is not None:
                        yield part.inside(bound.domain)
                yield from self.of_relation(part.inside(expr.arguments[0]))
            case ("let", _):
                scope = self._spec.resolver.let(part.scope, expr)
                yield from self.of_relation(replace(part, expr=expr.arguments[0], scope=scope))
            case ("build", "IF"):
                condition, *branches = expr.arguments
                yield part.inside(condition)
                for each in branches:
                    yield from self.of_relation(part.inside(each))
            case ("build", "CASE"):
                for condition in expr.arguments[::2]:
                    yield part.inside(condition)
                for each in expr.arguments[1::2]:
                    yield from self.of_relation(part.inside(each))
            case _:
                yield from self._of_call(part)

    def _of_call(self, part: _Part) -> Iterator[_Part]:
        """Yield the parts of an action that is applied by its name; anything else is a part as a whole."""
        entity = part.scope.find(part.expr.operator) if part.expr.shape == "apply" else None
        is_bound = part.expr.operator in part.bound
        if entity is None or is_bound or entity.body is None or self._levels.of_entity(entity) < Level.ACTION:
            yield part
            return
        for argument in part.expr.arguments:
            yield part.inside(argument)
        if entity in self._seen:
            return
        self._seen.add(entity)
        around = part.bound if entity.enclosed else frozenset()
        yield from self.of_relation(_Part(entity.body, entity.scope, around.union(entity.parameters)))

    def _is_update(self, part: _Part) -> bool:
        """Return whether an expression is always possible and only gives hidden variables their next values."""
        expr = part.expr
        match expr.shape, expr.operator:
            case ("apply", "/\\"):
                return all(self._is_update(part.inside(each)) for each in expr.arguments)
            case ("build", "IF"):
                return all(self._is_update(part.inside(each)) for each in expr.arguments[1:])
            case ("apply", "="):
                left = expr.arguments[0]
                primed = left.operator == "'" and left.shape == "apply"
                return primed and _variable_of(part.inside(left.arguments[0])) in self._hidden
            case ("apply", "UNCHANGED"):
                reader = _VariableReader(self._spec, {})
                return reader.read(part.inside(expr.arguments[0])) <= self._hidden
        return False
