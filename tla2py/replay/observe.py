"""Runs of TLC in which copies of formulas tell what is TRUE in the states of a trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from tla2py.errors import InputError
from tla2py.model.outcome import Verdict
from tla2py.model.trace import State
from tla2py.replay.query import InvariantCopy, TraceQuery, first_error
from tla2py.tla.instrument import printed_tuples
from tla2py.tla.instrument_formula import (
    ENOUGH,
    MOST_PRINTED,
    PRINTER_MODULE,
    About,
    InstrumentedFormula,
    printer_text,
)
from tla2py.tla.value import Value

MODULE = "AskWhy"
OTHERWISE = "evaluate expressions in the states instead: --eval EXPR"
TOO_MUCH = f"there is more to evaluate than the {MOST_PRINTED:,} formulas that TLC tells of"


def pair_values(names: Iterable[Value], values: Iterable[Value]) -> dict[str, Value]:
    """Names with the values that TLC printed beside them."""
    return dict(zip(map(str, names), values, strict=True))


def behaviour_name(query: TraceQuery) -> str:
    """The name of the specification or next-state relation."""
    found = query.config.specification or query.config.next
    if found is None:
        raise InputError("not-confirmable", "the config names no specification", hint="")
    return query.config.replaced_names.get(found, found)


def instrument_definition(query: TraceQuery, name: str, about: About, **options: Any) -> InstrumentedFormula:
    """The copy of a definition that tells ``about`` it; ``options`` are those of ``InstrumentedFormula``."""
    query.expose(name)
    return InstrumentedFormula(
        query=query, name=name, printer=PRINTER_MODULE, about=about, **{"action": None, **options}
    )


def observe_copies(
    query: TraceQuery,
    copies: Sequence[InstrumentedFormula | InvariantCopy],
    states: Sequence[State],
    end: Sequence[str],
    successor: str = "",
    *,
    fails: bool = False,
    judged: bool = False,
    without: Sequence[int] = (),
) -> str:
    """What TLC tells of copies in some states; with ``fails``, before it fails there.

    The last copy has to be TRUE where TLC goes on, unless all are ``judged``. TLC takes no step from the states with the
    numbers ``without``.

    Raises InputError (``not-confirmable``) if TLC cannot evaluate them, or does not fail.
    """
    roots = [f"IF {each.root} THEN TRUE ELSE TRUE" for each in copies]
    roots[-1] = roots[-1] if judged else copies[-1].root
    count = max(len(each.conjuncts) for each in copies)
    assigned = [successor] if successor else []
    module = query.each_state(
        MODULE,
        states,
        ['PrintT(<<"tla2py: state", askWhyStep>>)', *assigned, *roots, *end],
        definitions=[f"LOCAL tla2pyTold == INSTANCE {PRINTER_MODULE}", f"ASSUME tla2pyTold!Begin({count})"],
        without=without,
    )
    error = "it does not fail there again"
    for stops in (False, True) if copies[0].conjuncts and not fails else (fails,):
        query.modules[f"{PRINTER_MODULE}.tla"] = printer_text(stops=stops)
        with query.run(MODULE, module) as executed:
            holds = executed.result.verdict is Verdict.HOLDS
            if holds is not fails:
                if ENOUGH in executed.output and len(copies) > 1:
                    raise InputError("not-confirmable", TOO_MUCH, hint="")
                return executed.output
            error = error if fails else first_error(executed.result)
    raise InputError("not-confirmable", f"TLC could not evaluate it: {error}", hint=OTHERWISE)


class ConjunctAttempt(NamedTuple):
    """A conjunct that TLC evaluated, None while it has not passed; without ``number`` the arguments of an action."""

    number: int
    depth: float
    value: bool | None
    names: dict[str, Value]
    action: str = ""


def read_paths(output: str, copy: InstrumentedFormula) -> Iterator[tuple[ConjunctAttempt, ...]]:
    """The ways that TLC went, depth first, each to where it turned back."""
    path: list[ConjunctAttempt] = []
    for printed in printed_tuples(output):
        match printed:
            case ("tla2py: holds", int(number), tuple(names), tuple(values), bool(value)):
                new = ConjunctAttempt(number, copy.depths[number], value, pair_values(names, values))
            case ("tla2py: try", int(number), tuple(names), tuple(values)):
                new = ConjunctAttempt(number, copy.depths[number], None, pair_values(names, values))
            case ("tla2py: bound", int(number), tuple(names), tuple(values)):
                if path and path[-1].number == number and path[-1].value is None:
                    path.pop()
                new = ConjunctAttempt(number, copy.depths[number], True, pair_values(names, values))
            case ("tla2py: args", int(depth), str(name), tuple(names), tuple(values)):
                new = ConjunctAttempt(-1, depth - 0.5, None, pair_values(names, values), name)
            case ("tla2py: pass", int(number)):
                path = [each._replace(value=True) if each.number == number else each for each in path]
                continue
            case _:
                continue
        if path and path[-1].depth >= new.depth:
            yield tuple(path)
            path = [each for each in path if each.depth < new.depth]
        path.append(new)
    if path:
        yield tuple(path)
