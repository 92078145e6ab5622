"""Why a counterexample violates what it does: causes that TLC evaluated in its states, the nearest first."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from tla2py.errors import InputError, Tla2pyError, attempt
from tla2py.model.cause import Cause, ViolationCauses, call_text, one_each
from tla2py.model.outcome import Outcome, Violation
from tla2py.model.trace import State, Trace
from tla2py.replay.behaviour import behaviour_causes, read_variables
from tla2py.replay.conjuncts import evaluate_conjuncts
from tla2py.replay.observe import (
    MODULE,
    TOO_MUCH,
    ConjunctAttempt,
    behaviour_name,
    instrument_definition,
    observe_copies,
    pair_values,
    read_paths,
)
from tla2py.replay.query import Origin, TraceQuery
from tla2py.tla.instrument import CopyPlace, Edit, edited, left_out, printed_tuples
from tla2py.tla.instrument_formula import ENOUGH, About, InstrumentedFormula
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Expression, Module
from tla2py.tla.tree import deeply
from tla2py.tla.value import Value, format_value
from tla2py.tla.value_text import ValueTextError, parse_value

# So many instances of one action are named.
_MOST_INSTANCES = 3
# A search is repeated for so long.
_SEARCH_SECONDS = 60
# Why there are no causes.
_NOTHING_IN_STATES = "TLC found nothing FALSE in its states"
_NO_CONJUNCT = "when TLC evaluated it again, none of its conjuncts was FALSE"
# So many states before a deadlock are asked about.
_MOST_STATES = 10
_NEXT_STATE = re.compile(r'^<<"tla2py: state", (\d+)>>$', re.MULTILINE)


@deeply
def explain_trace(trace: Trace, origin: Origin, *, warm: bool = False) -> ViolationCauses:
    """Return why a trace violates what it does; ``warm`` is that of ``TraceQuery``.

    Whatever fails is a reason for no causes, and is not raised.
    """
    unknown = ViolationCauses(kind=trace.kind, name=trace.name, suspect=trace.suspect)

    def explain() -> ViolationCauses:
        causes = tuple(_causes(trace, origin, warm=warm))
        # A beginning that violates the property was not made up, whatever may be said of its end.
        suspect = trace.suspect and not causes
        nothing = _NOTHING_IN_STATES if trace.states else _NO_CONJUNCT
        reason = None if causes else nothing
        return replace(unknown, causes=causes, suspect=suspect, reason=reason)

    return explain_with(explain, unknown)


def explain_with(explain: Callable[[], ViolationCauses], unknown: ViolationCauses) -> ViolationCauses:
    """Return an explanation; if anything fails in it, ``unknown`` with the reason."""
    try:
        explained = attempt(explain, unknown)
    except InputError as error:
        return replace(unknown, reason=error.message)
    except Tla2pyError as error:
        return replace(unknown, reason=error.message, fault=True)
    if explained.failure is not None:
        return replace(unknown, reason=explained.failure, fault=True)
    return explained.result


def _causes(trace: Trace, origin: Origin, *, warm: bool) -> Iterator[Cause]:
    match trace.kind:
        case "invariant" | "temporal_property" if not trace.states:
            yield from _of_constant_check(trace, TraceQuery([trace], origin, warm=warm))
        case "invariant":
            yield from _of_invariant(trace, origin, warm=warm)
        case "deadlock":
            yield from _of_deadlock(trace, TraceQuery([trace], origin, warm=warm))
        case "action_property":
            yield from _of_step(trace, TraceQuery([trace], origin, warm=warm))
        case "temporal_property":
            yield from behaviour_causes(trace, TraceQuery([trace], origin, warm=warm))
        case "assert" | "evaluation":
            yield from _of_failure(trace, origin, warm=warm)
        case "assumption":
            yield from _of_assumptions(TraceQuery([trace], origin, warm=warm))
        case "postcondition":
            yield from _of_postcondition(trace, TraceQuery([trace], origin, warm=warm))
        case _:
            raise InputError("not-confirmable", "it is not known what the trace violates", hint="")


def _of_invariant(trace: Trace, origin: Origin, *, warm: bool) -> Iterator[Cause]:
    """The conjuncts that are FALSE in the first state in which one is."""
    found = evaluate_conjuncts(trace, origin, warm=warm)
    state = found.turning_state
    for row in found.rows if state is not None else ():
        if state is None or row.conjunct.role != "conjunct" or row.values[state.index - 1] is not False:
            continue
        witness = {}
        for name, text in row.witnesses[state.index - 1]:
            # What TLC does not enumerate is left out.
            with contextlib.suppress(ValueTextError):
                witness[name] = parse_value(text)
        after = f", after {state.action}" if state.action else ""
        yield Cause.at(
            row.conjunct,
            "conjunct",
            f"{row.conjunct.text} is FALSE in state {state.index}{after}",
            action=state.action,
            value=False,
            values=witness,
            state=state.index,
            states=tuple(n for n, value in enumerate(row.values, 1) if value),
        )


def _of_failure(trace: Trace, origin: Origin, *, warm: bool) -> Iterator[Cause]:
    """The expression that TLC could not evaluate in the last state, or that an assertion stopped at."""
    if not trace.states:
        raise InputError("not-confirmable", "TLC printed no state before it failed", hint="")
    last = trace.states[-1]
    checked = () if trace.kind == "assert" else origin.config.invariants
    # TLC may stop before the step to the state in which an invariant fails.
    for name, primed in ((None, ""), *((name, primed) for name in checked for primed in ("", "'"))):
        query = TraceQuery([trace], origin, warm=warm)
        about: About = "init" if name else "next"
        copy = instrument_definition(
            query, name or behaviour_name(query), about, fixed=bool(name), valued=False
        )
        copy.root += primed
        step = query.next if primed else query.unchanged if name else ""
        try:
            output = observe_copies(query, [copy], [last], [] if name else ["FALSE"], step, fails=True)
        except InputError:
            continue
        path = list(read_paths(output, copy))[-1:]
        if not path or path[0][-1].value is not None or path[0][-1].number < 0:
            continue
        tried, conjunct = path[0][-1], copy.conjuncts[path[0][-1].number]
        action = None if name else copy.action_at(copy.found[tried.number][1])
        args = next((each.names for each in path[0] if each.action and each.action == action), {})
        state = last.index + bool(primed)
        by = f" by {call_text(action, args)}" if action else f" in {name}"
        yield Cause.at(
            conjunct,
            "expression",
            f"{conjunct.text} cannot be evaluated in state {state}{by}",
            action=action,
            args=args,
            values={name: value for each in path[0] for name, value in each.names.items()},
            state=state,
        )
        return
    evaluated = (
        "neither a step from the last state nor an invariant fails"
        if checked
        else "no step from the last state fails"
    )
    elsewhere = "it may be in a property, a fairness condition or a constraint"
    raise InputError(
        "not-confirmable",
        f"the error could not be reproduced: evaluated again, {evaluated}; {elsewhere}",
        hint="",
    )


def _of_assumptions(query: TraceQuery) -> Iterator[Cause]:
    """The conjuncts of the assumptions that are FALSE."""
    parts: _Parts = []
    for module in query.spec.extended:
        edits: list[Edit] = []
        for each in module.assumptions:
            if each.axiom:
                continue
            parts += [(part, module) for part in _assumed(each.body, module, query)]
            edits += left_out(each.body.span, "TRUE")
        lines = query.modules[f"{module.name}.tla"].split("\n")
        query.modules[f"{module.name}.tla"] = "\n".join(edited(lines, edits))
    yield from _false_constants(parts, "ASSUME", query)


def _of_constant_check(trace: Trace, query: TraceQuery) -> Iterator[Cause]:
    """Yield the conjuncts that are FALSE in every state, of a check that TLC reports as violated without a state."""
    name = query.violated(trace)
    entity = query.spec.scope.names.get(name)
    parts: _Parts = []
    if entity is not None and entity.body is not None:
        module = next(each for each in query.spec.modules if each.name == entity.declaration.module)
        levels, scope = Levels(query.spec.resolver), query.spec.scope_of(module)
        for part in _assumed(entity.body, module, query):
            if levels.of_expression(part, scope) is Level.CONSTANT:
                parts.append((part, module))
    if not parts:
        raise InputError("not-confirmable", "TLC wrote no counterexample", hint="")
    yield from _false_constants(parts, name, query)


def _false_constants(parts: _Parts, path: str, query: TraceQuery) -> Iterator[Cause]:
    """Yield a cause for each of some constant formulas that is FALSE; ``path`` says what they are parts of."""
    told, lines = _told_parts(parts, query)
    lines += [f"ASSUME {each}" for each in told]
    with query.run(MODULE, query.each_state(MODULE, [], ["FALSE"], definitions=lines)) as executed:
        yield from _false_parts(executed.output, parts, path, "", query)


def _of_postcondition(trace: Trace, query: TraceQuery) -> Iterator[Cause]:
    """The conjuncts of a postcondition that are FALSE after the same search."""
    config, name = query.config, query.violated(trace)
    entity = query.spec.scope.names.get(name)
    if entity is None or entity.body is None:
        raise InputError("not-confirmable", f"{name} is not defined", hint="")
    module = next(each for each in query.spec.modules if each.name == entity.declaration.module)
    parts = [(part, module) for part in _assumed(entity.body, module, query)]
    told, lines = _told_parts(parts, query)
    variables = ", ".join(query.variables)
    behaviour = config.specification or f"{query.init} /\\ [][{query.next}]_<<{variables}>>"
    lines += [f"{MODULE}Spec == {behaviour}", f"{MODULE}End ==", *(f"  /\\ {each}" for each in told), "===="]
    with query.run(
        MODULE,
        [*query.header(MODULE), *lines, ""],
        # They may set what the postcondition reads.
        invariants=config.invariants,
        properties=config.properties,
        postconditions=[f"{MODULE}End"],
        bounded=True,
        seconds=_SEARCH_SECONDS,
    ) as executed:
        if executed.result.outcome is Outcome.TIMEOUT:
            wide = (
                f"a postcondition is about a whole search, and this one takes more than {_SEARCH_SECONDS} s"
            )
            raise InputError("not-confirmable", wide, hint="")
        yield from _false_parts(executed.output, parts, name, " at the end of the search", query)


@deeply
def explain_no_state(origin: Origin) -> ViolationCauses:
    """Return why a search whose constraints cut all initial states found none.

    The causes are the conjuncts that are FALSE in an initial state. Whatever fails is a reason, as in ``explain_trace``.
    """
    unknown = ViolationCauses(
        kind="constraint", name="", reason="no initial state is known that a constraint cuts"
    )
    return explain_with(lambda: _explain_cut_states(origin, unknown), unknown)


def _explain_cut_states(origin: Origin, unknown: ViolationCauses) -> ViolationCauses:
    query = TraceQuery([], origin)
    cutting = query.config.constraints
    query.expose(query.init, *cutting)
    behaviour = f"{query.init} /\\ [][FALSE]_<<{', '.join(query.variables)}>>"
    lines = [*query.header(MODULE), f"{MODULE}Spec == {behaviour}", "====", ""]
    # A state that a constraint cuts is a counterexample to the constraint.
    with query.run(MODULE, lines, invariants=cutting, seconds=_SEARCH_SECONDS) as executed:
        cut_state = next(iter(executed.result.traces), None)
    if cut_state is None:
        return unknown

    name = dict(origin.record.expressions).get(cut_state.name, cut_state.name)
    why, values = explain_trace(cut_state, origin), cut_state.states[0].values
    causes = tuple(replace(each, values={**each.values, **values}) for each in why.causes)
    return replace(why, kind="constraint", name=name, causes=causes)


_Parts: TypeAlias = list[tuple[Expression, Module]]


def _told_parts(parts: _Parts, query: TraceQuery) -> tuple[list[str], list[str]]:
    """The formulas that print the values of constant parts, and the definitions that these need."""
    constants = {each.name for each in query.spec.constants if not each.arity}
    told, lines = [], []
    for number, (part, module) in enumerate(parts):
        used = dict.fromkeys(
            module.excerpt(each.span)
            for each in part.walk()
            if each.operator in constants or each.operator.endswith("TLCGet")
        )
        names = ", ".join('"' + each.replace('"', '\\"') + '"' for each in used)
        lines += [f"AskWhyPart{number} ==", module.padded(part.span)]
        told.append(
            f'PrintT(<<"tla2py: assumed", {number}, <<{names}>>, <<{", ".join(used)}>>, AskWhyPart{number}>>)'
        )
    return told, lines


def _false_parts(output: str, parts: _Parts, path: str, when: str, query: TraceQuery) -> Iterator[Cause]:
    """A cause for each part that TLC printed as FALSE."""
    for printed in printed_tuples(output):
        match printed:
            case ("tla2py: assumed", int(number), tuple(names), tuple(values), False):
                part, module = parts[number]
                place = CopyPlace(scope=query.spec.scope_of(module), module=module, path=(path,))
                conjunct = place.conjunct(part, "conjunct")
                says = f"{conjunct.text} is FALSE{when}"
                yield Cause.at(conjunct, "conjunct", says, value=False, values=pair_values(names, values))


def _assumed(expr: Expression, module: Module, query: TraceQuery) -> Iterator[Expression]:
    """The conjuncts of an assumption, those of definitions of its module too."""
    entity = query.spec.scope_of(module).named(expr)
    here = entity is not None and entity.declaration.module == module.name
    if expr.shape == "apply" and expr.operator == "/\\":
        for each in expr.arguments:
            yield from _assumed(each, module, query)
    elif entity is not None and entity.body is not None and entity.body.operator == "/\\" and here:
        yield from _assumed(entity.body, module, query)
    else:
        yield expr


def without_trace(violations: Iterable[Violation]) -> Iterator[Trace]:
    """Yield a trace without states for each violation that may have none."""
    for each in violations:
        if each.kind in _STATELESS:
            yield Trace(kind=each.kind, name=each.name, states=())


# What TLC may report without a state; an invariant or a property if it reads no variable.
_STATELESS = frozenset({"assert", "assumption", "postcondition", "invariant", "temporal_property"})


# Attempts at a step.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    """A way through a next-state relation that leads to no step: an action, its arguments, what is FALSE in it.

    ``last`` is the number of the last conjunct on the way.
    """

    action: str
    args: dict[str, Value]
    last: int
    false: tuple[ConjunctAttempt, ...]
    rank: tuple[int, ...]
    names: dict[str, Value]


def _attempt(
    path: Sequence[ConjunctAttempt],
    copy: InstrumentedFormula,
    effects: Sequence[bool],
    actions: Sequence[str],
) -> _Attempt | None:
    tried = [each for each in path if each.number >= 0]
    if not tried:
        return None
    action = actions[tried[-1].number]
    args = next((each.names for each in path if each.action == action), {})
    judged = [each for each in tried if copy.conjuncts[each.number].role != "condition"]
    never = any(copy.is_constant(each.number) and not each.value for each in judged)
    true = {(effects[each.number], each.depth) for each in judged if each.value}
    # What was not evaluated is not known to be TRUE.
    whole = {(effects[n], float(copy.depths[n])) for n, name in enumerate(actions) if name == action}
    lacking = [sum(effect is about for effect, _ in whole - true) for about in (True, False)]
    known = (each.names for each in path if each.value or each.number >= 0)
    return _Attempt(
        action=action,
        args=args,
        last=tried[-1].number,
        false=tuple(each for each in judged if not each.value),
        rank=(*(lacking if copy.fixed else [sum(lacking)]), not never, -len(true)),
        names={name: value for names in known for name, value in names.items()},
    )


class _Denial(NamedTuple):
    """What an attempt did not lead to, said of an action and of a formula that no definition names."""

    of_action: str
    of_formula: str


_NOT_ENABLED = _Denial("is not enabled", "no step is possible")
_NOT_THIS_STEP = _Denial("is not this step", "the property does not allow this step")
_NOT_TRUE = _Denial("is not TRUE", "the property is not TRUE")


def _of_attempts(
    output: str, copy: InstrumentedFormula, state: int, denial: _Denial, earlier: Sequence[State] = ()
) -> Iterator[Cause]:
    """Yield a cause for the nearest instances of each action: its first conjunct that is FALSE; first one of each action.

    Of the states ``earlier`` a cause names the step that last changed what the conjunct reads.
    """
    seen: dict[str, int] = {}
    found: list[Cause] = []
    effects = [copy.is_effect(number) for number in range(len(copy.conjuncts))]
    actions = [copy.action_at(place) for _, place in copy.found]
    attempts = (_attempt(path, copy, effects, actions) for path in read_paths(output, copy))
    told = set[tuple[str, str]]()
    for each in sorted((each for each in attempts if each and each.false), key=lambda each: each.rank):
        first = each.false[0]
        _, place = copy.found[each.last]
        call = copy.call_at(place) or call_text(each.action, each.args)
        conjunct = copy.conjuncts[first.number]
        if (call, conjunct.text) in told or seen.get(each.action, 0) >= _MOST_INSTANCES:
            continue
        told.add((call, conjunct.text))
        seen[each.action] = seen.get(each.action, 0) + 1
        mentioned = {name: value for name, value in each.names.items() if name in first.names}
        subject = f"{call} {denial.of_action}" if copy.has_action_at(place) else denial.of_formula
        found.append(
            Cause.at(
                conjunct,
                "action",
                f"{subject}: FALSE is {conjunct.text}{_last_change(first.number, copy, earlier)}",
                action=each.action,
                args=each.args,
                value=False,
                values={**mentioned, **first.names},
                state=state,
            )
        )
    yield from one_each(found)
    if ENOUGH in output:
        yield Cause(role="expression", text="", says=f"{TOO_MUCH}; others may be nearer", state=state)


def _last_change_of(cause: Cause, copy: InstrumentedFormula, states: Sequence[State]) -> str:
    """Say which of some steps was the last to change a variable that the conjunct of a cause reads."""
    numbers = (
        number
        for number, conjunct in enumerate(copy.conjuncts)
        if (conjunct.text, conjunct.place) == (cause.text, cause.place)
    )
    number = next(numbers, None)
    return "" if number is None else _last_change(number, copy, states)


def _last_change(number: int, copy: InstrumentedFormula, states: Sequence[State]) -> str:
    """Say which of some steps was the last to change a variable that a conjunct reads; empty if none did."""
    expr, place = copy.found[number]
    variables = sorted(set(read_variables(expr, place.scope, set())))
    for before, after in reversed(list(pairwise(states))):
        changed = [name for name in variables if before.values.get(name) != after.values.get(name)]
        if changed and after.action:
            return f"; {', '.join(changed)} last changed in state {after.index}, by {after.action}"
    return ""


def _of_deadlock(trace: Trace, query: TraceQuery) -> Iterator[Cause]:
    """Each action with what forbids it in the last state."""
    *earlier, last = trace.states[-_MOST_STATES:]
    copy = instrument_definition(query, behaviour_name(query), "next", fixed=False)
    output = observe_copies(query, [copy], [last], ["FALSE"])
    told: list[str] = []
    # The answer about the last state stands without the others.
    with contextlib.suppress(InputError):
        _, *told = _NEXT_STATE.split(observe_copies(query, [copy], earlier, ["FALSE"]) if earlier else "")
    if any(ENOUGH in each for each in told):
        told = []
    before = {int(n): tuple(read_paths(text, copy)) for n, text in zip(told[::2], told[1::2], strict=True)}
    paths = [(state, before.get(n, ())) for n, state in enumerate(earlier, 1)]
    for each in _of_attempts(output, copy, last.index, _NOT_ENABLED):
        cause = _since(each, copy, last, paths)
        if cause is each:
            # It was FALSE in all states that were asked about.
            cause = replace(each, says=f"{each.says}{_last_change_of(each, copy, trace.states)}")
        yield cause


def _since(
    cause: Cause,
    copy: InstrumentedFormula,
    last: State,
    before: Sequence[tuple[State, Sequence[Sequence[ConjunctAttempt]]]],
) -> Cause:
    """A cause with the states in which its conjunct was TRUE for these arguments, and the step that made it FALSE."""
    own = {n for n, each in enumerate(copy.conjuncts) if (each.text, each.place) == (cause.text, cause.place)}

    def is_about_same(tried: ConjunctAttempt) -> bool:
        """Return whether a conjunct that was tried is the one of the cause, for the same bound names."""
        if tried.number not in own:
            return False
        _, place = copy.found[tried.number]
        return all(
            tried.names.get(name) == cause.values[name] for name in place.names if name in cause.values
        )

    true, false = [], {last.index}
    for state, paths in before:
        found = [
            bool(each.value)
            for path in paths
            if next((each.names for each in path if each.action and each.action == cause.action), {})
            == cause.args
            for each in path
            if is_about_same(each)
        ]
        if any(found):
            true.append(state.index)
        elif found:
            false.add(state.index)
    if not true:
        return cause
    states = [*(state for state, _ in before), last]
    after = next(each for each in states if each.index == true[-1] + 1)
    # Where it was not evaluated it may have been FALSE already.
    since = (
        f", since state {after.index}, after {after.action}" if after.index in false and after.action else ""
    )
    return replace(cause, states=tuple(true), says=f"{cause.says}{since}")


def _of_step(trace: Trace, query: TraceQuery) -> Iterator[Cause]:
    """The last step, what it changes of the abstract state, and each abstract action that it is not."""
    before, after = trace.states[-2:] if len(trace.states) > 1 else (None, trace.states[-1])
    name = query.violated(trace)
    if name not in query.spec.definitions:
        raise InputError("not-confirmable", f"{name} is not defined", hint="")
    copy = instrument_definition(query, name, "next" if before else "init")
    assigned = query.successor(f"{MODULE}States[2]") if before else query.unchanged
    states = [each for each in (before, after) if each]
    output = observe_copies(query, [copy], states, [], assigned, without=[2] if before else ())
    if before is not None:
        yield Cause(
            role="action",
            action=after.action,
            text=after.action or "",
            says=f"the step to state {after.index} is {after.action}",
            state=after.index,
            module=after.location.module if after.location else None,
            line=after.location.begin_line if after.location else None,
            column=after.location.begin_column if after.location else None,
        )
    denial = _NOT_THIS_STEP if before else _NOT_TRUE
    # The last step is the one that is explained.
    yield from _of_attempts(output, copy, after.index, denial, trace.states[:-1])
    yield from _of_mapping(output, query, after.index)


def _of_mapping(output: str, query: TraceQuery, state: int) -> Iterator[Cause]:
    """The variables of the abstract state, which a step changes or which an initial state has."""
    told = set[str]()
    for printed in printed_tuples(output):
        match printed:
            case ("tla2py: shown", tuple(names), tuple(olds), tuple(news)):
                for name, old, new in zip(map(str, names), olds, news, strict=True):
                    if set(map(str, names)) != set(query.variables) and name not in told:
                        told.add(name)
                        before = f"{format_value(old)} ->" if old != new else "="
                        says = f"{name} {before} {format_value(new)}"
                        yield Cause(role="mapping", text=name, says=says, state=state, before=old, after=new)
