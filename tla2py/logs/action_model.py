"""The ways through a next-state relation to its actions, each as a formula of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tla2py.errors import InputError
from tla2py.model.model import Config
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.instrument import formula_parts
from tla2py.tla.levels import Level, Levels, temporal_parts
from tla2py.tla.module import Definition, Expression, Span, standard_module_of
from tla2py.tla.scope import Entity, Scope
from tla2py.tla.tree import deeply

_NUMBERS = frozenset({"Naturals", "Integers", "Reals"})


NEW = "tla2py"
"""The text of an expression that is a name of the root, and not a part of a module."""


class HiddenError(Exception):
    """A part uses names that the module that extends the root cannot see."""


class Source:
    """Copies of parts of a specification's modules, with the names that they have below the root."""

    def __init__(self, spec: ModuleGraph) -> None:
        self.spec = spec
        self._extended = {each.module for module in spec.extended for each in module.extends}
        self.needed: set[str] = set()
        """The standard modules that copies need and the root does not extend."""

    def text(self, expr: Expression, scope: Scope, prefix: str) -> str:
        """The text of an expression, in parentheses on lines of its own, because TLA+ depends on columns.

        Raises HiddenError.
        """
        if expr.text == NEW:
            return expr.operator
        return f"({self.slice(expr.span, scope, self.renamed([expr], scope, prefix))})"

    def slice(self, span: Span, scope: Scope, names: dict[tuple[int, int], tuple[str, str]]) -> str:
        """The text of a span in its columns, with names replaced. Raises HiddenError."""
        text = scope.module.padded(span)
        if "\n" in text:
            if names:
                # Other lengths would move what follows on the line out of its column.
                raise HiddenError
            return f"\n{text}"
        for (_, column), (old, new) in sorted(names.items(), reverse=True):
            if not text.startswith(old, column - 1):
                raise HiddenError
            text = text[: column - 1] + new + text[column - 1 + len(old) :]
        return text.strip()

    def renamed(
        self, parts: Sequence[Expression], scope: Scope, prefix: str
    ) -> dict[tuple[int, int], tuple[str, str]]:
        """The names that change in some parts, by place. Raises HiddenError."""
        changed = {}
        pending = [(part, scope) for part in parts[::-1]]
        while pending:
            expr, inside = pending.pop()
            if expr.shape == "apply":
                new = self.visible(expr, inside, prefix)
                if new != expr.operator:
                    changed[(expr.span.begin_line, expr.span.begin_column)] = (expr.operator, new)
            if expr.shape == "let":
                if expr.instances:
                    raise HiddenError
                inside = self.spec.resolver.let(inside, expr)
                self.check_new(name for each in expr.definitions for name in (each.name, *each.parameters))
            self.check_new(name for bound in expr.bounds for name in bound.names)
            pending += [(child, inside) for child in expr.children()]
        return changed

    def visible(self, expr: Expression, scope: Scope, prefix: str) -> str:
        """What the operator of an expression is called below the root. Raises HiddenError."""
        name = expr.operator
        entity = scope.find(name)
        if entity is None:
            module = standard_module_of(name)
            known = module in self._extended or (module in _NUMBERS and bool(self._extended & _NUMBERS))
            if module is not None and not known:
                if any(standard_module_of(each) == module for each in self.spec.scope.names):
                    raise HiddenError
                self.needed.add(module)
            return name
        root = self.spec.scope
        if entity.enclosed or (root.find(name) is entity and entity.exported):
            return name
        seen = root.find(prefix + name)
        same = seen is not None and seen.declaration is entity.declaration and seen.exported
        if same and entity.kind == "definition":
            return prefix + name
        if entity.kind == "substituted" and entity.scope is root and entity.body is not None:
            return self.text(entity.body, root, "")
        raise HiddenError

    def check_new(self, names: Iterable[str]) -> None:
        """Raises HiddenError if the root has one of these names, which a copy would bind again."""
        if any(name in self.spec.scope.names for name in names):
            raise HiddenError


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What is around a part of a formula: text before and after it, and the names that are bound there.

    With ``parameters`` the part becomes the body of a definition, which ``after`` calls with its arguments; ``body`` is
    that of the definition in the specification.
    """

    before: str = ""
    after: str = ""
    names: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    body: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way through the next-state relation to an action.

    names: the definitions on the way, the innermost last.
    within: the action that they are only helpers of, for lines that name them all the same; another way has that action.
    arguments: the names bound on the way.
    """

    names: tuple[str, ...]
    frames: tuple[Frame, ...]
    formula: str
    within: str | None = None

    @property
    def action(self) -> str:
        """The name of the action."""
        return self.within or (self.names[-1] if self.names else "Next")

    @property
    def arguments(self) -> frozenset[str]:
        """The names of the arguments that a log can give."""
        return frozenset(name for frame in self.frames for name in frame.names)

    def written(self, name: str, test: Callable[[str], str] | None) -> Iterator[str]:
        """The definitions that end with that of ``name``, the formula of this way.

        ``test`` gives the formula that the log agrees with the value of an argument.
        """
        text, tested, helpers = self.formula, set[str](), list[str]()
        for frame in reversed(self.frames):
            # A name bound again further inside means that.
            own = [each for each in frame.names if each not in tested]
            tested.update(own)
            if test is not None and own:
                text = "".join(f"{test(each)} /\\ " for each in own) + f"({text})"
            if not frame.parameters:
                text = f"{frame.before}({text}){frame.after}"
            else:
                helper = f"{name}_{len(helpers) + 1}"
                helpers.append(f"{helper}({', '.join(frame.parameters)}) ==\n{text}")
                text = f"{helper}{frame.after}"
        yield from helpers
        yield f"{name} ==\n{text}"


