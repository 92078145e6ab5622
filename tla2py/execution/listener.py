"""What depends on the jar of a sweep: recorded runs that do not apply, how logs are read, which models may not run."""

from __future__ import annotations

import bisect
import math
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tla2py.errors import InputError, ToolchainError
from tla2py.execution.executor import Durations, RunProgress, parameter_key, weigh
from tla2py.model.finding import Finding
from tla2py.model.run import Run
from tla2py.store.runs import run_rows
from tla2py.store.storage import Address
from tla2py.store.store import Store
from tla2py.store.write import intact_files
from tla2py.sweep.grid import Point
from tla2py.sweep.load import without_models
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.module import Remark
from tla2py.tlc.tools.community import check_classes, community_suits
from tla2py.tlc.tools.jar import Jar

if TYPE_CHECKING:
    from tla2py.execution.sweeps import SweepResult


# The modules that read a log, and the classes that do it.
_READING = ("Json", "IOUtils")
_CLASSES = ("tlc2/overrides/{}.class", "tlc2/module/{}.class")


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierJar:
    """A jar that made runs of a store: its TLC, its sha256, and the number of missing runs that it has an answer to."""

    tlc: str
    sha256: str
    runs: int


def earlier_jars(store: Store, missing: Sequence[Run]) -> Iterator[EarlierJar]:
    """The earlier jars of a store with runs that differ from missing ones in nothing else."""
    files = intact_files(store, "runs") if missing else None
    if not files:
        return
    recorded = store.recorded()
    made = {row.jar_sha256: row.tlc for row in run_rows(files) if row.jar_sha256}
    for sha256, tlc in made.items():
        count = sum(
            run.jar_sha256 != sha256 and replace(run, jar_sha256=sha256).run_id in recorded for run in missing
        )
        if count:
            yield EarlierJar(tlc=tlc or "", sha256=sha256, runs=count)


def with_readable_logs(sweep: Sweep, jar: Jar) -> Sweep:
    """The sweep as this TLC can read its logs."""
    places = [jar.path, *(override.copy for override in sweep.overrides)]
    if sweep.community is not None and community_suits(jar):
        places.append(sweep.community.copy)
    known = {name for name in _READING if any(_has_class(place, name) for place in places)}
    return literal_logs(sweep, {*_READING} - known)


def literal_logs(sweep: Sweep, lacking: Iterable[str] = _READING) -> Sweep:
    """The sweep with logs as modules for those of its modules that need one of these."""
    lacks = {*lacking}
    literal = frozenset(
        spec.root.name
        for spec in sweep.specs.values()
        # A module may define the operators itself.
        if spec.root.name in sweep.logs.readers and lacks & {*spec.standard, *(m.name for m in spec.modules)}
    )
    if not literal:
        return sweep
    return replace(sweep, logs=replace(sweep.logs, literal=literal), community=None)


def needing_specs(sweep: Sweep) -> Iterator[ModuleGraph]:
    """The specifications of a sweep with the standard modules that TLC has to have."""
    for spec in sweep.specs.values():
        if spec.root.name in sweep.logs.literal:
            yield replace(spec, standard=tuple(name for name in spec.standard if name not in _READING))
        else:
            yield spec


@lru_cache(maxsize=32)
def _has_class(place: Path, name: str) -> bool:
    files = [each.format(name) for each in _CLASSES]
    if place.is_dir():
        return any((place / file).is_file() for file in files)
    with zipfile.ZipFile(place) as archive:
        return not {*archive.namelist()}.isdisjoint(files)


def without_refused(sweep: Sweep, jar: Jar) -> Sweep:
    """A folder's sweep without the points that ``check_classes`` refuses, which are among its ``unread``.

    Raises what ``without_models`` raises.
    """
    refused = {
        name: error for name, spec in sweep.specs.items() if (error := _refusal(sweep, spec, jar)) is not None
    }
    if not refused:
        return sweep
    modules = {point.index: point.parameters["module"] for point in sweep.points}
    errors = {index: refused[name] for index, name in modules.items() if name in refused}
    specs = {name: spec for name, spec in sweep.specs.items() if name not in refused}
    return replace(without_models(sweep, errors), specs=specs)


