"""Why a behaviour violates a temporal property: the parts that decide, and the actions that its loop never takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tla2py.errors import InputError
from tla2py.model.cause import Cause, one_each, states_text
from tla2py.model.trace import Trace
from tla2py.replay.observe import MODULE, behaviour_name, instrument_definition, observe_copies
from tla2py.replay.parts import BASE, FormulaPart, read_parts
from tla2py.replay.prefix import prefix_causes
from tla2py.replay.query import TraceQuery
from tla2py.tla.instrument import leads_to
from tla2py.tla.instrument_formula import Unit
from tla2py.tla.module import Expression
from tla2py.tla.scope import Entity, Scope, is_same_definition
from tla2py.tla.temporal_form import is_refuted_by_prefix


@dataclass(frozen=True, slots=True)
class _Lasso:
    """A behaviour of so many states, of which those from ``loop`` on recur; a step of ``entered_by`` leads there."""

    count: int
    loop: int
    entered_by: str | None = None

    @property
    def recurring(self) -> range:
        """The states of the loop."""
        return range(self.loop, self.count + 1)

    def future(self, state: int) -> range:
        """The states from one on."""
        return range(min(state, self.loop), self.count + 1)

    def holds(self, part: FormulaPart, at: int) -> bool:
        """Whether a part is TRUE of the behaviour from a state on."""
        parts = part.parts
        match part.formula.operator:
            case "":
                return part.facts[at - 1][0]
            case "/\\" | "\\A":
                return all(self.holds(each, at) for each in parts)
            case "\\/" | "\\E":
                return any(self.holds(each, at) for each in parts)
            case "=>":
                return not self.holds(parts[0], at) or self.holds(parts[1], at)
            case "<=>":
                return self.holds(parts[0], at) is self.holds(parts[1], at)
            case "~":
                return not self.holds(parts[0], at)
            case "[]":
                return all(self.holds(parts[0], each) for each in self.future(at))
            case "<>":
                return any(self.holds(parts[0], each) for each in self.future(at))
            case "~>":
                return all(
                    not self.holds(parts[0], each) or any(self.holds(parts[1], n) for n in self.future(each))
                    for each in self.future(at)
                )
            case kind:
                facts = [part.facts[each - 1] for each in self.recurring]
                enabled = all(each[0] for each in facts) if kind == "WF" else any(each[0] for each in facts)
                return not enabled or any(each[1] for each in facts)

    def blame(self, part: FormulaPart, at: int, *, value: bool) -> Iterator[tuple[FormulaPart, int]]:
        """The parts, each in a state, that make a part TRUE or FALSE from a state on, which it is."""
        parts, operator = part.parts, part.formula.operator
        match operator:
            case "" | "WF" | "SF":
                yield part, at
            case "/\\" | "\\A" | "\\/" | "\\E":
                decides = value is (operator in ("\\/", "\\E"))
                chosen = [each for each in parts if self.holds(each, at) is value]
                for each in chosen[:1] if decides else chosen:
                    yield from self.blame(each, at, value=value)
            case "=>" | "<=>":
                for each in parts:
                    yield from self.blame(each, at, value=self.holds(each, at))
            case "~":
                yield from self.blame(parts[0], at, value=not value)
            case "[]" | "<>":
                # What never is, is not in the loop.
                states = self.future(at) if value is (operator == "<>") else self.future(max(at, self.loop))
                there = next(each for each in states if self.holds(parts[0], each) is value)
                yield from self.blame(parts[0], there, value=value)
            case "~>" if value:
                yield from self._blame_response(part, at)
            case _:
                there = next(
                    each
                    for each in self.future(at)
                    if self.holds(parts[0], each)
                    and not any(self.holds(parts[1], n) for n in self.future(each))
                )
                yield from self.blame(parts[0], there, value=True)
                yield from self.blame(parts[1], max(there, self.loop), value=False)

    def _blame_response(self, part: FormulaPart, at: int) -> Iterator[tuple[FormulaPart, int]]:
        """Yield what makes a ``~>`` TRUE: the first condition with its response, or that the condition never is."""
        condition, response = part.parts
        there = next((state for state in self.future(at) if self.holds(condition, state)), None)
        if there is None:
            yield from self.blame(condition, max(at, self.loop), value=False)
            return
        yield from self.blame(condition, there, value=True)
        after = next(state for state in self.future(there) if self.holds(response, state))
        yield from self.blame(response, after, value=True)


def behaviour_causes(trace: Trace, query: TraceQuery) -> Iterator[Cause]:
    """Yield why a behaviour violates a property.

    If a beginning of it does so already, that is the parts of the property that this makes FALSE; otherwise the actions that
    could lead out of the loop, why it is fair, and the parts of the property that decide. Raises InputError
    (``not-confirmable``).
    """
    goes_on = trace.loop_start is not None or trace.stuttering
    count = len(trace.states)
    loop = trace.loop_start if trace.loop_start is not None else count
    name = query.violated(trace)
    copies = [instrument_definition(query, name, "formula")]
    successor = query.successor(f"{MODULE}States[IF askWhyStep = {count} THEN {loop} ELSE askWhyStep + 1]")
    if not goes_on or is_refuted_by_prefix(name, query.spec):
        [whole] = read_parts(copies, observe_copies(query, copies, trace.states, [], successor, judged=True))
        if causes := prefix_causes(whole, trace, query):
            yield from causes
            return
    if not goes_on:
        raise InputError("not-confirmable", "the behaviour ends, and does not say how it goes on", hint="")
    behaviour = behaviour_name(query)
    copies.append(instrument_definition(query, behaviour, "fairness", beside=copies[0].beside, base=BASE))
    copies.append(instrument_definition(query, behaviour, "units", beside=copies[0].beside, base=2 * BASE))
    whole, fair, taken = read_parts(copies, observe_copies(query, copies, trace.states, [], successor))
    if causes := prefix_causes(whole, trace, query):
        yield from causes
        return
    lasso = _Lasso(count, loop, entered_by=trace.states[loop - 1].action)
    parts = [] if lasso.holds(whole, 1) else list(lasso.blame(whole, 1, value=False))
    false = [part.unit for part, at in parts if not lasso.holds(part, at)]
    # The variables that these are about.
    reads = frozenset(each for unit in false for each in read_variables(unit.expr, unit.place.scope, set()))
    actions = [*_of_fairness(query, lasso, fair.parts, taken.parts, reads)]
    if not actions:
        idle = [*_of_idle(lasso, fair.parts, taken.parts, reads)]
        others = _of_actions(lasso, taken.parts, reads)
        told_of = [(each.action, each.args) for each in idle]
        actions = [*idle, *(each for each in others if (each.action, each.args) not in told_of)]
    first = sorted((_of_part(part, at, lasso) for part, at in parts), key=lambda each: each.action is None)
    # Fairness that the property demands names an action too.
    own = sum(each.action is not None for each in first)
    yield from (*actions[:1], *first[:own], *actions[1:], *first[own:])


def _of_fairness_part(part: FormulaPart, at: int, lasso: _Lasso) -> Cause:
    """Return a fairness condition that the property demands, which the loop violates or meets, as a cause."""
    step = f"<<{part.action_text}>>_{part.unit.subscript}"
    enabled = tuple(n for n, facts in enumerate(part.facts, 1) if facts[0])
    is_met = lasso.holds(part, at)
    if not is_met:
        says = f"{step} is enabled in {states_text(enabled)} and the loop never takes it"
    else:
        says = f"{_why_met(part, lasso, step)}, so the condition is TRUE"
    return Cause.at(
        part.unit.conjunct,
        "part",
        f"{part.written}: {says}",
        action=None if is_met else part.unit.name,
        value=is_met,
        values=part.names,
        state=at,
        states=enabled,
    )


def _why_met(part: FormulaPart, lasso: _Lasso, step: str) -> str:
    """Say why a loop meets a fairness condition: it takes the step, or the step is not enabled often enough."""
    taken = tuple(state for state in lasso.recurring if part.facts[state - 1][1])
    if taken:
        plural = "states" if len(taken) > 1 else "state"
        return f"the loop takes {step} from {plural} {states_text(taken)}"
    disabled = tuple(state for state in lasso.recurring if not part.facts[state - 1][0])
    if len(disabled) == len(lasso.recurring):
        return f"{step} is enabled in no state of the loop"
    plural = "states" if len(disabled) > 1 else "state"
    return f"{step} is not enabled in {plural} {states_text(disabled)} of the loop"


def _of_part(part: FormulaPart, at: int, lasso: _Lasso) -> Cause:
    if part.unit.kind:
        return _of_fairness_part(part, at, lasso)
    value, conjunct, text = part.facts[at - 1][0], part.unit.conjunct, part.text
    states = tuple(n for n, facts in enumerate(part.facts, 1) if facts[0])
    seen = states_text(states)
    forever = lasso.future(at)
    if not states:
        says = f"{text} is never TRUE"
    elif not value and not any(each in forever for each in states):
        says = f"{text} is TRUE in {seen}, and FALSE from state {forever[0]} on"
    else:
        says = f"{text} is {str(value).upper()} in state {at}; it is TRUE in {seen}"
    return Cause.at(
        conjunct,
        "part",
        says,
        value=value,
        values=part.names,
        state=at,
        states=states,
    )


def _of_fairness(
    query: TraceQuery,
    lasso: _Lasso,
    conditions: Sequence[FormulaPart],
    actions: Sequence[FormulaPart],
    reads: frozenset[str],
) -> Iterator[Cause]:
    """The actions that are enabled in the loop and never taken there, with their fairness."""
    found: list[tuple[tuple[object, ...], Cause]] = []
    for action in actions:
        enabled = tuple(n for n in lasso.recurring if action.facts[n - 1][0])
        if not enabled or any(action.facts[n - 1][1] for n in lasso.recurring):
            continue
        direct = [each for each in conditions if _is_same_action(each, action)]
        wider = [each for each in conditions if each not in direct and _leads(query, each, action)]
        # SF, the strongest, comes first, but what asks for nothing comes last.
        direct.sort(key=lambda each: (not _is_active(each, lasso), each.unit.kind))
        if direct:
            says = _fairness_text(direct[0], enabled, lasso)
        elif wider:
            says = f"it is fair only by {wider[0].written}"
        else:
            says = "the specification has no fairness for it"
        says = f"is enabled in {_place_in_loop(enabled, lasso)}, and never taken there; {says}"
        fairness = direct[0].unit.kind if direct else None
        cause = action.cause("fairness", says, state=enabled[0], states=enabled, fairness=fairness)
        relevant = bool(_writes(action.unit) & reads)
        # Fairness that asks for nothing is none.
        fair = any(_is_active(each, lasso) for each in direct)
        found.append(((fair, bool(wider), not relevant, -len(enabled)), cause))
    yield from one_each(cause for _, cause in sorted(found, key=lambda each: each[0]))


def _place_in_loop(enabled: Sequence[int], lasso: _Lasso) -> str:
    """Say in which states of the loop something is enabled; of a single state also which action leads to it."""
    length = len(lasso.recurring)
    if length > 1:
        return f"{len(enabled)} of {length} states of the loop"
    reached = f", reached by {lasso.entered_by}" if lasso.entered_by else ""
    return f"state {enabled[0]}{reached}, which recurs for ever"


def _of_idle(
    lasso: _Lasso, conditions: Sequence[FormulaPart], actions: Sequence[FormulaPart], reads: frozenset[str]
) -> Iterator[Cause]:
    """The actions that are enabled in the loop and change nothing, then the fair ones that are never enabled at all.

    Of both, those that set what is FALSE come first.
    """
    found: list[tuple[tuple[bool, bool], Cause]] = []
    for action in actions:
        mentions = _writes(action.unit, kept=True)
        idle = tuple(n for n in lasso.recurring if action.facts[n - 1][2])
        acts = any(action.facts[n - 1][0] for n in lasso.recurring)
        fair = sorted(
            (each for each in conditions if _is_same_action(each, action)), key=lambda each: each.unit.kind
        )
        ever = any(each[2] for each in action.facts)
        if acts or not (mentions if idle else fair and not ever):
            continue
        asks = f"so {fair[0].written} asks for nothing" if fair else "so its steps are stuttering"
        plural = "states" if len(idle) > 1 else "state"
        says = (
            f"is enabled in {plural} {states_text(idle)} of the loop and changes nothing, {asks}"
            if idle
            else f"is enabled in no state of the behaviour, {asks}"
        )
        fairness = fair[0].unit.kind if fair else None
        cause = action.cause("action", says, value=False, states=idle, fairness=fairness)
        found.append(((not idle, not mentions & reads), cause))
    named = dict[str | None, Cause]()
    for _, cause in sorted(found, key=lambda each: each[0]):
        named.setdefault(cause.action, cause)
    yield from named.values()


def _of_actions(lasso: _Lasso, actions: Sequence[FormulaPart], reads: frozenset[str]) -> Iterator[Cause]:
    """Yield the actions that set what is FALSE: those that the loop takes, then those never enabled there."""
    found = {True: dict[str, Cause](), False: dict[str, Cause]()}
    for action in actions:
        states = tuple(n for n in lasso.recurring if action.facts[n - 1][1])
        enabled = any(action.facts[n - 1][0] for n in lasso.recurring)
        changes = ", ".join(sorted(_writes(action.unit) & reads))
        if not changes or bool(states) is not enabled:
            continue
        says = "is taken in the loop" if enabled else "is never enabled in the loop"
        cause = action.cause("action", f"{says}; it sets {changes}", value=enabled, states=states)
        found[enabled].setdefault(action.unit.name, cause)
    yield from (*found[True].values(), *found[False].values())


def _is_same_action(condition: FormulaPart, action: FormulaPart) -> bool:
    """Return whether a fairness condition is on an action: the same definition under the same substitution and arguments.

    Formulas that are no definitions are the same if they are written alike in one module.
    """
    one, other = condition.unit.definition, action.unit.definition
    if one is None and other is None:
        is_same_module = condition.unit.place.scope is action.unit.place.scope
        is_alike = is_same_module and _is_same_text(condition.unit.expr, action.unit.expr)
        return is_alike and condition.names == action.names
    if one is None or other is None:
        return False
    same_arguments = condition.names == action.names and condition.unit.call == action.unit.call
    return is_same_definition(one, other) and same_arguments


def _leads(query: TraceQuery, condition: FormulaPart, action: FormulaPart) -> bool:
    """Return whether a fairness condition is on more than an action, with the same values of the names of both."""
    one, other = condition.unit, action.unit
    if any(action.names[name] != value for name, value in condition.names.items() if name in action.names):
        return False
    target = other.definition or (other.place.owners[-1] if other.place.owners else None)
    if target is None:
        return False

    def is_action(used: Expression, entity: Entity) -> bool:
        # Do(A) is another action than Do(B).
        is_same_call = not other.call or _is_same_text(used, other.expr)
        return is_same_call and is_same_definition(entity, target)

    return leads_to(one.expr, is_action, one.place.scope, query.spec.resolver)


def _is_same_text(one: Expression, other: Expression) -> bool:
    """Return whether two expressions are written alike, wherever they are."""
    if (one.shape, one.operator, one.text) != (other.shape, other.operator, other.text):
        return False
    pairs = list(zip(one.children(), other.children(), strict=False))
    same_number = len(list(one.children())) == len(list(other.children()))
    return same_number and all(_is_same_text(part, counterpart) for part, counterpart in pairs)


def _is_active(condition: FormulaPart, lasso: _Lasso) -> bool:
    """Return whether a fairness condition asks for something in the loop: ``<<A>>_x`` is enabled there."""
    return any(condition.facts[state - 1][0] for state in lasso.recurring)


def _fairness_text(condition: FormulaPart, enabled: tuple[int, ...], lasso: _Lasso) -> str:
    """Say what a fairness condition on an action asks for in a loop, where the action is ``enabled`` in some states."""
    unit = condition.unit
    possible = tuple(state for state in lasso.recurring if condition.facts[state - 1][0])
    disabled = tuple(state for state in lasso.recurring if state not in possible)
    if not possible:
        return f"{condition.written} asks for nothing there: no step of it changes {unit.subscript}"
    if not disabled:
        return condition.written
    if possible == enabled:
        return f"{condition.written}, and it is disabled at {states_text(disabled)}"
    return f"{condition.written}, and no step of it changes {unit.subscript} at {states_text(disabled)}"


def _writes(unit: Unit, *, kept: bool = False) -> frozenset[str]:
    """Return the variables that an action sets: it mentions their next value, other than to keep it.

    With ``kept`` it may mention it to keep it, as ``x' = x`` does.
    """
    return frozenset(_written_variables(unit.expr, unit.place.scope, set(), kept=kept))


def _written_variables(expr: Expression, scope: Scope, above: set[Entity], *, kept: bool) -> Iterator[str]:
    """Yield the variables that an action sets, by the names of their declarations."""
    if expr.operator == "ENABLED" or (_keeps_value(expr) and not kept):
        return
    if expr.operator == "'" and expr.shape == "apply":
        yield from read_variables(expr.arguments[0], scope, set())
        return
    entity = scope.find(expr.operator) if expr.shape == "apply" else None
    if entity is not None and entity.body is not None and entity not in above:
        above.add(entity)
        yield from _written_variables(entity.body, entity.scope, above, kept=kept)
    for part in expr.children():
        yield from _written_variables(part, scope, above, kept=kept)


def _keeps_value(expr: Expression) -> bool:
    """Return whether a formula says that something keeps its value, as ``x' = x`` does."""
    if expr.shape != "apply" or expr.operator != "=":
        return False
    left, right = expr.arguments
    for after, before in ((left, right), (right, left)):
        is_primed_name = after.operator == "'" and after.arguments[0].is_name()
        if is_primed_name and before.is_name() and before.operator == after.arguments[0].operator:
            return True
    return False


def read_variables(expr: Expression, scope: Scope, seen: set[Entity]) -> Iterator[str]:
    """Yield the variables that an expression mentions, by the names of their declarations."""
    for part in expr.walk():
        entity = scope.find(part.operator) if part.shape == "apply" else None
        if entity is None:
            continue
        if entity.kind == "variable":
            yield entity.declaration.name
        if entity.body is not None and entity not in seen:
            seen.add(entity)
            yield from read_variables(entity.body, entity.scope, seen)
