"""The ways through a next-state relation to its actions, each as a formula of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tla2py.logs.source import HiddenError, Source
from tla2py.syntax import Level, ModuleGraph, Span
from tla2py.syntax.expression import Expression
from tla2py.syntax.levels import Levels
from tla2py.syntax.module import Definition
from tla2py.syntax.scope import Entity, Scope

Test = Callable[[str], str]
"""From the name of an argument to the formula that the log agrees with its value."""


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
    arguments: the names bound on the way.
    """

    names: tuple[str, ...]
    frames: tuple[Frame, ...]
    formula: str

    @property
    def action(self) -> str:
        """The name of the action."""
        return self.names[-1] if self.names else "Next"

    @property
    def arguments(self) -> frozenset[str]:
        """The names of the arguments that a log can give."""
        return frozenset(name for frame in self.frames for name in frame.names)

    def written(self, name: str, test: Test | None) -> Iterator[str]:
        """The definitions that end with that of ``name``, the formula of this way; ``test`` restricts arguments."""
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


class ActionWalk:
    """The walk through a next-state relation."""

    def __init__(self, spec: ModuleGraph, levels: Levels) -> None:
        self.spec, self.levels, self.source = spec, levels, Source(spec)

    def ways(
        self,
        expr: Expression,
        scope: Scope,
        prefix: str,
        names: tuple[str, ...],
        frames: tuple[Frame, ...],
        *,
        top: bool = False,
    ) -> list[Way]:
        """The ways to the actions of a formula. Raises HiddenError, but not at the ``top``."""
        try:
            return self._ways(expr, scope, prefix, names, frames)
        except HiddenError:
            if not top:
                raise
            formula = self.source.text(expr, scope, prefix)
            own = (expr.operator,) if expr.is_name() else names
            return [Way(names=own, frames=frames, formula=formula)]

    def _ways(
        self, expr: Expression, scope: Scope, prefix: str, names: tuple[str, ...], frames: tuple[Frame, ...]
    ) -> list[Way]:
        inside = scope
        match expr:
            case Expression(shape="apply", operator="\\/", arguments=parts) if self._leads(expr, scope):
                return [way for part in parts for way in self._ways(part, scope, prefix, names, frames)]
            case Expression(shape="bind", operator="\\E", arguments=(body,)):
                new = tuple(name for bound in expr.bounds for name in bound.names)
                self.source.check_new(new)
                frame = Frame(before=f"\\E {self._bounds(expr, scope, prefix)} : ", names=new)
            case Expression(shape="let", arguments=(body,)) if self._leads(expr, scope):
                inside = self.spec.resolver.let(scope, expr)
                frame = Frame(before=self._let(expr, body, scope, prefix))
            case Expression(shape="build", operator="IF", arguments=(test, then, other)) if self._leads(
                expr, scope
            ):
                text = self.source.text(test, scope, prefix)
                yes = self._ways(then, scope, prefix, names, (*frames, Frame(before=f"{text} /\\ ")))
                no = self._ways(other, scope, prefix, names, (*frames, Frame(before=f"~{text} /\\ ")))
                return [*yes, *no]
            case Expression(shape="apply", operator="/\\", arguments=parts):
                inner = self._inner(parts, scope)
                whole = bool(frames) and frames[-1].body is expr
                if len(inner) != 1 or (whole and not self._opens(parts[inner[0]], scope)):
                    return [self._leaf(expr, scope, prefix, names, frames)]
                texts = [
                    "" if number == inner[0] else self.source.text(part, scope, prefix)
                    for number, part in enumerate(parts)
                ]
                body = parts[inner[0]]
                frame = Frame(
                    before="".join(f"{text} /\\ " for text in texts[: inner[0]]),
                    after="".join(f" /\\ {text}" for text in texts[inner[0] + 1 :]),
                )
            case Expression(shape="apply") if (entity := self._action(expr, scope)) is not None:
                return self._called(expr, entity, scope, prefix, names, frames)
            case _:
                return [self._leaf(expr, scope, prefix, names, frames)]
        return self._ways(body, inside, prefix, names, (*frames, frame))

    def _called(
        self,
        expr: Expression,
        entity: Entity,
        scope: Scope,
        prefix: str,
        names: tuple[str, ...],
        frames: tuple[Frame, ...],
    ) -> list[Way]:
        """The ways through the definition that an expression calls."""
        own = self.source.visible(expr, scope, prefix)
        call = self.source.text(expr, scope, prefix)
        named = (*names, own)
        body = entity.body
        assert body is not None
        inner = own.rpartition("!")[0]
        arguments = [self.source.text(each, scope, prefix) for each in expr.arguments]
        frame = Frame(
            after=f"({', '.join(arguments)})" if arguments else "",
            names=entity.parameters,
            parameters=entity.parameters,
            body=body,
        )
        try:
            self.source.check_new(entity.parameters)
            return self._ways(body, entity.scope, f"{inner}!" if inner else "", named, (*frames, frame))
        except HiddenError:
            # The definition itself can be seen, so its parameters can be compared.
            values = dict(zip(entity.parameters, arguments, strict=True))
            simple = tuple(name for name in values if name not in self.spec.scope.names)
            if len(simple) < len(values):
                return [Way(names=named, frames=frames, formula=call)]
            inner_call = f"{own}({', '.join(simple)})" if simple else own
            return [Way(names=named, frames=(*frames, frame), formula=inner_call)]

    def _leaf(
        self, expr: Expression, scope: Scope, prefix: str, names: tuple[str, ...], frames: tuple[Frame, ...]
    ) -> Way:
        last = frames[-1] if frames else None
        if names and last is not None and last.body is expr:
            # The whole body of the definition: call it, so that TLC names it.
            call = f"{names[-1]}({', '.join(last.parameters)})" if last.parameters else names[-1]
            return Way(names=names, frames=frames, formula=call)
        text = self.source.text(expr, scope, prefix)
        return Way(names=names, frames=frames, formula=text)

    def _bounds(self, expr: Expression, scope: Scope, prefix: str) -> str:
        """The names that a quantifier binds, with their sets."""
        texts = []
        for bound in expr.bounds:
            if bound.domain is None:
                raise HiddenError
            names = ", ".join(bound.names)
            names = f"<<{names}>>" if bound.pattern else names
            texts.append(f"{names} \\in {self.source.text(bound.domain, scope, prefix)}")
        return ", ".join(texts)

    def _let(self, expr: Expression, body: Expression, scope: Scope, prefix: str) -> str:
        """The text of a LET up to its body. Raises HiddenError if names in it change."""
        inside = self.spec.resolver.let(scope, expr)
        self.source.check_new(name for each in expr.definitions for name in (each.name, *each.parameters))
        bodies = [each.body for each in expr.definitions if each.body is not None]
        if expr.instances or self.source.renamed(bodies, inside, prefix):
            raise HiddenError
        begin, line, column = expr.span, body.span.begin_line, body.span.begin_column - 1
        if column == 0:
            line -= 1
            column = len(scope.module.text.split("\n")[line - 1])
        span = Span(
            begin_line=begin.begin_line, begin_column=begin.begin_column, end_line=line, end_column=column
        )
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