def _refusal(sweep: Sweep, spec: ModuleGraph, jar: Jar) -> InputError | ToolchainError | None:
    texts = {module.name: module.text for module in spec.modules}
    paths = {module.name: module.where() for module in spec.modules}
    try:
        check_classes(sweep.community, [spec], jar, texts, paths, trust=sweep.limits.trust)
    except (InputError, ToolchainError) as error:
        return error
    return None


# A run with the same parameters as before takes about as long.
_SPREAD = 1.25
# Shorter runs are mostly the start of a JVM, and say nothing about larger ones.
_TELLING_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLeft:
    """Bounds of the wall-clock seconds that are left."""

    low: float
    high: float


_Key: TypeAlias = tuple[tuple[str, str], ...]
_Span: TypeAlias = tuple[float, float]


class Estimator:
    """The estimate for the ``missing`` runs of a sweep, in order of their start, given by their parameters.

    ``earlier`` are the times before this sweep.
    """

    def __init__(
        self,
        missing: Mapping[str, Mapping[str, str]],
        earlier: Durations,
        *,
        slots: int,
        timeout_seconds: float,
    ) -> None:
        self._slots = slots
        self._timeout_seconds = timeout_seconds
        # There may be very many.
        self._runs = {run_id: (parameter_key(each), weigh(each)) for run_id, each in missing.items()}
        self._earlier = earlier.wall
        self._earlier_spans: dict[float, _Span] = {}
        for key, seconds in earlier.wall.items():
            _widen(self._earlier_spans, weigh(dict(key)), seconds)
        self._own: dict[_Key, float] = {}
        self._own_spans: dict[float, _Span] = {}
        self._expected = self._took = 0.0
        self._ended: set[str] = set()

    def end(self, run_id: str, seconds: float) -> None:
        """Learn how long a run took."""
        key, weight = self._runs[run_id]
        if run_id in self._ended:
            return
        self._ended.add(run_id)
        self._own[key] = seconds
        _widen(self._own_spans, weight, seconds)
        if (earlier := self._earlier.get(key)) is not None:
            self._expected += earlier
            self._took += seconds

    def left(self, done: int, running: Mapping[str, float]) -> TimeLeft | None:
        """The time left after ``done`` runs, with the seconds of those running; None if too little is known.

        On a cluster the last of the ``done`` runs are not known by name: they are then the first ones.
        """
        waiting = [run_id for run_id in self._runs if run_id not in self._ended and run_id not in running]
        rest = [*running, *waiting[max(done - len(self._ended), 0) :]]
        # Runs take as long as now, not as long as on the day of the earlier ones.
        factor = self._took / self._expected if self._expected >= _TELLING_SECONDS else 1.0
        spans = {weight: (low * factor, high * factor) for weight, (low, high) in self._earlier_spans.items()}
        for weight, span in self._own_spans.items():
            for seconds in span:
                _widen(spans, weight, seconds)
        by_weight = sorted(spans.items())
        lows, highs = [], []
        for run_id in rest:
            key, weight = self._runs[run_id]
            same = self._own.get(key)
            if same is None and (earlier := self._earlier.get(key)) is not None:
                same = earlier * factor
            likely = (same / _SPREAD, same * _SPREAD) if same is not None else _span_at(by_weight, weight)
            if likely is None:
                return None
            low, high = self._rest(likely, running.get(run_id, 0.0))
            lows.append(low)
            highs.append(high)
        if not rest:
            return None
        low, high = (max(sum(each) / self._slots, max(each)) for each in (lows, highs))
        return TimeLeft(low=low, high=high)

    def _rest(self, span: _Span, elapsed: float) -> _Span:
        low, high = span
        # A run that takes longer than expected may take as long again.
        rest = high - elapsed if high > elapsed else elapsed
        return max(low - elapsed, 0.0), min(rest, max(self._timeout_seconds - elapsed, 0.0))


def _widen(spans: dict[float, _Span], weight: float, seconds: float) -> None:
    low, high = spans.get(weight, (seconds, seconds))
    spans[weight] = min(low, seconds), max(high, seconds)


def _span_at(by_weight: Sequence[tuple[float, _Span]], weight: float) -> _Span | None:
    """The bounds of a run's time from those of other weights; None if they do not tell."""
    after = bisect.bisect_left(by_weight, weight, key=lambda known: known[0])
    if after == len(by_weight):
        return _span_beyond(by_weight, weight)
    found, high = by_weight[after]
    if found == weight:
        return high[0] / _SPREAD, high[1] * _SPREAD
    low = by_weight[after - 1][1] if after else (0.0, 0.0)
    return min(low[0], high[0]), max(low[1], high[1])