class _At(NamedTuple):
    """Where a formula is: the scope of its names, their prefix below the root, the definitions and what is around it.

    ``acts`` tells whether the innermost of the definitions changes something itself, so that what it calls are helpers.
    """

    scope: Scope
    prefix: str = ""
    names: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    acts: bool = False

    def within(self, frame: Frame) -> _At:
        """The place inside a frame."""
        return self._replace(frames=(*self.frames, frame))


class ActionWalk:
    """The walk through a next-state relation."""

    def __init__(self, spec: ModuleGraph, levels: Levels) -> None:
        self.spec, self.levels, self.source = spec, levels, Source(spec)
        # How many definitions are the relation itself.
        self.above = 0

    def ways(self, expr: Expression, scope: Scope) -> list[Way]:
        """The ways to the actions of a formula. Raises HiddenError if the root cannot see the formula."""
        self.above = int(expr.is_name())
        try:
            return self._ways(expr, _At(scope))
        except HiddenError:
            names = (expr.operator,) if expr.is_name() else ()
            return [Way(names=names, frames=(), formula=self.source.text(expr, scope, ""))]

    def _ways(self, expr: Expression, at: _At) -> list[Way]:
        scope = at.scope
        match expr:
            case Expression(shape="apply", operator="\\/", arguments=parts) if self._leads(expr, scope):
                return [way for part in parts for way in self._ways(part, at)]
            case Expression(shape="bind", operator="\\E", arguments=(body,)):
                new = tuple(name for bound in expr.bounds for name in bound.names)
                self.source.check_new(new)
                frame = Frame(before=f"\\E {self._bounds(expr, at)} : ", names=new)
            case Expression(shape="let", arguments=(body,)) if self._leads(expr, scope):
                frame = Frame(before=self._let(expr, body, scope, at.prefix))
                at = at._replace(scope=self.spec.resolver.let(scope, expr))
            case Expression(shape="build", operator="IF", arguments=(test, then, other)) if self._leads(
                expr, scope
            ):
                text = self._text(test, at)
                yes = self._ways(then, at.within(Frame(before=f"{text} /\\ ")))
                return yes + self._ways(other, at.within(Frame(before=f"~{text} /\\ ")))
            case Expression(shape="apply", operator="/\\", arguments=parts):
                inner = self._inner(parts, scope)
                whole = bool(at.frames) and at.frames[-1].body is expr
                if len(inner) != 1 or (whole and not self._opens(parts[inner[0]], scope)):
                    return [self._leaf(expr, at)]
                texts = [
                    "" if number == inner[0] else self._text(part, at) for number, part in enumerate(parts)
                ]
                body = parts[inner[0]]
                frame = Frame(
                    before="".join(f"{text} /\\ " for text in texts[: inner[0]]),
                    after="".join(f" /\\ {text}" for text in texts[inner[0] + 1 :]),
                )
            case Expression(shape="apply") if (entity := self._action(expr, scope)) is not None:
                return self._called(expr, entity, at)
            case _:
                return [self._leaf(expr, at)]
        return self._ways(body, at.within(frame))

    def _text(self, expr: Expression, at: _At) -> str:
        return self.source.text(expr, at.scope, at.prefix)

    def _called(self, expr: Expression, entity: Entity, at: _At) -> list[Way]:
        """The ways through the definition that an expression calls."""
        own = self.source.visible(expr, at.scope, at.prefix)
        call = self._text(expr, at)
        named = (*at.names, own)
        body = entity.body
        assert body is not None
        prefix = own.rpartition("!")[0]
        arguments = [self._text(each, at) for each in expr.arguments]
        frame = Frame(
            after=f"({', '.join(arguments)})" if arguments else "",
            names=entity.parameters,
            parameters=entity.parameters,
            body=body,
        )
        if at.acts:
            inner = self._called(expr, entity, at._replace(names=(), acts=False))
            return [self._leaf(expr, at), *(replace(each, within=at.names[-1]) for each in inner)]
        try:
            self.source.check_new(entity.parameters)
            # The relation itself is no action.
            acts = len(named) > self.above and self._acts(body, entity.scope)
            there = _At(entity.scope, f"{prefix}!" if prefix else "", named, at.frames, acts)
            return self._ways(body, there.within(frame))
        except HiddenError:
            # The definition itself can be seen, so its parameters can be compared.
            simple = tuple(name for name in entity.parameters if name not in self.spec.scope.names)
            if len(simple) < len(entity.parameters):
                return [Way(names=named, frames=at.frames, formula=call)]
            inner_call = f"{own}({', '.join(simple)})" if simple else own
            return [Way(names=named, frames=(*at.frames, frame), formula=inner_call)]

    def _leaf(self, expr: Expression, at: _At) -> Way:
        last = at.frames[-1] if at.frames else None
        if at.names and last is not None and last.body is expr:
            # The whole body of the definition: call it, so that TLC names it.
            name = at.names[-1]
            text = f"{name}({', '.join(last.parameters)})" if last.parameters else name
        else:
            text = self._text(expr, at)
        return Way(names=at.names, frames=at.frames, formula=text)

    def _bounds(self, expr: Expression, at: _At) -> str:
        """The names that a quantifier binds, with their sets."""
        texts = []
        for bound in expr.bounds:
            if bound.domain is None:
                raise HiddenError
            names = ", ".join(bound.names)
            names = f"<<{names}>>" if bound.pattern else names
            texts.append(f"{names} \\in {self._text(bound.domain, at)}")
        return ", ".join(texts)

    def _let(self, expr: Expression, body: Expression, scope: Scope, prefix: str) -> str:
        """The text of a LET up to its body. Raises HiddenError if names in it change."""
        inside = self.spec.resolver.let(scope, expr)
        self.source.check_new(name for each in expr.definitions for name in (each.name, *each.parameters))
        bodies = [each.body for each in expr.definitions if each.body is not None]
        if expr.instances or self.source.renamed(bodies, inside, prefix):
            raise HiddenError
        line, column = body.span.begin_line, body.span.begin_column - 1
        if column == 0:
            line -= 1
            column = len(scope.module.text.split("\n")[line - 1])
        span = replace(expr.span, end_line=line, end_column=column)
        text = self.source.slice(span, scope, {}).rstrip()
        # The body may be in parentheses that its span leaves out.
        while text.endswith("("):
            text = text[:-1].rstrip()
        # What comes before the body may be a comment.
        return f"{text}\n"

    def _action(self, expr: Expression, scope: Scope) -> Entity | None:
        """The definition of an action that an expression calls; None for any other expression."""
        entity = scope.find(expr.operator)
        if entity is None or entity.body is None or entity.kind != "definition" or entity.enclosed:
            return None
        declared = entity.declaration
        if not isinstance(declared, Definition) or declared.recursive or declared.kind != "operator":
            return None
        plain = entity.parameters == declared.parameters and len(expr.arguments) == len(entity.parameters)
        return entity if plain and self.levels.of_entity(entity) == Level.ACTION else None

    def _acts(self, expr: Expression, scope: Scope) -> bool:
        """Whether a formula says itself how a variable changes, and does not only choose among actions."""
        inside = self.spec.resolver.let(scope, expr) if expr.shape == "let" else scope
        if parts := formula_parts(expr):
            return any(self._acts(each, inside) for each in parts)
        action = self.levels.of_expression(expr, scope) == Level.ACTION
        return action and expr.operator != "UNCHANGED" and self._action(expr, scope) is None

    def _leads(self, expr: Expression, scope: Scope) -> bool:
        """Whether a formula chooses among named actions."""
        match expr:
            case Expression(shape="apply", operator="\\/", arguments=parts):
                return any(self._leads(part, scope) for part in parts)
            case Expression(shape="bind", operator="\\E", arguments=(body,)):
                return self._leads(body, scope)
            case Expression(shape="let", arguments=(body,)):
                return self._leads(body, self.spec.resolver.let(scope, expr))
            case Expression(shape="build", operator="IF", arguments=(_, *parts)):
                return any(self._leads(part, scope) for part in parts)
            case Expression(shape="apply", operator="/\\", arguments=parts):
                return len(self._inner(parts, scope)) == 1
        return expr.shape == "apply" and self._action(expr, scope) is not None

    def _inner(self, parts: tuple[Expression, ...], scope: Scope) -> list[int]:
        """The numbers of the conjuncts that lead to actions."""
        opening = [number for number, part in enumerate(parts) if self._opens(part, scope)]
        called = (number for number, part in enumerate(parts) if self._action(part, scope) is not None)
        return opening or list(called)

    def _opens(self, expr: Expression, scope: Scope) -> bool:
        r"""Whether a conjunct chooses among actions, or binds names with \E that a log may give."""
        match expr:
            case Expression(shape="apply", operator="\\/") | Expression(shape="build", operator="IF"):
                return self._leads(expr, scope)
            case Expression(shape="bind", operator="\\E"):
                names = frozenset(name for bound in expr.bounds for name in bound.names)
                return self.levels.of_expression(expr, scope, names) == Level.ACTION
            case Expression(shape="let", arguments=(body,)):
                return self._opens(body, self.spec.resolver.let(scope, expr))
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Behavior:
    """The initial predicate of a specification as text, the names of its definitions, and the ways to its actions.

    ``standard`` are the standard modules that these texts need beside those of the root.
    """

    init: str
    init_names: frozenset[str]
    ways: tuple[Way, ...]
    standard: tuple[str, ...]


