"""Cases made from a cover: what a test does, and the states that it has to see."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tla2py.cases.cover import Behaviour, Cover, CoverOptions, make_cover
from tla2py.cases.graph import Graph, Label, as_itf, read_graph
from tla2py.errors import InputError
from tla2py.model.trace import SIMULATED, State, Trace
from tla2py.text import counted, did_you_mean, listed
from tla2py.tla.itf import Json, json_text, state_from_itf
from tla2py.tla.value import format_value

if TYPE_CHECKING:
    from tla2py.analysis.tables import StoreTables
    from tla2py.replay.query import Origin

_SQL = "sql:"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOptions(CoverOptions):
    """What to make cases of, as the options of ``testgen`` say.

    ``see`` and ``where`` are TLA+, or SQL over ``state`` after ``sql:``. ``arguments`` runs TLC for those that it did not
    print.
    """

    point: int | None = None
    see: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    where: str | None = None
    no_stutter: bool = False
    partial: bool = False
    arguments: bool = False
    tla2tools: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A test case: ``actions`` to take, and the states allowed before the first and after each."""

    case: str
    behaviour: Behaviour
    actions: tuple[Label, ...]
    states: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Cases:
    """The cases that cover a graph."""

    graph: Graph
    cover: Cover
    inputs: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Case]:
        """The cases in order, of several that do the same the first; one that another begins with is left out."""
        before = None
        for behaviour in self.cover.behaviours:
            case = self.case(behaviour)
            if before is not None:
                alike = self.inputs and before.states[0] == case.states[0]
                if alike and before.actions[: len(case.actions)] == case.actions:
                    continue
                if not alike or case.actions[: len(before.actions)] != before.actions:
                    yield before
            before = case
        if before is not None:
            yield before

    def case(self, behaviour: Behaviour) -> Case:
        """The case that a behaviour is; with inputs it may have the same as others."""
        graph = self.graph
        steps = [step for step in behaviour.steps if self.is_input(step)]
        actions = tuple(graph.labels[graph.names[step]] for step in steps)
        if self.inputs:
            allowed = [self.closure([behaviour.initial])]
            for step in steps:
                allowed.append(self.after(allowed[-1], graph.names[step]))
        else:
            allowed = [[behaviour.initial], *([graph.targets[step]] for step in steps)]
        named: list[Json] = [[each.action, dict(each.args)] for each in actions]
        texts: list[Json] = [[graph.states[number].as_py() for number in each] for each in allowed]
        digest = hashlib.sha256(json_text([named, texts]).encode()).hexdigest()
        return Case(case=digest[:12], behaviour=behaviour, actions=actions, states=tuple(map(tuple, allowed)))

    def is_input(self, step: int) -> bool:
        """Whether a step is taken by the test, not by the system."""
        return not self.inputs or self.graph.labels[self.graph.names[step]].action in self.inputs

    def closure(self, states: Iterable[int]) -> list[int]:
        """These states and all that the system can reach by its own actions, in order."""
        found = dict.fromkeys(states)
        border = list(found)
        for state in border:
            for step in self.graph.steps(state):
                if not self.is_input(step) and self.graph.targets[step] not in found:
                    found[self.graph.targets[step]] = None
                    border.append(self.graph.targets[step])
        return sorted(found)

    def after(self, states: Iterable[int], name: int) -> list[int]:
        """The states that an input leads to from any of these, and what the system makes of them."""
        graph = self.graph
        return self.closure(
            graph.targets[step] for step in graph.leaving(states) if graph.names[step] == name
        )

    def states_json(self, allowed: Sequence[int]) -> Json:
        """Return the states of a case as its JSON has them: one, or with inputs a list without repetitions."""
        found = [dict(self.graph.state(number)) for number in allowed]
        if not self.inputs:
            return found[0]
        return list({json_text(each): each for each in found}.values())

    def to_json(self, case: Case) -> dict[str, Json]:
        """A case as a JSON object."""
        more: dict[str, Json] = {"partial": self.graph.incomplete} if self.graph.incomplete else {}
        return {
            "id": case.case,
            "point": self.graph.point,
            "actions": [each.to_json() for each in case.actions],
            "states": [self.states_json(each) for each in case.states],
            **more,
        }

    def to_itf(self, case: Case) -> dict[str, Json]:
        """A case as an ITF trace, with actions and arguments under the names that Quint gives them."""
        whole = self.to_json(case)
        states: list[Json] = []
        for index, allowed in enumerate(case.states):
            label = case.actions[index - 1] if index else Label(action="init", args={})
            states.append(
                {
                    "#meta": {"index": index},
                    **dict(self.graph.state(allowed[0])),
                    "mbt::actionTaken": label.action,
                    "mbt::nondetPicks": dict(label.args),
                }
            )
        names: list[Json] = [*self.graph.state(case.states[0][0]), "mbt::actionTaken", "mbt::nondetPicks"]
        meta = {key: value for key, value in whole.items() if key not in ("actions", "states")}
        return {"#meta": {"format": "ITF", **meta}, "vars": names, "states": states}

    def lines(self, form: str) -> Iterator[str]:
        """The cases in the format jsonl or itf, one a line. Raises InputError (``unknown-format``, ``usage``)."""
        if form not in ("jsonl", "itf"):
            raise InputError("unknown-format", f"no format {form!r}", hint="formats of cases: jsonl, itf")
        if form == "itf" and self.inputs:
            raise InputError(
                "usage", "ITF has one state a step, and with --inputs several are allowed", hint="use jsonl"
            )
        for case in self:
            whole = self.to_itf(case) if form == "itf" else self.to_json(case)
            yield json.dumps(whole, ensure_ascii=False) + "\n"