def _span_beyond(by_weight: Sequence[tuple[float, _Span]], weight: float) -> _Span | None:
    """The bounds for a larger run than any known, from the growth of the known ones."""
    longest = [high for _, (_, high) in by_weight]
    if len(longest) < 2 or longest[-1] < _TELLING_SECONDS or not 0 < longest[-2] <= longest[-1]:
        return None
    low, high = growth_bounds([known for known, _ in by_weight], longest, weight)
    return low / _SPREAD, high * _SPREAD


def growth_bounds(sizes: Sequence[float], numbers: Sequence[float], size: float) -> tuple[float, float]:
    """The bounds of a number at a larger size: polynomial growth from the last two sizes, and their ratio repeated."""
    before, last = sizes[-2:]
    ratio = numbers[-1] / numbers[-2]
    # Counting sizes from 1 gives a parameter that starts at 0 a logarithm.
    base = min(sizes[0], 1.0) - 1.0
    power = math.log((size - base) / (last - base)) / math.log((last - base) / (before - base))
    steps = (size - last) / (last - before)
    low, high = sorted(numbers[-1] * _power(ratio, exponent) for exponent in (power, steps))
    return low, high


def _power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf


@dataclass(slots=True)
class SweepProgress:
    """The progress of a sweep, in runs; points with the same model share a run.

    ``violated`` is None for mutants, where a violation is expected. ``inside`` are the points of the runs that have lasted a second, the longest first, and their progress, as far as this
    machine executes them. ``left`` is None while too little is known.
    """

    done: int = 0
    violated: int | None = 0
    running: int = 0
    inside: Sequence[tuple[Point, RunProgress]] = ()
    left: TimeLeft | None = None


class Listener:
    """A listener that ignores everything; subclasses override what they report."""

    def warned(self, finding: Finding | Remark) -> None:
        """Lint found something, or PlusCal was translated on a copy or may be out of date."""

    def found(self, finding: Finding) -> None:
        """The results of a sweep show something doubtful."""

    def planned(self, sweep: Sweep, plan: Plan) -> None:
        """A sweep passed every check; nothing has run yet."""

    def store_taken_over(self, store: Address, modules: Sequence[str], sweep: Sweep) -> None:
        """The store held results of other modules until now."""

    def distrusted(self, where: str) -> None:
        """The options refuse the trust that a sweep file gives at this place."""

    def reached(self, files: Iterable[Path]) -> None:
        """The files that a check reads are known."""

    def jar_chosen(self, jar: Jar) -> None:
        """Sweeps are about to use this jar."""

    def jar_changed(self, sweep: Sweep, before: EarlierJar, jar: Jar) -> None:
        """Recorded runs do not apply, because another jar made them."""

    def without_spark(self) -> None:
        """The runs execute on threads, because pyspark is not installed."""

    def fewer_slots(self, slots: int, memory_bytes: int) -> None:
        """The machine's memory limits the number of concurrent runs."""

    def spark_failed(self, error: ToolchainError) -> None:
        """The runs execute on threads, because Spark did not start."""

    def executing(
        self,
        sweep: Sweep,  # noqa: ARG002
        missing: int,  # noqa: ARG002
        cached: int,  # noqa: ARG002
    ) -> AbstractContextManager[Callable[[SweepProgress], None]]:
        """The execution of the missing runs starts; yields a function that is called with its progress."""
        return nullcontext(lambda _: None)

    def interrupted(self, left: int) -> None:
        """The user interrupted the sweep, with this number of runs left."""

    def finished(self, result: SweepResult) -> None:
        """A sweep has ended and was judged."""


SILENT = Listener()


class FindingListener(Listener):
    """A listener that calls a function with findings and remarks on PlusCal."""

    def __init__(self, on_finding: Callable[[Finding | Remark], None]) -> None:
        self._on_finding = on_finding

    def warned(self, finding: Finding | Remark) -> None:
        """Pass the finding on."""
        self._on_finding(finding)

    def found(self, finding: Finding) -> None:
        """Pass the finding on."""
        self._on_finding(finding)
