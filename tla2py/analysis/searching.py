"""A search for the laws of a sweep: the points that it runs, round by round, within a budget."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass

from tla2py.analysis.learning import Learner, enough_draws
from tla2py.analysis.points import Answers, law_parameters, property_answers, scope_parameters
from tla2py.analysis.view import StoreView
from tla2py.errors import ExitCode, InputError
from tla2py.execution.durations import Estimator, earlier_durations, weigh
from tla2py.execution.listener import Listener
from tla2py.execution.sweeps import SweepResult
from tla2py.model.search import ChosenFor, Search
from tla2py.store.store import Store
from tla2py.sweep.judge import checked_labels
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted, parse_duration, parse_percent


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a search may spend in one start; a round that has begun is finished."""

    runs: float = math.inf
    cpu_seconds: float = math.inf
    wall_seconds: float = math.inf


def parse_budget(text: str) -> Budget:
    """``200`` runs, ``10m`` on the clock or ``2hcpu``. Raises InputError (``budget``)."""
    if re.fullmatch(r"\d+", text.strip()) and int(text):
        return Budget(runs=int(text))
    try:
        seconds = parse_duration(text.strip().removesuffix("cpu"))
    except InputError as error:
        hint = "write 200 for runs, 10m for time, or 2hcpu for CPU time"
        raise InputError("budget", f"not a budget: {text!r}", hint=hint) from error
    return Budget(cpu_seconds=seconds) if text.strip().endswith("cpu") else Budget(wall_seconds=seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How to search for laws.

    Without ``always`` only sweeps whose file says so are searched. ``within`` overrides the file's; ``confirm`` points
    are drawn beyond those that are enough.
    """

    always: bool = False
    budget: Budget = Budget()
    within: str | None = None
    confirm: int = 0
    seed: int = 0

    def rounds(
        self, sweep: Sweep, plan: Plan, store: Store, slots: Callable[[], int], listener: Listener
    ) -> Iterator[Sequence[int]] | None:
        """The numbers of the points to run next, until the laws are settled or the budget is spent; see ``run_sweeps``.

        None for a sweep that runs all its points. Raises InputError (``percent``).
        """
        if not (self.always or sweep.file.grid.search) or sweep.limited:
            return None
        where = sweep.source.place("grid", "within") if self.within is None else None
        within = parse_percent(sweep.file.grid.within if self.within is None else self.within, where)
        return self._rounds(sweep, plan, store, slots, listener, enough_draws(within) + self.confirm)

    def _rounds(
        self,
        sweep: Sweep,
        plan: Plan,
        store: Store,
        slots: Callable[[], int],
        listener: Listener,
        enough: int,
    ) -> Iterator[Sequence[int]]:
        ids, view = plan.runs.ids, StoreView(store)
        checking: dict[str, list[int]] = {}
        labels = checked_labels(sweep, plan)
        for place, kind in enumerate(plan.runs.kinds):
            for label in labels[kind]:
                checking.setdefault(label, []).append(place)
        learner = Learner(
            [point.parameters for point in sweep.points],
            law_parameters(view),
            checking,
            scopes=scope_parameters(view),
            costs=[weigh(point.parameters) for point in sweep.points],
            enough=enough,
            seed=self.seed,
        )
        # The same seed chooses the same points as an earlier start, whose runs are there; others were not drawn.
        earlier = view.manifest.search
        same = earlier.chosen if earlier is not None and earlier.seed == self.seed else {}
        planned = {*ids}
        before = {run_id: reason for run_id, reason in same.items() if run_id in planned}
        chosen: dict[str, ChosenFor] = {}
        ran = {row.point - 1: row.cpu_seconds or 0.0 for row in view.run_rows}
        seen = {place for place in ran if ids[place] not in before}
        first, began = len(ran), time.monotonic()
        spent = sum(ran.values())
        told: list[str | None] = []
        while True:
            laws = [each.known for each in learner.tell(seen, _answers(view))]
            more = learner.choose(slots())
            new = [place for place, _ in more if place not in ran]
            left = int(min(self.budget.runs - (len(ran) - first), len(new)))
            spent_all = (
                left <= 0
                or sum(ran.values()) - spent >= self.budget.cpu_seconds
                or time.monotonic() - began >= self.budget.wall_seconds
            )
            ended = not more or (bool(new) and spent_all)
            if not ended:
                chosen = {**{ids[place]: reason for place, reason in more}, **chosen}
            if ended or new:
                rest = _left(sweep, plan, store, ran.keys(), slots()) if ended else None
                search = Search(seed=self.seed, chosen={**before, **chosen}, laws=laws, left=rest)
                store.write_search(search)
            if ended:
                return
            if new:
                if told != (told := [each.law for each in laws]):
                    shown = (f"{each.title}: {each.law or 'no law yet'}" for each in laws)
                    listener.told(f"{len(ran):,} of {counted(len(ids), 'point')} run; {'; '.join(shown)}")
                yield [place + 1 for place in new[:left]]
                view = StoreView(store)
                ran = {row.point - 1: row.cpu_seconds or 0.0 for row in view.run_rows}
                seen |= ran.keys()
            seen |= {place for place, _ in more if place in ran}


def _left(sweep: Sweep, plan: Plan, store: Store, ran: Set[int], slots: int) -> tuple[float, float] | None:
    """The bounds of the seconds that the other points would take, None if too little is known."""
    points = {
        plan.runs.ids[place]: sweep.points[place].parameters
        for place in range(len(plan.points))
        if place not in ran
    }
    times = earlier_durations(store)
    left = Estimator(points, times, slots=slots, timeout_seconds=sweep.limits.timeout_seconds).left({})
    return None if left is None else (left.low, left.high)


def search_code(result: SweepResult) -> ExitCode:
    """The exit code of a sweep; 3 where a search did not settle all laws, whatever it found, unless something did not run."""
    search = result.store.manifest().search
    if not result.searched or (search is not None and all(each.settled for each in search.laws)):
        return result.exit_code
    return ExitCode.NOT_RUN if result.exit_code is ExitCode.NOT_RUN else ExitCode.INCONCLUSIVE


def _answers(view: StoreView) -> list[Answers]:
    return [each for each in property_answers(view) if each.of_property]
