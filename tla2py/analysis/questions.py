"""Questions about the traces of a store that further runs of TLC answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from tla2py.analysis.kinds import Kind, make_kinds
from tla2py.analysis.points import StoredTrace
from tla2py.analysis.tables import StoreTables
from tla2py.errors import InputError
from tla2py.execution.executor import default_slots
from tla2py.model.trace import EVALUATION, SIMULATED, Printed, Trace
from tla2py.model.trace_text import action_text
from tla2py.replay.arguments import derive_arguments
from tla2py.replay.confirm import confirm_trace
from tla2py.replay.conjuncts import Conjuncts, Essential, essential_steps, evaluate_conjuncts
from tla2py.replay.evaluate import evaluate_trace
from tla2py.replay.query import Origin
from tla2py.replay.successors import Successors, find_successors
from tla2py.store.foreign import ForeignStore
from tla2py.store.record import input_file
from tla2py.tla.copies import Conjunct
from tla2py.tlc.process.pool import close_hosts
from tla2py.tlc.tools.toolchain import Toolchain, find_toolchain


def origin_of(view: StoreTables, run_id: str, toolchain: Toolchain) -> Origin:
    """The origin of the traces of a run."""
    with view.store.archive(run_id) as archive:
        record = archive.record
    return Origin(
        record=record,
        sources=view.store.sources(),
        toolchain=toolchain,
        input_file=partial(input_file, view.store.storage),
    )


def require_modules(view: StoreTables) -> None:
    """Raise InputError (``not-confirmable``) for a file that holds traces alone."""
    if isinstance(view.store, ForeignStore):
        raise InputError(
            "not-confirmable",
            f"{view.store.path} holds traces without their module, so TLC cannot run again",
            hint="open a store, which 'tla2py sweep SWEEP.toml' creates",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """What is asked about each trace: the arguments of its actions, the values of expressions."""

    toolchain: Toolchain
    arguments: bool = False
    expressions: tuple[str, ...] = ()
    _derived: dict[int, tuple[Trace, ...]] = field(default_factory=dict)
    _answered: dict[tuple[int, int], Trace] = field(default_factory=dict)

    def answer(self, view: StoreTables, point: int, number: int) -> Trace:
        """A point's trace with the answers, which are kept."""
        if (point, number) not in self._answered:
            plain = StoreTables(view.store)
            trace = plain.trace(point, number)
            rows = plain.trace_list(point)
            origin = origin_of(view, rows[0].run_id, self.toolchain)
            if self.arguments:
                if point not in self._derived:
                    traces = [plain.trace(point, row.trace) for row in rows]
                    self._derived[point] = derive_arguments(traces, origin)
                trace = self._derived[point][number - 1]
            if self.expressions:
                trace = evaluate_trace(trace, self.expressions, origin)
            self._answered[point, number] = trace
        return self._answered[point, number]


def ask(
    view: StoreTables,
    known: Questions | None,
    tla2tools: Path | None,
    *,
    arguments: bool = False,
    expressions: tuple[str, ...] = (),
) -> Questions:
    """The questions of a view with further ones. Raises InputError (``not-confirmable``) for a file of traces."""
    require_modules(view)
    before = known or Questions(toolchain=find_toolchain(tla2tools))
    return Questions(
        toolchain=find_toolchain(tla2tools) if tla2tools else before.toolchain,
        arguments=arguments or before.arguments,
        expressions=(*before.expressions, *expressions),
    )


def asked(view: StoreTables, point: int, number: int, tla2tools: Path | None) -> tuple[Trace, Origin]:
    """A point's trace and its origin, to ask TLC about it."""
    require_modules(view)
    trace = view.trace(point, number)
    return trace, origin_of(view, view.trace_list(point)[0].run_id, find_toolchain(tla2tools))


def stored_successors(
    view: StoreTables, point: int, number: int, state: int, tla2tools: Path | None = None
) -> Successors:
    """The successors of a state of a point's trace."""
    trace, origin = asked(view, point, number, tla2tools)
    return find_successors(trace, trace.state(state), origin)


def stored_essential(
    view: StoreTables,
    point: int,
    number: int,
    tla2tools: Path | None,
    *,
    seconds: float,
    progress: Callable[[str], None] | None = None,
) -> Essential:
    """The essential steps of a point's trace."""
    trace, origin = asked(view, point, number, tla2tools)
    return essential_steps(trace, origin, seconds=seconds, progress=progress)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedTrace:
    """TLC's judgement of a trace, with the reason."""

    point: int
    number: int
    judgement: Literal["confirmed", "refused", "not verifiable"]
    reason: str