@deeply
def find_behavior(spec: ModuleGraph, config: Config) -> Behavior:
    """The behaviour that a config names, otherwise the likeliest of the module; fairness is ignored.

    Raises InputError (``log-behavior``) if there is none, or a part of it is LOCAL.
    """
    inits, step, scope = behavior_parts(spec, config)
    walk = ActionWalk(spec, Levels(spec.resolver))
    try:
        texts = [walk.source.text(each, scope, "") for each in inits]
        walk.source.text(step, scope, "")
    except HiddenError:
        problem = f"{spec.root.name} does not export its behaviour: a part of it is LOCAL"
        hint = "remove LOCAL from the initial predicate and the next-state relation"
        raise InputError("log-behavior", problem, where=spec.root.where(), hint=hint) from None
    own = (step.operator,) if step.is_name() else ()
    ways = walk.ways(step, scope)
    return Behavior(
        init=" /\\ ".join(texts),
        init_names=frozenset({"Init", *(each.operator for each in inits if each.is_name())}),
        # The relation itself is not an action, unless it names none.
        ways=tuple(
            replace(way, names=way.names[1:]) if way.names[:1] == own and len(way.names) > 1 else way
            for way in ways
        ),
        standard=tuple(sorted(walk.source.needed)),
    )


def behavior_parts(spec: ModuleGraph, config: Config) -> tuple[list[Expression], Expression, Scope]:
    """The initial predicates of the behaviour that a config names, its next-state relation, and their scope.

    Raises InputError (``log-behavior``) if there is none.
    """
    candidates, specification = spec.candidates, config.specification
    init, next_step = config.init, config.next
    inits: list[Expression] = []
    step: Expression | None = None
    if specification is None and not (init and next_step):
        specification = candidates.specification[0] if candidates.specification else None
        init = init or next(iter(candidates.init), None)
        next_step = next_step or next(iter(candidates.next), None)
    scope = spec.scope
    if specification is not None and (entity := scope.find(specification)) is not None:
        parts = temporal_parts(entity, Levels(spec.resolver), instances=True)
        inits = [expr for expr, _ in parts.inits]
        step, scope = parts.steps[0] if parts.steps else (None, scope)
    elif init and next_step:
        inits, step = [_name(init)], _name(next_step)
    if not inits or step is None:
        problem = f"{spec.root.name} has no initial predicate and next-state relation"
        hint = "define Spec == Init /\\ [][Next]_vars, or name INIT and NEXT in a config"
        raise InputError("log-behavior", problem, where=spec.root.where(), hint=hint)
    return inits, step, scope


def _name(name: str) -> Expression:
    """The expression that is a name."""
    span = Span(begin_line=1, begin_column=1, end_line=1, end_column=1)
    return Expression(shape="apply", operator=name, span=span, text=NEW)
