"""What a specification can do beside what its reference can: initial states, steps, states and fairness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from tla2py.analysis.fairness import (
    SpecConjunct,
    condition_names,
    find_parts,
    with_conditions,
    with_conjuncts,
)
from tla2py.analysis.grade_model import GradedCheck, GradingRunner, write_config
from tla2py.analysis.reference import BesideReference
from tla2py.analysis.reference_join import Side, join, read_variables, unmapped, without_checks
from tla2py.analysis.state_graph import (
    BehaviourDifference,
    GraphComparison,
    State,
    StateGraph,
    compare_graphs,
)
from tla2py.analysis.view import StoreView
from tla2py.errors import InputError, writing
from tla2py.execution.result import SweepResult
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.store.fragments import read_rows
from tla2py.store.refresh import table_files
from tla2py.text import counted
from tla2py.tla.graph import ScopedExpression
from tla2py.tla.itf import state_to_itf

# Larger graphs are not read.
_MOST_STATES = 50_000


def read_state_graph(result: SweepResult, row: RunRow, names: Mapping[str, str]) -> StateGraph:
    """Return the state graph of a run, seen through some of its variables.

    ``names`` maps each of these variables to the name that it has in the states returned.
    """
    graph = StateGraph()
    states: dict[int, State] = {}
    columns = ("run_id", "fingerprint", "initial", "state")
    for run_id, fingerprint, is_initial, text in read_rows(
        table_files(result.store, "graph_states"), columns
    ):
        if run_id != row.run_id:
            continue
        values = msgspec.json.decode(text)
        visible = {name: values[variable] for variable, name in names.items()}
        state = msgspec.json.encode(visible, order="sorted").decode()
        states[fingerprint] = state
        graph.steps.setdefault(state, {})
        if is_initial:
            graph.add_initial(state)

    columns = ("run_id", "source", "target", "action")
    for run_id, source, target, action in read_rows(table_files(result.store, "graph_edges"), columns):
        if run_id == row.run_id:
            graph.add_step(states[source], states[target], action or "")
    return graph


class _NotComparedError(Exception):
    """The reason why states cannot be compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Direction:
    """Conditions of one side, ``outer``, that the other, ``inner``, is asked to satisfy.

    ``maps`` gives names of ``outer`` names of ``inner``, ``values`` the values of the constants.
    """

    inner: Side
    outer: Side
    maps: Mapping[str, str]
    values: Mapping[str, str]
    subject: str
    possessive: str


