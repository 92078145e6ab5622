"""The behaviour that a config names: its initial predicate and the ways to its actions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tla2py.errors import InputError
from tla2py.logs.actions import ActionWalk, Way
from tla2py.logs.source import NEW, HiddenError
from tla2py.syntax import Level, ModuleGraph, Span
from tla2py.syntax.depth import deeply
from tla2py.syntax.expression import Expression
from tla2py.syntax.levels import Levels
from tla2py.syntax.scope import Scope


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
def find_behavior(
    spec: ModuleGraph,
    *,
    specification: str | None = None,
    init: str | None = None,
    next_step: str | None = None,
) -> Behavior:
    """The behaviour that a config names, otherwise the likeliest of the module; fairness is ignored.

    Raises InputError (``log-behavior``) if there is none, or a part of it is LOCAL.
    """
    inits, step, scope = behavior_parts(spec, specification=specification, init=init, next_step=next_step)
    walk = ActionWalk(spec, Levels(spec.resolver))
    try:
        texts = [walk.source.text(each, scope, "") for each in inits]
        walk.source.text(step, scope, "")
    except HiddenError:
        raise InputError(
            "log-behavior",
            f"{spec.root.name} does not export its behaviour: a part of it is LOCAL",
            where=spec.root.where(),
            hint="remove LOCAL from the initial predicate and the next-state relation",
        ) from None
    own = (step.operator,) if step.is_name() else ()
    ways = walk.ways(step, scope, "", (), (), top=True)
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


def behavior_parts(
    spec: ModuleGraph,
    *,
    specification: str | None = None,
    init: str | None = None,
    next_step: str | None = None,
) -> tuple[list[Expression], Expression, Scope]:
    """The initial predicates of the behaviour that a config names, its next-state relation, and their scope.

    Raises InputError (``log-behavior``) if there is none.
    """
    candidates = spec.candidates
    inits: list[Expression] = []
    step: Expression | None = None
    if specification is None and not (init and next_step):
        specification = candidates.specification[0] if candidates.specification else None
        init = init or _first(candidates.init)
        next_step = next_step or _first(candidates.next)
    scope = spec.scope
    if specification is not None:
        inits, step, scope = _temporal(spec, specification, Levels(spec.resolver))
    else:
        inits = [each for each in (_name(init),) if each is not None]
        step = _name(next_step)
    if not inits or step is None:
        raise InputError(
            "log-behavior",
            f"{spec.root.name} has no initial predicate and next-state relation",
            where=spec.root.where(),
            hint="define Spec == Init /\\ [][Next]_vars, or name INIT and NEXT in a config",
        )
    return inits, step, scope


def _first(names: tuple[str, ...]) -> str | None:
    """The first of some names, None without one."""
    return names[0] if names else None


def _name(name: str | None) -> Expression | None:
    """The expression that is a name."""
    if name is None:
        return None
    span = Span(begin_line=1, begin_column=1, end_line=1, end_column=1)
    return Expression(shape="apply", operator=name, span=span, text=NEW)


def _temporal(
    spec: ModuleGraph, name: str, levels: Levels
) -> tuple[list[Expression], Expression | None, Scope]:
    """The initial predicates and the next-state relation of a temporal formula, and their scope."""
    inits: list[Expression] = []
    step, scope = None, spec.scope
    entity = scope.find(name)
    pending = [(entity.body, entity.scope)] if entity is not None else []
    seen = {entity}
    while pending:
        expr, around = pending.pop(0)
        if expr is None:
            continue
        inner = around.named(expr)
        if expr.shape == "apply" and expr.operator == "/\\":
            pending[:0] = [(part, around) for part in expr.arguments]
        elif levels.of_expression(expr, around) <= Level.STATE:
            inits.append(expr)
            scope = around
        elif expr.shape == "apply" and expr.operator == "[]" and expr.arguments[0].operator == "[]_":
            step, scope = step or expr.arguments[0].arguments[0], around
        elif inner is not None and inner not in seen:
            seen.add(inner)
            pending.insert(0, (inner.body, inner.scope))
    return inits, step, scope
