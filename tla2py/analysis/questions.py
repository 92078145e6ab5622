"""Questions about the traces of a store that further runs of TLC answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from tla2py.analysis.kinds import Kind, StoredTrace, make_kinds
from tla2py.analysis.tables import StoreTables
from tla2py.errors import InputError, StoreError, attempt
from tla2py.execution.executor import default_slots
from tla2py.model.cause import ViolationCauses
from tla2py.model.display import PrintMixin
from tla2py.model.trace import EVALUATION, SIMULATED, UNKNOWN, Trace
from tla2py.model.trace_text import action_text
from tla2py.replay.arguments import derive_arguments
from tla2py.replay.confirm import confirm_trace
from tla2py.replay.conjuncts import Conjuncts, evaluate_conjuncts
from tla2py.replay.evaluate import evaluate_trace
from tla2py.replay.query import Origin, UnansweredError
from tla2py.replay.why import explain_trace, explain_with, without_trace
from tla2py.store.foreign import ForeignStore
from tla2py.store.read import run_violations
from tla2py.store.record import input_file
from tla2py.store.refresh import refresh_tables, stored_table, table_files
from tla2py.store.rows import because_rows
from tla2py.store.store import Store
from tla2py.tla.instrument import Conjunct
from tla2py.tlc.output.messages import UNEXPLAINED
from tla2py.tlc.process.pool import close_hosts
from tla2py.tlc.tools.toolchain import Toolchain, find_toolchain


def origin_of(view: StoreTables, run_id: str, toolchain: Toolchain) -> Origin:
    """The origin of the traces of a run."""
    with view.store.archive(run_id) as archive:
        record = archive.record
    files = partial(input_file, view.store.storage)
    return Origin(record=record, sources=view.store.sources(), toolchain=toolchain, input_file=files)


def require_modules(view: StoreTables) -> None:
    """Raise InputError (``not-confirmable``) for a file that holds traces alone."""
    if isinstance(view.store, ForeignStore):
        message = f"{view.store.path} holds traces without their module, so TLC cannot run again"
        hint = "open a store, which 'tla2py sweep SWEEP.toml' creates"
        raise InputError("not-confirmable", message, hint=hint)


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


def trace_with_origin(
    view: StoreTables, point: int, number: int, tla2tools: Path | None
) -> tuple[Trace, Origin]:
    """Return a point's trace and its origin, to ask TLC about it."""
    require_modules(view)
    trace = view.trace(point, number)
    return trace, origin_of(view, view.trace_list(point)[0].run_id, find_toolchain(tla2tools))


def keep_because(store: Store, toolchain: Toolchain, *, fresh: bool = False) -> str | None:
    """Have a store say why the shortest counterexample of each kind violates what it does, in the table ``because``.

    TLC answers for those that the store has no answer about, also where a fault of the machine ended the last attempt; for
    all, if ``fresh``. Returns why that failed, such as a store that nobody can write to any more; None if it did not.
    """
    try:
        return attempt(lambda: _keep_because(store, toolchain, fresh=fresh), None).failure
    except StoreError as error:
        # The verdicts do not depend on it.
        return error.message


def _keep_because(store: Store, toolchain: Toolchain, *, fresh: bool) -> None:
    view = StoreTables(Store.open(store.path))
    stored = [] if fresh else stored_table(view.store, "because").to_pylist()
    again = set(view.manifest.unanswered)
    kept = [row for row in stored if (row["run_id"], row["trace"]) not in again]
    have = {(row["run_id"], row["trace"]) for row in kept}
    asked: dict[tuple[str, int | None], Trace] = {}
    for kind in make_kinds(view).kinds:
        row = view.trace_list(kind.shortest.point)[kind.shortest.trace - 1]
        told = (row.kind, row.name) == (UNEXPLAINED.kind, UNEXPLAINED.name)
        if not told and row.kind not in (SIMULATED, UNKNOWN) and (row.run_id, row.trace) not in have:
            asked[row.run_id, row.trace] = view.trace(kind.shortest.point, row.trace)
    traced = {row.run_id for row in view.trace_rows}
    first: dict[str, tuple[str, Trace]] = {}
    for run_id, violated in run_violations(table_files(view.store, "runs")):
        for each in without_trace(violated) if run_id not in traced else ():
            first.setdefault(each.name, (run_id, each))
    asked |= {(run_id, None): each for run_id, each in first.values() if (run_id, None) not in have}
    if not asked:
        return

    def explain(key: tuple[str, int | None]) -> ViolationCauses:
        trace = asked[key]
        unknown = ViolationCauses(kind=trace.kind, name=trace.name, suspect=trace.suspect)

        def explain_stored() -> ViolationCauses:
            return explain_trace(trace, origin_of(view, key[0], toolchain), warm=True)

        return explain_with(explain_stored, unknown)

    try:
        with ThreadPoolExecutor(default_slots(workers=1)) as pool:
            explanations = dict(zip(asked, pool.map(explain, asked), strict=True))
    finally:
        close_hosts()
    here = view.points.run_ids()
    rows = [row for row in kept if row["run_id"] in here]
    for key, explanation in explanations.items():
        rows += because_rows(*key, explanation)
    unanswered = [key for key, explanation in explanations.items() if explanation.fault]
    with store.lock():
        store.write_because(rows, unanswered)
        refresh_tables(store)