def make_cases(view: StoreTables, options: CaseOptions) -> Cases:
    """The cases of a point's graph.

    Raises InputError as ``read_graph`` and ``make_cover`` do, ``unknown-action`` for an input that the graph does not have,
    and ``sql``, ``expression-syntax`` or ``expression-fails`` for an expression.
    """
    graph = read_graph(view, options.point, partial=options.partial, stutter=not options.no_stutter)
    for name in options.inputs:
        if name not in graph.actions:
            hint = did_you_mean(name, graph.actions, f"actions: {', '.join(graph.actions)}")
            raise InputError("unknown-action", f"no step of the graph is called {name}", hint=hint)
    notes, classes, wanted = list(graph.notes), None, None
    if options.see:
        graph = replace(graph, seen=_evaluated(view, graph, options.see, options))
        numbers: dict[str, int] = {}
        # Equal where a test sees the same.
        seen = (json_text(graph.state(state)) for state in range(len(graph.states)))
        classes = [numbers.setdefault(text, len(numbers)) for text in seen]
        notes += _mergers(graph, classes)
    if options.where is not None:
        found = _evaluated(view, graph, [options.where], options)
        wanted = bytearray(each[options.where] is True for each in found)
        if not any(wanted):
            notes.append(f"no state satisfies {options.where}")
    if options.arguments:
        graph = _with_arguments(view, graph, options)
    cover = make_cover(graph, options, classes=classes, wanted=wanted)
    return Cases(graph=graph, cover=cover, inputs=frozenset(options.inputs), notes=tuple(notes))


def _mergers(graph: Graph, classes: Sequence[int]) -> Iterator[str]:
    """What a test that sees less cannot tell: actions whose effect depends on more than it sees."""
    effects: dict[tuple[int, int], set[frozenset[int]]] = {}
    for state, number in enumerate(classes):
        targets: dict[int, set[int]] = {}
        for step in graph.steps(state):
            targets.setdefault(graph.names[step], set()).add(classes[graph.targets[step]])
        for name, after in targets.items():
            effects.setdefault((number, name), set()).add(frozenset(after))
    blurred = sorted({str(graph.labels[name]) for (_, name), after in effects.items() if len(after) > 1})
    if blurred:
        where = sum(len(after) > 1 for after in effects.values())
        yield f"what comes next depends on more than --see shows, at {counted(where, 'place')}: after {listed(blurred, 5)}"


