"""A second opinion: the same points run with another TLC, and how its answers compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tla2py.errors import ExitCode, InputError, StoreError
from tla2py.execution.check import Checked
from tla2py.execution.executor import ExecutorFactory
from tla2py.execution.listener import Listener
from tla2py.execution.sweeps import run_sweeps
from tla2py.gate.reasons import Problem, Reason
from tla2py.lint.faults import faults_met
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.row import RunRow
from tla2py.model.run import Run
from tla2py.store.address import Address, below
from tla2py.store.read import run_rows
from tla2py.store.refresh import table_files
from tla2py.store.rows import run_row
from tla2py.store.store import Store
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted
from tla2py.tla.graph import ModuleGraph
from tla2py.tlc.tools.jar import SECOND_JAR, Jar
from tla2py.tlc.tools.toolchain import Toolchain, find_jar, jar_of

FOLDER = "second"
"""The store of the second TLC's runs, below that of the first's."""
FIGURES = ("distinct", "generated", "depth")
COMPARABLE = ("verdict", "violated", *FIGURES)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondRuns:
    """The rows of a second TLC by point.

    ``name`` is what named its jar. ``jar`` is None if nothing ran or the jar is not on this machine, ``problem`` is why
    nothing ran.
    """

    name: str
    jar: Jar | None = None
    rows: Mapping[int, RunRow] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Second:
    """What a second TLC says at a point.

    ``agrees`` is None where one of them has no answer. ``compared`` are names of ``COMPARABLE``; ``differences`` are texts.
    ``known`` are the faults of the model's constructs that one of the TLCs has, ``shared`` those that both have.
    """

    jar: str
    row: RunRow | None
    agrees: bool | None
    compared: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The jar with its TLC."""
        version = self.row.tlc_version if self.row else None
        return f"TLC {version} ({self.jar})" if version else self.jar

    def as_json(self) -> dict[str, object]:
        """The object that ``--json`` prints."""
        row = self.row
        return {
            "jar": self.jar,
            "tlc_version": row.tlc_version if row else None,
            "verdict": row.verdict.value if row else None,
            "violated": list(row.violated_names) if row else [],
            **{name: getattr(row, name) if row else None for name in FIGURES},
            "agrees": self.agrees,
            "compared": list(self.compared),
            "differences": list(self.differences),
            "known": list(self.known),
            "shared": list(self.shared),
        }


def run_second(
    sweep: Sweep,
    store: Address,
    toolchain: Toolchain,
    named: Path,
    executors: ExecutorFactory,
    *,
    fresh: bool,
    listener: Listener,
) -> SecondRuns:
    """The rows of another TLC for every point of a sweep; missing runs are executed.

    ``named`` is what names the jar of ``toolchain``. Raises as ``run_sweeps`` does, but InputError only for what the
    first TLC would not refuse either.
    """
    runs = SecondRuns(name=str(named), jar=toolchain.jar)
    # Only the answers are compared.
    plain, own = sweep.select(vacuity=False), below(store, FOLDER)
    try:
        [result] = run_sweeps([plain], toolchain, executors, store=own, fresh=fresh, listener=listener)
    except InputError as error:
        return replace(runs, problem=error.line)
    return replace(runs, rows={row.point: row for row in result.runs})


def stored_second(sweep: Sweep, store: Address) -> SecondRuns | None:
    """The rows of another TLC that a store keeps and that are those of the sweep as it is now, None if it keeps none."""
    kept = Store(below(store, FOLDER))
    try:
        rows = run_rows(table_files(kept, "runs"))
    except StoreError:
        return None
    digest = next((row.jar_sha256 for row in rows if row.jar_sha256), "")
    ids = plan_sweep(sweep, digest).runs.ids
    jar = jar_of(digest)
    return SecondRuns(
        name=jar.tlc if jar else f"sha256 {digest[:12]}",
        jar=jar,
        rows={row.point: row for row in rows if row.run_id in ids},
    )


def checked_second(
    checked: Checked, again: Callable[[Path], Checked], named: Path
) -> tuple[Second, Problem | None]:
    """What a second TLC says of a check, and what is wrong with that; ``again`` repeats the check with another jar.

    Raises ToolchainError (``jar-missing``, ``jar-corrupt``, ``jar-not-tlc``), and ValueError for a
    record that was read back.
    """
    if checked.planned is None:
        raise ValueError("only a check that has just run can be repeated")
    first = run_row(checked.record, checked.result)
    runs = SecondRuns(name=str(named), jar=find_jar(named, SECOND_JAR))
    try:
        repeated = again(named)
        runs = replace(runs, rows={first.point: run_row(repeated.record, repeated.result)})
    except InputError as error:
        runs = replace(runs, problem=error.line)
    second = compare(first, runs, *checked.planned)
    return second, objection(first, second, runs.problem)