Judged: TypeAlias = Literal["confirmed", "refused", "unanswered", "not verifiable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedTrace:
    """TLC's judgement of a trace, with the reason."""

    point: int
    number: int
    judgement: Judged
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
    try:
        for here in view.points:
            if point not in (None, here.point) or here.run_id in seen:
                continue
            seen.add(here.run_id)
            rows = [row for row in view.trace_list(here.point) if number in (None, row.trace)]
            origin = origin_of(view, here.run_id, toolchain)
            for row in rows:
                if row.kind == SIMULATED:
                    continue
                judged: Judged = "not verifiable"
                reason = "TLC could not evaluate the model here"
                if row.kind != EVALUATION:
                    trace = view.trace(here.point, row.trace)
                    try:
                        found = confirm_trace(trace, origin, warm=number is None)
                    except UnansweredError as error:
                        judged, reason = "unanswered", error.message
                    else:
                        judged, reason = "confirmed" if found.confirmed else "refused", found.reason
                yield VerifiedTrace(point=here.point, number=row.trace, judgement=judged, reason=reason)
    finally:
        # The explorer verifies one trace while other questions run.
        if number is None:
            close_hosts()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Counterexamples in which the same conjunct turns FALSE first, the shortest first; ``example`` is the first's."""

    members: tuple[StoredTrace, ...]
    example: Conjuncts

    def lines(self, total: int) -> Iterator[str]:
        """The conjunct, at so many of ``total`` counterexamples, and where it is FALSE first in the example."""
        row, state = self.example.turning, self.example.turning_state
        count = f"{len(self.members)} of {total}: "
        if row is None or state is None:
            yield f"{count}no conjunct is FALSE in any state"
            return
        yield f"{count}{row.conjunct.text}  in {row.conjunct.definition} at {row.conjunct.place}"
        step = f", after {action_text(state)}" if state.action else ""
        yield f"  FALSE first in state {state.index} of {self.members[0]}{step}{self.example.blame}"

    def to_json(self) -> dict[str, object]:
        """A row of ``conjuncts`` in ``trace --conjuncts --json``."""
        first, count = self.members[0], len(self.members)
        return {"count": count, "point": first.point, "trace": first.trace, **self.example.to_json()}


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
        yield from (line for turn in self.turns for line in turn.lines(total))
        yield from (f"{count} of {total}: {reason}" for reason, count in self.reasons.items())

    def to_json(self) -> dict[str, object]:
        """A row of ``trace --conjuncts --json``."""
        turns = [turn.to_json() for turn in self.turns]
        return {**self.kind.row(), "conjuncts": turns, "reasons": dict(self.reasons)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turning(PrintMixin):
    """The conjuncts that turn FALSE first, by kind of counterexample, the most frequent kind first."""

    kinds: tuple[TurningKind, ...]

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

    def answer(member: StoredTrace) -> Conjuncts | str:
        try:
            origin = origin_of(view, view.trace_list(member.point)[0].run_id, toolchain)
            return evaluate_conjuncts(view.trace(member.point, member.trace), origin, warm=True)
        except InputError as error:
            return error.message

    kinds = make_kinds(view).of(name).kinds
    total, done, found = sum(len(kind.members) for kind in kinds), 0, []
    try:
        with ThreadPoolExecutor(default_slots(workers=1)) as pool:
            for kind in kinds:
                turned: dict[Conjunct | None, tuple[Conjuncts, list[StoredTrace]]] = {}
                reasons: Counter[str] = Counter()
                for member, each in zip(kind.members, pool.map(answer, kind.members), strict=True):
                    done += 1
                    if progress is not None:
                        progress(done, total)
                    if isinstance(each, str):
                        reasons[each] += 1
                    else:
                        conjunct = each.turning.conjunct if each.turning else None
                        turned.setdefault(conjunct, (each, []))[1].append(member)
                turns = [Turn(members=tuple(those), example=first) for first, those in turned.values()]
                turns.sort(key=lambda turn: -len(turn.members))
                found.append(TurningKind(kind=kind, turns=tuple(turns), reasons=reasons))
    finally:
        close_hosts()
    return Turning(kinds=tuple(found))