@dataclass(slots=True)
class BehaviourComparison:
    """The comparison of what a specification and its reference can do at the reference's constants."""

    beside: BesideReference
    evidence: dict[str, object] = field(default_factory=dict)

    def grade(self) -> GradedCheck:
        """Return the check ``behaviour``: each difference is a doubt."""
        command = self._bench.case.command
        if self.beside.here is None:
            words = f"behaviours were not compared: {self.beside.refused}"
            return GradedCheck("behaviour", "doubtful", words, command=command)
        try:
            summary, differences = self._state_differences()
            differences += self._compare_conditions()
        except InputError as error:
            words = f"behaviours were not compared: {error}"
            return GradedCheck("behaviour", "doubtful", words, self.evidence, command)

        self.evidence["differences"] = [difference.to_dict() for difference in differences]
        if differences:
            words = "; ".join(difference.words for difference in differences)
            return GradedCheck("behaviour", "doubtful", words, self.evidence, command)
        words = f"it can do what the reference can, and no more: {summary}, {self._fairness_summary()}"
        return GradedCheck("behaviour", "pass", words, self.evidence, command)

    @property
    def _bench(self) -> GradingRunner:
        return self.beside.bench

    @property
    def _folder(self) -> Path:
        return self._bench.folder / "behaviour"

    @property
    def _candidate_values(self) -> dict[str, str]:
        """Return the values of the reference's constants under the names that the candidate has for them."""
        maps = self.beside.maps
        return {maps.get(name, name): value for name, value in self.beside.reference.values.items()}

    def _fairness_summary(self) -> str:
        sides = (self.beside.candidate, self.beside.reference)
        if any(find_parts(side).conditions for side in sides):
            return "and each satisfies the fairness of the other"
        return "and neither asks for fairness"

    def _state_differences(self) -> tuple[str, list[BehaviourDifference]]:
        """Return how many states were compared, in words, and the differences between the state graphs."""
        try:
            comparison = self._compare_states()
        except _NotComparedError as reason:
            return "", [BehaviourDifference(words=f"states were not compared: {reason}")]
        return _states_summary(comparison), comparison.differences

    def _compare_states(self) -> GraphComparison:
        """Return the comparison of both state graphs. Raises _NotComparedError."""
        candidate, reference, maps = self.beside.candidate, self.beside.reference, self.beside.maps
        # The candidate's variables, each with the name that the reference has for it.
        names = {
            maps.get(variable.name, variable.name): variable.name for variable in reference.spec.variables
        }
        variables = {variable.name for variable in candidate.spec.variables}
        expressions = [name for name in names if name not in variables]
        if expressions:
            raise _NotComparedError(f"{', '.join(expressions)} is not one of its variables")

        bare_reference = replace(reference, config=without_checks(reference.config))
        candidate_module = self._join(candidate, bare_reference, maps, self._candidate_values, "own")
        candidate_graph = self._run_graph(candidate_module, None, "candidate", names)
        reference_module = reference.spec.root.path
        assert reference_module is not None
        config = self._folder / "reference.cfg"
        write_config(config, bare_reference.config)
        own_names = {name: name for name in names.values()}
        reference_graph = self._run_graph(reference_module, config, "reference", own_names)

        self.evidence["distinct"] = {
            "candidate": len(candidate_graph.steps),
            "reference": len(reference_graph.steps),
        }
        return compare_graphs(candidate_graph, reference_graph)

    def _run_graph(
        self, module: Path, config: Path | None, word: str, names: Mapping[str, str]
    ) -> StateGraph:
        """Return the state graph of a module, of which ``names`` are the variables compared.

        Raises _NotComparedError if TLC could not search it whole, or if it is too large.
        """
        sweep = self._bench.sweep(module, config)
        options = replace(sweep.selection.options, coverage=False, find="first", graph=False)
        plain = sweep.select(vacuity=False, options=options)
        _, row = self._bench.run(plain, f"behaviour/{word}-size")
        if row.verdict is not Verdict.HOLDS:
            raise _NotComparedError(f"the {word} was not searched whole: {row.message or row.unanswered}")
        if (row.distinct or 0) > _MOST_STATES:
            raise _NotComparedError(
                f"the {word} has {counted(row.distinct or 0, 'distinct state')}, more than {_MOST_STATES:,}"
            )
        with_graph = plain.select(options=replace(options, graph=True))
        result, row = self._bench.run(with_graph, f"behaviour/{word}")
        return read_state_graph(result, row, names)

    def _join(
        self, inner: Side, outer: Side, maps: Mapping[str, str], values: Mapping[str, str], name: str
    ) -> Path:
        """Write one side with an instance of the other, whose checks are made; return the module."""
        bare_inner = replace(inner, config=without_checks(inner.config))
        module, _, _ = join(bare_inner, outer, maps, values, self._folder / name)
        return module

    def _compare_conditions(self) -> Iterator[BehaviourDifference]:
        """Yield a difference for each condition of either side that the other one does not satisfy."""
        candidate, reference, maps = self.beside.candidate, self.beside.reference, self.beside.maps
        forward = _Direction(
            inner=candidate,
            outer=reference,
            maps=maps,
            values=self._candidate_values,
            subject="it",
            possessive="the reference's",
        )
        backward = _Direction(
            inner=reference,
            outer=candidate,
            maps={there: here for here, there in maps.items() if there.isidentifier()},
            values={**candidate.values, **reference.values},
            subject="the reference",
            possessive="its",
        )
        fairness: dict[str, list[str]] = {}
        self.evidence["fairness"] = fairness
        for direction in (forward, backward):
            conditions = find_parts(direction.outer).conditions
            fairness[direction.outer.word.lower()] = [condition.text for condition in conditions]
            lost = set(unmapped(direction.inner, direction.outer, direction.maps))
            comparable = [
                condition
                for condition in conditions
                if not lost & read_variables(direction.outer.spec, [_reached(condition)])
            ]
            if comparable:
                yield from self._check_conditions(direction, comparable)
            # Where both ask that steps are taken, the state graphs say which; steps that the reference does
            # not see make no difference.
            asks_for_progress = any(
                condition.progress for condition in find_parts(direction.inner).conditions
            )
            others = [
                condition
                for condition in conditions
                if condition not in comparable and not (condition.progress and asks_for_progress)
            ]
            if others:
                yield from self._check_on_candidate(backward, others)

    def _check_conditions(
        self, direction: _Direction, conditions: list[SpecConjunct]
    ) -> Iterator[BehaviourDifference]:
        """Yield a difference for each condition that is violated, with TLC's counterexample."""
        word = direction.outer.word
        outer = with_conditions(direction.outer, conditions)
        name = f"fairness-of-{word.lower()}"
        module = self._join(direction.inner, outer, direction.maps, direction.values, name)
        labels = [f"{word}_{property_name}" for property_name in condition_names(conditions)]
        yield from self._run_conditions(direction, module, dict(zip(labels, conditions, strict=True)))

    def _check_on_candidate(
        self, direction: _Direction, conditions: list[SpecConjunct]
    ) -> Iterator[BehaviourDifference]:
        """Yield a difference for each condition of the candidate that does not follow from the reference's.

        They read variables that the reference lacks, so they are checked on the candidate without its
        fairness, in the behaviours that satisfy the fairness of the reference.
        """
        candidate, reference = self.beside.candidate, self.beside.reference
        parts = find_parts(candidate)
        conjuncts = [*parts.initial, *parts.relations, *conditions]
        inner, names = with_conjuncts(replace(candidate, config=without_checks(candidate.config)), conjuncts)
        specification, concluded = names[: -len(conditions)], names[-len(conditions) :]

        assumed = find_parts(reference).conditions
        outer = with_conditions(reference, assumed)
        folder = self._folder / "fairness-of-candidate-alone"
        module, config, _ = join(inner, outer, self.beside.maps, self._candidate_values, folder)
        premises = [f"{reference.word}_{name}" for name in condition_names(assumed)]
        premise = " /\\ ".join(premises) or "TRUE"
        conjunction = " /\\ ".join(specification)
        lines = [f"Tla2pySpec == {conjunction}"]
        lines += [f"{name}Follows == ({premise}) => {name}" for name in concluded]
        text = module.read_text(encoding="utf-8")
        with writing(module):
            module.write_text(text.removesuffix("====\n") + "\n".join([*lines, "====", ""]), encoding="utf-8")
        labels = [f"{name}Follows" for name in concluded]
        config = replace(config, specification="Tla2pySpec", init=None, next=None, properties=tuple(labels))
        write_config(module.with_suffix(".cfg"), config)
        yield from self._run_conditions(direction, module, dict(zip(labels, conditions, strict=True)))

    def _run_conditions(
        self, direction: _Direction, module: Path, conditions: Mapping[str, SpecConjunct]
    ) -> Iterator[BehaviourDifference]:
        """Yield a difference for each property of a module that is violated; each stands for a condition."""
        sweep = self._bench.sweep(module).select(vacuity=False)
        result, row = self._bench.run(sweep, f"behaviour/{module.parent.name}-runs")
        if row.verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
            words = f"{direction.possessive} fairness was not compared: {row.message or row.unanswered}"
            yield BehaviourDifference(words=words)
            return
        for label, condition in conditions.items():
            if label in row.violated_names:
                words = f"{direction.subject} does not satisfy {direction.possessive} {condition.text}"
                yield _with_counterexample(words, result, row, label)