def compare(first: RunRow, second: SecondRuns, run: Run, spec: ModuleGraph, jar: Jar | None) -> Second:
    """How the answers of two TLCs to a point compare; ``jar`` is the first's, None if it is not on this machine."""
    met = faults_met(spec, run.config, run.options.workers)
    both = (jar, second.jar) if jar is not None and second.jar is not None else ()
    has = {each: {each.concerns(one) for one in both} for each in met}
    row = second.rows.get(first.point)
    facts = Second(
        jar=second.name,
        row=row,
        agrees=None,
        known=tuple(each.source or each.code for each in met if has[each] == {True, False}),
        shared=tuple(each.source or each.code for each in met if has[each] == {True}),
    )
    one_broken = row is not None and row.verdict is Verdict.BROKEN is not first.verdict
    if row is None or one_broken or Verdict.INCONCLUSIVE in (first.verdict, row.verdict):
        return facts
    compared = tuple(comparable(first, row, run))
    differences = tuple(
        f"{name} {format_answer(first, name)} with TLC {first.tlc_version}, {format_answer(row, name)} with TLC {row.tlc_version}"
        for name in compared
        if format_answer(first, name) != format_answer(row, name)
    )
    return replace(facts, agrees=not differences, compared=compared, differences=differences)


def objection(first: RunRow, second: Second, problem: str = "") -> Problem | None:
    """What is wrong with a second opinion, None if nothing is; ``problem`` is why the second TLC did not run."""
    other = second.row
    if second.differences:
        known = f"; known: {', '.join(second.known)}" if second.known else ""
        text = f"the two TLCs differ: {'; '.join(second.differences)}{known}"
        return Problem(reason=Reason.SECOND_DIFFERS, text=text, exit_code=ExitCode.UNEXPECTED)
    if other is None or (other.verdict is Verdict.BROKEN and first.verdict is not Verdict.BROKEN):
        why = problem or (other.message if other else "the store has no result of it") or "broken"
        text = f"{second.text} cannot run the model: {' '.join(why.split())[:300]}"
        return Problem(reason=Reason.SECOND_BROKEN, text=text)
    answered = first.verdict is not Verdict.INCONCLUSIVE
    if other.verdict is Verdict.INCONCLUSIVE and answered and not other.simulated:
        text = f"{second.text} has no answer: {other.unanswered}"
        return Problem(reason=Reason.SECOND_OPEN, text=text, exit_code=ExitCode.INCONCLUSIVE)
    return None


def second_notices(points: Sequence[Second | None]) -> Iterator[str]:
    """What the notes of a gate say of a second TLC at its points: where it agrees, and the known faults of both."""
    asked = [each for each in points if each is not None]
    agree = [each for each in asked if each.agrees]
    if not asked:
        return
    counts = Counter(name for each in asked for name in each.compared)
    compared = ", ".join(f"{name} ({counts[name]})" for name in COMPARABLE if counts[name]) or "nothing"
    yield (
        f"second opinion of {asked[0].text}: agrees at {len(agree)} of {counted(len(points), 'point')}; "
        f"compared, with the number of points: {compared}"
    )
    if shared := sorted({fault for each in asked for fault in each.shared}):
        yield f"second opinion: both TLCs have known faults of constructs that are used: {', '.join(shared)}"


def comparable(first: RunRow, second: RunRow, run: Run) -> Iterator[str]:
    """What two answers to a run are compared by, of ``COMPARABLE``: what does not depend on chance."""
    yield "verdict"
    if run.options.mode != "check":
        return
    one_order = run.options.workers == 1
    if first.verdict is second.verdict is Verdict.VIOLATED:
        named = all(each.name or each.kind == "deadlock" for row in (first, second) for each in row.violated)
        # TLC stops at the first, and several workers find another one first.
        if named and (one_order or run.options.find == "each"):
            yield "violated"
    if first.outcome is second.outcome is Outcome.SUCCESS:
        yield "distinct"
        # Which of several equal states TLC explores is chance with several workers.
        if one_order or not (run.config.symmetry or run.config.view):
            yield "generated"
        # Without behaviours TLC calls it 1 or, since 2021, 0.
        if one_order and first.distinct:
            yield "depth"


def format_answer(row: RunRow, name: str) -> str:
    """Return as text what an answer has for one of ``COMPARABLE``."""
    if name == "violated":
        return ", ".join(sorted(row.violated_names))
    return row.verdict.value if name == "verdict" else f"{getattr(row, name):,}"
