"""The conjuncts that turn FALSE first in the counterexamples of a store, by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tla2py.errors import InputError
from tla2py.execution.executor import default_slots
from tla2py.explore.found import StoredTrace
from tla2py.explore.kinds import Kind
from tla2py.explore.questions import origin_of, require_modules
from tla2py.explore.view import StoreView
from tla2py.instrument.conjunct import Conjunct
from tla2py.replay.conjuncts import Conjuncts, evaluate_conjuncts
from tla2py.show.plain import action_text
from tla2py.tlc.jvm.pool import close_hosts
from tla2py.toolchain.toolchain import Toolchain, find_toolchain
from tla2py.trace.display import Printed


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
    view: StoreView,
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
    kinds = [(kind, _by_run(kind)) for kind in view.kinds().of(name).kinds]
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
    view: StoreView, toolchain: Toolchain, members: Sequence[StoredTrace]
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