def _evaluated(
    view: StoreTables, graph: Graph, expressions: Sequence[str], options: CaseOptions
) -> list[dict[str, Json]]:
    """The values of expressions in each state: of a variable, of SQL by DuckDB, of other TLA+ by one run of TLC."""
    numbers = range(len(graph.states))
    plain = replace(graph, seen=None)
    variables = plain.state(0) if numbers else {}
    columns: dict[str, list[Json]] = {}
    for text in expressions:
        if text.startswith(_SQL):
            columns[text] = _by_sql(graph, text.removeprefix(_SQL))
        elif text in variables:
            columns[text] = [plain.state(state)[text] for state in numbers]
    rest = [text for text in expressions if text not in columns]
    if rest:
        from tla2py.replay.evaluate import evaluate_trace

        trace = Trace(kind=SIMULATED, name="", states=tuple(_states(graph, numbers)))
        for state in evaluate_trace(trace, rest, _origin(view, graph, options)).states:
            for text, value in state.evaluated:
                columns.setdefault(text, []).append(as_itf(value))
    return [{text: columns[text][state] for text in expressions} for state in numbers]


def _by_sql(graph: Graph, expression: str) -> list[Json]:
    import duckdb
    import pyarrow as pa

    query = f"SELECT to_json({expression}) FROM states ORDER BY n"  # noqa: S608 - the user's own
    plain = pa.table({"state": graph.states, "n": pa.array(range(len(graph.states)))})
    with duckdb.connect() as connection:
        connection.register("plain", plain)
        connection.execute("CREATE TABLE states AS SELECT CAST(state AS JSON) AS state, n FROM plain")
        connection.execute("SET enable_external_access = false")
        try:
            rows = connection.execute(query).fetchall()
        except duckdb.Error as error:
            hint = "an expression over state, such as sql:state->>'$.x'"
            raise InputError("sql", str(error).splitlines()[0], hint=hint) from error
    return [json.loads(value) if value is not None else None for (value,) in rows]


def _states(graph: Graph, numbers: Iterable[int], action: str | None = None) -> Iterator[State]:
    """States as those of a trace, all but the first by the same action."""
    for index, number in enumerate(numbers, 1):
        values = state_from_itf(json.loads(graph.states[number].as_py()))
        taken = action if index > 1 else None
        yield State(index=index, action=taken, action_args=None, location=None, values=values)


def _origin(view: StoreTables, graph: Graph, options: CaseOptions) -> Origin:
    from tla2py.analysis.questions import origin_of
    from tla2py.tlc.tools.toolchain import find_toolchain

    run = view.points[graph.point].run_id
    return origin_of(view, run, find_toolchain(options.tla2tools))


def _with_arguments(view: StoreTables, graph: Graph, options: CaseOptions) -> Graph:
    """The graph with the arguments that TLC did not print: a step for all that make it true."""
    from tla2py.replay.arguments import possible_arguments

    traces = [
        Trace(kind=SIMULATED, name="", states=tuple(_states(graph, ends, graph.labels[name].action)))
        for *ends, name in zip(graph.sources, graph.targets, graph.names, strict=True)
    ]
    possible = possible_arguments(traces, _origin(view, graph, options))
    if possible is None:
        return graph
    found = []
    labels: dict[str, Label] = {}
    for step, every in enumerate(possible[1::2]):
        action = graph.labels[graph.names[step]].action
        for values in every or ({},):
            args = {name: as_itf(format_value(value)) for name, value in values.items()}
            key = json_text([action, args])
            labels[key] = Label(action=action, args=args)
            source, target = graph.sources[step], graph.targets[step]
            found.append((source, source != target, key, target))
    found = sorted(set(found))
    numbers = {key: number for number, key in enumerate(sorted(labels))}
    return replace(
        graph,
        sources=[source for source, _, _, _ in found],
        targets=[target for _, _, _, target in found],
        names=[numbers[key] for _, _, key, _ in found],
        labels=tuple(labels[key] for key in sorted(labels)),
    )


def differences(old: str, new: str) -> list[str]:
    """What came and went between two texts of cases, a line each; none if they are the same."""
    if old == new:
        return []
    before, after = old.splitlines(), new.splitlines()
    went, came = set(before) - set(after), set(after) - set(before)
    head = f"{counted(len(came), 'line')} came, {counted(len(went), 'line')} went"
    changed = [f"- {line}" for line in before if line in went]
    changed += [f"+ {line}" for line in after if line in came]
    return [head if changed else "the order of the lines differs", *changed]
