"""A search for the laws of a grid: which points to run, round by round, so that few decide the laws, and how sure these are."""

from __future__ import annotations

import itertools
import math
import operator
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from tla2py.analysis.atoms import AtomTable, bit_set, bits
from tla2py.analysis.laws import MOST_LEFT, Law, LawFound, distinct_laws, laws_left
from tla2py.analysis.points import (
    Answers,
    law_parameters,
    minimal_points,
    property_answers,
    scope_parameters,
)
from tla2py.analysis.view import StoreView
from tla2py.errors import ExitCode, InputError
from tla2py.execution.listener import Listener
from tla2py.execution.result import SweepResult
from tla2py.execution.schedule import Durations, Estimator, earlier_durations, parameter_key, weigh
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.model.search import ChosenFor, Search, SearchedLaw
from tla2py.store.store import Store
from tla2py.sweep.judge import checked_labels
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted, parse_duration, parse_percent

# Of more parameters with an order only some corners are run.
_MOST_ORDERED = 5
# The cheapest points on which laws disagree; of these the most telling are run.
_MOST_DISPUTED = 2_000
# Of the smallest points of a law, such as those of A + B >= 40, so many are run.
_MOST_SMALLEST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far a law is settled, the law and its rivals, and the points that it is about, a bit per point by cost."""

    known: SearchedLaw
    laws: Sequence[Law]
    among: int


class Learner:
    """Chooses points of a grid, cheapest and most telling first, until the laws of its properties are settled.

    ``checking`` has the points that check each property, by position; ``names`` are the parameters that laws are about,
    ``scopes`` those whose values may have laws of their own. A law is settled once fewer than the share ``within`` of the
    other points contradict it,. The same answers and ``seed`` give the same choice.
    """

    def __init__(
        self,
        points: Sequence[Mapping[str, str]],
        names: Sequence[str],
        checking: Mapping[str, Iterable[int]],
        *,
        scopes: Sequence[str] = (),
        costs: Sequence[float],
        within: float,
        seed: int = 0,
    ) -> None:
        # A point's bit is its place by cost, so the lowest is the cheapest.
        self._order = sorted(range(len(points)), key=lambda position: (costs[position], position))
        self._place = {position: place for place, position in enumerate(self._order)}
        self._points = [points[position] for position in self._order]
        self._table = AtomTable(self._points, names)
        self._checking = {name: self._set(positions) for name, positions in checking.items()}
        self._scopes = [self._parts(scope) for scope in scopes]
        self._within = within
        self._random = random.Random(seed)  # noqa: S311 - nothing depends on its secrecy
        self._run = 0
        self._answers: dict[str, tuple[int, int]] = {}
        self._draws: list[int] = []
        self._known: dict[tuple[str, int], Sequence[Law]] = {}
        # For each property and set of points the predictions, and the number of draws before them.
        self._since: dict[tuple[str, int], tuple[int, int]] = {}
        # For each property the laws that points were drawn for, in order: their points, predictions and first draws.
        self._tried: dict[str, list[tuple[int, int, int]]] = {}
        self._standings: list[Standing] = []
        openings = (
            _openings(self._table, self._points, [*names, *scopes], list(bits(among)))
            for among in dict.fromkeys(self._checking.values())
        )
        self._openings = list(dict.fromkeys(itertools.chain.from_iterable(openings)))

    def tell(self, run: Iterable[int], answers: Iterable[Answers]) -> list[Standing]:
        """Learn which points have run, by position, and the answers to each property there; returns what is known now."""
        self._run = self._set(run)
        for each in answers:
            violated = self._set(one.point - 1 for one in each.answered if one.violated)
            asked = self._set(one.point - 1 for one in each.answered)
            self._answers[each.name] = violated & self._run, asked & self._run
            self._checking.setdefault(each.name, self._table.everything)
        before, self._since = self._since, {}
        self._standings = [
            self._standing(name, scope, among, laws, before)
            for name in self._checking
            for scope, among, laws in self._laws(name)
        ]
        return self._standings

    def choose(self, count: int) -> list[tuple[int, ChosenFor]]:
        """At most so many points to run next, by position, each with the reason; none once all laws are settled."""
        left = self._table.everything & ~self._run
        unsettled = [each for each in self._standings if not each.known.finished]
        if not unsettled:
            return [(self._order[place], "smallest") for place in self._smallest()[:count]]
        reachable = reduce(operator.or_, (each.among & left for each in unsettled), 0)
        chosen: dict[int, ChosenFor] = {}
        for place in self._openings:
            if reachable >> place & 1 and len(chosen) < count:
                chosen[place] = "corner"
        if not chosen:
            splits = [self._splitting(each.laws, each.among & left) for each in unsettled]
            for row in itertools.zip_longest(*(itertools.islice(split, count) for split in splits)):
                for splitting in row:
                    if splitting is not None and len(chosen) < count:
                        chosen.setdefault(splitting, "refute")
            others = [place for place in bits(reachable) if place not in chosen]
            lawless = not all(each.laws for each in unsettled)
            wanted = max((each.known.enough - each.known.draws for each in unsettled), default=0)
            wanted = count if lawless else wanted
            for place in self._random.sample(others, min(count - len(chosen), wanted, len(others))):
                chosen[place] = "draw"
                self._draws.append(place)
            if "draw" in chosen.values():
                self._note_tried()
        return [(self._order[place], reason) for place, reason in chosen.items()]

    def _note_tried(self) -> None:
        """Note the laws that points are drawn for from now on: each of them spends some of the confidence."""
        for standing in self._standings:
            name, among = standing.known.name, standing.among
            tried = self._tried.setdefault(name, [])
            law = (among, *self._since[name, among])
            if standing.laws and law not in tried:
                tried.append(law)

    def _smallest(self) -> list[int]:
        """Return the smallest points at which a law says that its property is violated and which have not run, cheapest first.

        Of a law with many of them the cheapest ``_MOST_SMALLEST`` count.
        """
        places: dict[int, None] = {}
        for standing in self._standings:
            if standing.laws and standing.known.short:
                violated = list(bits(self._table.points_of(standing.laws[0].terms) & standing.among))
                minimal = minimal_points([self._points[place] for place in violated])
                places |= dict.fromkeys(violated[position] for position in minimal[:_MOST_SMALLEST])
        return sorted(place for place in places if not self._run >> place & 1)

    def _set(self, positions: Iterable[int]) -> int:
        return bit_set((self._place[position] for position in positions), len(self._order))

    def _parts(self, scope: str) -> dict[str, int]:
        values = [point[scope] for point in self._points]
        return {
            value: bit_set((n for n, each in enumerate(values) if each == value), len(values))
            for value in dict.fromkeys(values)
        }

    def _laws(self, name: str) -> Iterator[tuple[str | None, int, Sequence[Law]]]:
        """The laws over all points that check a property, or, if none fits, of the values of a scope."""
        among = self._checking[name]
        whole = self._left(name, among)
        if not whole:
            for scope in self._scopes:
                parts = [(value, part & among) for value, part in scope.items() if part & among]
                found = [self._left(name, part) for _, part in parts]
                if len(parts) > 1 and any(found):
                    yield from ((*part, each) for part, each in zip(parts, found, strict=True))
                    return
        yield None, among, whole

    def _left(self, name: str, among: int) -> Sequence[Law]:
        """The laws left for some points; only where the answers refute those known is a search needed."""
        violated, asked = (answers & among for answers in self._answers.get(name, (0, 0)))
        known = self._known.get((name, among), ())
        laws = [law for law in known if self._table.points_of(law.terms) & asked == violated]
        if not asked:
            laws = []
        elif not laws or (len(laws) < len(known) and len(known) >= MOST_LEFT):
            laws = laws_left(self._table, violated, asked)
        self._known[name, among] = laws
        return laws

    def _standing(
        self,
        name: str,
        scope: str | None,
        among: int,
        laws: Sequence[Law],
        before: Mapping[tuple[str, int], tuple[int, int]],
    ) -> Standing:
        asked = self._answers.get(name, (0, 0))[1] & among
        predicted = self._table.points_of(laws[0].terms) & among if laws else -1
        earlier = before.get((name, among))
        since = earlier[1] if earlier is not None and earlier[0] == predicted else len(self._draws)
        self._since[name, among] = predicted, since
        drawn = bit_set(self._draws[since:], len(self._order)) & self._run & among
        run = self._run & among
        tried = self._tried.get(name, [])
        law = (among, predicted, since)
        known = SearchedLaw(
            name=name,
            scope=scope,
            law=str(laws[0]) if laws else None,
            run=run.bit_count(),
            of=among.bit_count(),
            unanswered=(run & ~asked).bit_count(),
            draws=(drawn & asked).bit_count(),
            silent=(drawn & ~asked).bit_count(),
            tried=tried.index(law) + 1 if law in tried else len(tried) + 1,
            short=_is_short(laws),
            within=self._within,
        )
        return Standing(known=known, laws=laws, among=among)

    def _splitting(self, laws: Sequence[Law], left: int) -> Iterator[int]:
        """Points on which the laws left disagree, those that split them most evenly first; no two split them alike."""
        if len(laws) < 2:
            return
        first = self._table.points_of(laws[0].terms)
        differing = [self._table.points_of(rival.terms) ^ first for rival in laws[1:]]
        splits: dict[tuple[int, ...], int] = {}
        disputed = left & reduce(operator.or_, differing)
        for place in itertools.islice(bits(disputed), _MOST_DISPUTED):
            splits.setdefault(tuple(each >> place & 1 for each in differing), place)
        evenness = {place: abs(2 * sum(split) - len(differing) - 1) for split, place in splits.items()}
        yield from sorted(evenness, key=evenness.__getitem__)


def _is_short(laws: Sequence[Law]) -> bool:
    """Whether the first of some laws that fit is short, as ``explain`` says it; TRUE where none fits."""
    if not laws:
        return True
    first, *rivals = distinct_laws(laws)
    return LawFound(law=first, rivals=tuple(rivals)).short


def _openings(
    table: AtomTable, points: Sequence[Mapping[str, str]], names: Sequence[str], among: Sequence[int]
) -> list[int]:
    """The corners of some points, their middle, and each value of parameters without an order once; cheapest first."""
    scales = [_scale([number.at(table.rows[place]) for place in among]) for number in table.numbers]
    ordered = {name for number in table.numbers for name in number.parameters}
    plain = [name for name in names if name not in ordered and len({points[n][name] for n in among}) > 1]
    for name in plain:
        if {points[place][name] for place in among} == {"TRUE", "FALSE"}:
            scales.append(_scale([int(points[place][name] == "TRUE") for place in among]))
    scales = [scale for scale in scales if len({*scale}) > 1]
    if len(scales) <= _MOST_ORDERED:
        targets = [*itertools.product((0.0, 1.0), repeat=len(scales))]
    else:
        ends = [[end] * len(scales) for end in (0.0, 1.0)]
        flips = [[*end[:at], 1 - end[at], *end[at + 1 :]] for end in ends for at in range(len(scales))]
        targets = [tuple(each) for each in (*ends, *flips)]
    rows = list(zip(*scales, strict=True)) if scales else [()] * len(among)
    used: Counter[tuple[str, str]] = Counter()
    chosen: dict[int, None] = {}

    def choose(target: Sequence[float], candidates: Iterable[int]) -> None:
        def rank(number: int) -> tuple[float, int, int]:
            far = sum(abs(one - other) for one, other in zip(rows[number], target, strict=True))
            return far, sum(used[name, points[among[number]][name]] for name in plain), number

        best = min(candidates, key=rank)
        chosen[among[best]] = None
        used.update((name, points[among[best]][name]) for name in plain)

    outer: dict[tuple[float, ...], list[int]] = {}
    for number, row in enumerate(rows):
        if all(value in (0.0, 1.0) for value in row):
            outer.setdefault(row, []).append(number)
    for target in targets:
        choose(target, outer.get(target) or range(len(among)))
    middle = [0.5] * len(scales)
    choose(middle, range(len(among)))
    for name in plain:
        values = [points[place][name] for place in among]
        for value in dict.fromkeys(values):
            if not used[name, value]:
                choose(middle, (number for number, each in enumerate(values) if each == value))
    return sorted(chosen)


def _scale(values: Sequence[int]) -> list[float]:
    """Numbers by their order, from 0 to 1."""
    order = {value: number for number, value in enumerate(sorted({*values}))}
    return [order[value] / max(len(order) - 1, 1) for value in values]


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

    Without ``always`` only sweeps whose file says so are searched. ``within`` overrides the file's.
    """

    always: bool = False
    budget: Budget = Budget()
    within: str | None = None
    seed: int = 0

    def rounds(
        self, sweep: Sweep, plan: Plan, store: Store, slots: Callable[[], int], listener: Listener
    ) -> Iterator[Sequence[int]] | None:
        """The numbers of the points to run next, until the laws are settled or the budget is spent; see ``run_sweeps``.

        None for a sweep that runs all its points. Raises InputError (``percent``).
        """
        if not (self.always or sweep.file.sections.grid.search) or sweep.selection.is_limited:
            return None
        where = sweep.file.place("grid", "within") if self.within is None else None
        within = parse_percent(sweep.file.sections.grid.within if self.within is None else self.within, where)
        return self._rounds(sweep, plan, store, slots, listener, within)

    def _rounds(
        self,
        sweep: Sweep,
        plan: Plan,
        store: Store,
        slots: Callable[[], int],
        listener: Listener,
        within: float,
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
            within=within,
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
            answers = (each for each in property_answers(view) if each.of_property)
            laws = [each.known for each in learner.tell(seen, answers)]
            more = learner.choose(slots())
            new = [place for place, _ in more if place not in ran]
            most = int(min(self.budget.runs - (len(ran) - first), len(new)))
            spent_all = (
                most <= 0
                or sum(ran.values()) - spent >= self.budget.cpu_seconds
                or time.monotonic() - began >= self.budget.wall_seconds
            )
            ended = not more or (bool(new) and spent_all)
            if not ended:
                chosen = {**{ids[place]: reason for place, reason in more}, **chosen}
            if ended or new:
                left, states = _left(sweep, plan, store, view.run_rows, slots()) if ended else (None, None)
                search = Search(
                    seed=self.seed, chosen={**before, **chosen}, laws=laws, left=left, left_states=states
                )
                store.write_search(search)
            if ended:
                return
            if new:
                if told != (told := [each.law for each in laws]):
                    shown = (f"{each.title}: {each.law or 'no law yet'}" for each in laws)
                    listener.told(f"{len(ran):,} of {counted(len(ids), 'point')} run; {'; '.join(shown)}")
                yield [place + 1 for place in new[:most]]
                view = StoreView(store)
                ran = {row.point - 1: row.cpu_seconds or 0.0 for row in view.run_rows}
                seen |= ran.keys()
            seen |= {place for place, _ in more if place in ran}


def _left(
    sweep: Sweep, plan: Plan, store: Store, rows: Iterable[RunRow], slots: int
) -> Iterator[tuple[float, float] | None]:
    """The bounds of the seconds that the other points would take, and of their states; None if too little is known."""
    ran = {row.point - 1: row for row in rows}
    parameters = [point.parameters for point in sweep.points]
    others = {plan.runs.ids[place]: each for place, each in enumerate(parameters) if place not in ran}
    # States grow with the parameters as times do.
    states = {
        parameter_key(parameters[place]): float(row.distinct)
        for place, row in ran.items()
        if row.verdict is Verdict.HOLDS and row.distinct
    }
    for known, at_once, most in (
        (earlier_durations(store), slots, sweep.selection.limits.timeout_seconds),
        (Durations(states), 1, math.inf),
    ):
        left = Estimator(others, known, slots=at_once, timeout_seconds=most).left({})
        yield None if left is None else (left.low, left.high)


def search_code(result: SweepResult) -> ExitCode:
    """The exit code of a sweep; 3 where a search did not settle all laws, whatever it found, unless something did not run."""
    search = result.store.manifest().search
    if not result.searched or (search is not None and all(each.settled for each in search.laws)):
        return result.exit_code
    return ExitCode.NOT_RUN if result.exit_code is ExitCode.NOT_RUN else ExitCode.INCONCLUSIVE