def _reached(conjunct: SpecConjunct) -> ScopedExpression:
    return ScopedExpression(expr=conjunct.expr, scope=conjunct.scope)


def _states_summary(comparison: GraphComparison) -> str:
    """Return in words how many states there are, and how many of them lie inside steps of the other side."""
    candidate, reference = comparison.candidate, comparison.reference
    parts = [counted(candidate.states, "distinct state")]
    if candidate.inside:
        parts.append(f"{candidate.inside:,} of them inside steps of the reference")
    if reference.inside:
        parts.append(
            f"{reference.states:,} of the reference, {reference.inside:,} of them inside steps of its own"
        )
    return ", ".join(parts)


def _with_counterexample(words: str, result: SweepResult, row: RunRow, label: str) -> BehaviourDifference:
    """Return the difference that a violated condition makes, with TLC's counterexample."""
    view = StoreView(result.store)
    numbers = [trace.trace for trace in view.trace_list(row.point) if trace.name == label]
    if not numbers:
        return BehaviourDifference(words=words)
    trace = view.trace(row.point, numbers[0])
    behaviour = [{"action": state.action, "state": state_to_itf(state.values)} for state in trace.states]
    return BehaviourDifference(
        words=words, behaviour=behaviour, loop_start=trace.loop_start, stuttering=trace.stuttering
    )