def verify_traces(
    view: StoreTables, toolchain: Toolchain, point: int | None = None, number: int | None = None
) -> Iterator[VerifiedTrace]:
    """TLC's judgement of all traces, of a point's traces, or of one of them.

    Raises InputError (``not-confirmable``, ``no-point``, ``no-trace``) and what ``confirm_trace`` raises.
    """
    require_modules(view)
    if point is not None:
        view.trace(point, number or 1)
    seen = set[str]()
    for here in view.points:
        if point not in (None, here.point) or here.run_id in seen:
            continue
        seen.add(here.run_id)
        origin = origin_of(view, here.run_id, toolchain)
        for row in view.trace_list(here.point):
            each = row.trace
            if number not in (None, each) or row.kind == SIMULATED:
                continue
            if row.kind == EVALUATION:
                reason = "TLC could not evaluate the model here"
                yield VerifiedTrace(point=here.point, number=each, judgement="not verifiable", reason=reason)
                continue
            found = confirm_trace(view.trace(here.point, each), origin)
            yield VerifiedTrace(
                point=here.point,
                number=each,
                judgement="confirmed" if found.confirmed else "refused",
                reason=found.reason,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Counterexamples in which the same conjunct turns FALSE first, the shortest first; ``example`` is the first's."""

    members: tuple[StoredTrace, ...]
    example: Conjuncts

    def __str__(self) -> str:
        row, state = self.example.turning, self.example.turning_state
        if row is None or state is None:
            return "no conjunct is FALSE in any state"
        conjunct = row.conjunct
        return f"{conjunct.text}  in {conjunct.definition} at {conjunct.place}"

    @property
    def example_text(self) -> str:
        """``FALSE first in state 4 of point 12, trace 1, after Grant, for c = 1``; empty if no conjunct is FALSE."""
        state = self.example.turning_state
        if state is None:
            return ""
        step = f", after {action_text(state)}" if state.action else ""
        return f"FALSE first in state {state.index} of {self.members[0]}{step}{self.example.blame}"

    def to_json(self) -> dict[str, object]:
        """A row of ``conjuncts`` in ``trace --conjuncts --json``."""
        first = self.members[0]
        return {
            "count": len(self.members),
            "point": first.point,
            "trace": first.trace,
            **self.example.to_json(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TurningKind:
    """The conjuncts that turn FALSE first in the counterexamples of a kind, the most frequent first.

    ``reasons`` say why others have no conjuncts, each with their number.
    """

    kind: Kind
    turns: tuple[Turn, ...]
    reasons: Mapping[str, int] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """A line for each conjunct, with an example below it, and one for each reason."""
        total = len(self.kind.members)
        for turn in self.turns:
            yield f"{len(turn.members)} of {total}: {turn}"
            if turn.example_text:
                yield f"  {turn.example_text}"
        for reason, count in self.reasons.items():
            yield f"{count} of {total}: {reason}"

    def to_json(self) -> dict[str, object]:
        """A row of ``trace --conjuncts --json``."""
        return {
            **self.kind.row(),
            "conjuncts": [turn.to_json() for turn in self.turns],
            "reasons": dict(self.reasons),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Turning(Printed):
    """The conjuncts that turn FALSE first, by kind of counterexample, the most frequent kind first."""

    kinds: tuple[TurningKind, ...]

    def __len__(self) -> int:
        return len(self.kinds)

    def __iter__(self) -> Iterator[TurningKind]:
        return iter(self.kinds)

    def __str__(self) -> str:
        return "\n".join(
            line
            for number, each in enumerate(self.kinds, 1)
            for line in (*each.kind.lines(number), *(f"     {line}" for line in each.lines()))
        )


def stored_turning(
    view: StoreTables,
    name: str | None,
    tla2tools: Path | None,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Turning:
    """The conjuncts that turn FALSE first in the counterexamples of each kind, or of the kinds of one property.

    ``progress`` is called after each run of TLC, with their number so far and in all.
    """
    require_modules(view)
    toolchain = find_toolchain(tla2tools)
    kinds = [(kind, _by_run(kind)) for kind in make_kinds(view).of(name).kinds]
    total, done, found = sum(len(runs) for _, runs in kinds), 0, []
    try:
        with ThreadPoolExecutor(default_slots(workers=1)) as pool:
            for kind, runs in kinds:
                answers: dict[StoredTrace, Conjuncts | str] = {}
                for members, answer in zip(
                    runs, pool.map(partial(_answer, view, toolchain), runs), strict=True
                ):
                    answers |= zip(members, answer, strict=True)
                    done += 1
                    if progress is not None:
                        progress(done, total)
                found.append(_turning_kind(kind, answers))
    finally:
        close_hosts()
    return Turning(kinds=tuple(found))


def _by_run(kind: Kind) -> list[tuple[StoredTrace, ...]]:
    """The counterexamples of a kind, those of a run together."""
    runs: dict[tuple[int, ...], list[StoredTrace]] = {}
    for member in kind.members:
        runs.setdefault(member.points, []).append(member)
    return [tuple(members) for members in runs.values()]


def _answer(
    view: StoreTables, toolchain: Toolchain, members: Sequence[StoredTrace]
) -> Sequence[Conjuncts | str]:
    """The conjuncts of each counterexample of one run, or why there are none."""
    traces = [view.trace(each.point, each.trace) for each in members]
    try:
        origin = origin_of(view, view.trace_list(members[0].point)[0].run_id, toolchain)
        return evaluate_conjuncts(traces, origin, warm=True)
    except InputError as error:
        return [error.message] * len(members)


def _turning_kind(kind: Kind, answers: Mapping[StoredTrace, Conjuncts | str]) -> TurningKind:
    """A kind with what TLC answered about its counterexamples."""
    turns: dict[Conjunct | None, list[StoredTrace]] = {}
    examples: dict[Conjunct | None, Conjuncts] = {}
    reasons: Counter[str] = Counter()
    for member in kind.members:
        answer = answers[member]
        if isinstance(answer, str):
            reasons[answer] += 1
            continue
        conjunct = answer.turning.conjunct if answer.turning else None
        turns.setdefault(conjunct, []).append(member)
        examples.setdefault(conjunct, answer)
    found = [Turn(members=tuple(each), example=examples[key]) for key, each in turns.items()]
    found.sort(key=lambda turn: -len(turn.members))
    return TurningKind(kind=kind, turns=tuple(found), reasons=reasons)
