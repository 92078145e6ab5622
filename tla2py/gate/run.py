"""A gate: runs what is missing, judges each sweep, and writes locks and proposed expectations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from tla2py.analysis.law_search import SearchOptions
from tla2py.analysis.questions import keep_because
from tla2py.analysis.view import StoreView, open_view
from tla2py.errors import InputError
from tla2py.execution.executor import ExecutorFactory
from tla2py.execution.listener import SILENT, Listener
from tla2py.execution.preflight import lasting_findings, sweep_findings
from tla2py.execution.sweeps import SweepOptions, note_passed, only_failed, run_sweeps
from tla2py.execution.validate import run_log_mutants
from tla2py.files import write_file
from tla2py.gate.decision import Decision, StoreFacts, decide
from tla2py.gate.lock import Lock, lock_path, lock_text, read_lock
from tla2py.gate.reasons import Problem, blindness, survivors
from tla2py.gate.second import SecondRuns, run_second, stored_second
from tla2py.gate.selftest import run_self_test
from tla2py.gate.stored import plan_stored, read_found, stored_mutants, stored_report, sweep_file_of
from tla2py.lint.faults import KNOWN_WRONG
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.search import Search
from tla2py.mutation.mutate import mutants_address, run_mutation
from tla2py.mutation.plan import file_choice
from tla2py.store.address import Address, folder_of, is_remote
from tla2py.store.manifest import is_store
from tla2py.store.store import Store
from tla2py.sweep.file import folder_file
from tla2py.sweep.grid import parameters_key
from tla2py.sweep.judge import check_expectations
from tla2py.sweep.plan import Plan
from tla2py.sweep.repository import check_inside
from tla2py.sweep.rules import lint_sweep
from tla2py.sweep.sections import ExpectSection
from tla2py.sweep.sweep import Sweep
from tla2py.text import cut
from tla2py.tlc.config.read import ConfigFile
from tla2py.tlc.tools.jar import GATE_JAR, SECOND_JAR
from tla2py.tlc.tools.toolchain import Toolchain, find_toolchain, jar_of
from tla2py.toml import toml_string


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """Options of a gate.

    ``sweep_file`` is the file to judge a store by. ``coverage`` is whether to count actions at every point; None counts
    them at the points whose lock has them, and everywhere for a first lock. ``vacuity`` is whether to ask TLC what could
    not fail, by default for a first lock and where the lock says that it was asked. ``lock`` is whether to read the lock,
    to write a first one (``record``), or to accept the drift (``update``). ``locked`` makes a missing lock an error,
    ``strict`` makes each finding that is not accepted a problem. ``second`` names the jar of a second opinion, by default
    that of the sweep file. ``self_test`` asks for a mutant that each property notices. ``why`` asks TLC about the
    counterexamples of sweep files, see ``keep_because``.
    """

    store: Address | None = None
    sweep_file: Path | None = None
    fresh: bool = False
    coverage: bool | None = None
    vacuity: bool | None = None
    lock: Literal["read", "record", "update"] = "read"
    locked: bool = False
    strict: bool = False
    second: Path | None = None
    self_test: bool = False
    why: bool = False
    sweeps: SweepOptions = field(default_factory=SweepOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """The decision on a sweep and what it was made from.

    ``toolchain`` and ``records``, the store of the runs, are None for a store. ``written`` counts the points of the lock written, None if none was; ``accepted``
    is the drift that this accepted.
    """

    sweep: Sweep
    plan: Plan
    view: StoreView
    found: StoreFacts
    lock: Lock | None
    decision: Decision
    toolchain: Toolchain | None = None
    records: Store | None = None
    written: int | None = None
    accepted: tuple[Problem, ...] = ()


def gate(
    targets: Sequence[str],
    executors: ExecutorFactory,
    options: GateOptions | None = None,
    listener: Listener = SILENT,
) -> tuple[GateResult, ...]:
    """The decisions on sweep files, whose missing runs are executed first, and on stores.

    Raises InputError (``lock-exists``, ``gate-store``, ``gate-sweep``, ``no-lock``), and as ``run_sweeps`` does.
    """
    options = options or GateOptions()
    stores = [target for target in targets if _is_store(target)]
    paths = [folder_of(target) for target in targets if not _is_store(target)]
    files = [folder_file(path) or path for path in paths]
    for path in map(lock_path, files):
        if options.lock == "record" and path.exists():
            raise InputError(
                "lock-exists", f"{path} already exists", hint="--update accepts the drift from it"
            )
    running = options.fresh or options.self_test or options.sweeps.limited
    if stores and (options.store is not None or running):
        raise InputError(
            "gate-store",
            f"{stores[0]} is a store; 'tla2py gate' does not run its points",
            hint="leave out -o, --fresh, --self-test, --set, --points and --failed",
        )
    if options.sweeps.limited and options.lock != "read":
        hint = "leave out --set, --points and --failed, or --record and --update"
        raise InputError("usage", "a lock is written for all points and values of the sweep file", hint=hint)
    if options.sweep_file is not None and (files or len(stores) > 1):
        raise InputError(
            "gate-sweep", "--sweep applies to a single store", hint="to run a sweep file, name only the file"
        )
    gated = [_gate_store(store, options, listener) for store in stores]
    if files:
        found = [*_gate_files(files, executors, options, listener)]
        if options.lock == "record" and sum(map(_propose, found)):
            found = [*_gate_files(files, executors, replace(options, fresh=False), listener)]
        gated += found
    if options.lock != "read":
        gated = [_accept(each, options) if each.decision.acceptable else each for each in gated]
    for each in gated:
        if each.records is not None:
            # A problem of the sweep as a whole may be one of any point.
            points = () if each.decision.problems else each.decision.points
            passed = [point.point.index for point in points if not point.problems]
            sweep = each.sweep
            note_passed(
                each.records, sweep, "gate", sweep.numbers, passed, whole=not sweep.selection.is_limited
            )
    return tuple(gated)


def _is_store(target: str) -> bool:
    """Whether a target is a store; any other folder is one of configs."""
    return is_remote(target) or is_store(folder_of(target))


def _second_tools(sweep: Sweep, options: GateOptions) -> Toolchain | None:
    """Return the tools of the second opinion that the options or the sweep file ask for, None if neither does."""
    if options.second is not None:
        return find_toolchain(options.second, SECOND_JAR)
    if sweep.file.sections.gate.second:
        return find_toolchain(Path(sweep.file.sections.gate.second), GATE_JAR)
    return None


def _gate_files(
    files: Sequence[Path], executors: ExecutorFactory, options: GateOptions, listener: Listener
) -> Iterator[GateResult]:
    loaded = _load(files, options, listener)
    sweeps = [sweep for sweep, _ in loaded]
    if options.sweeps.failed:
        sweeps = only_failed(sweeps, options.store, "gate")
    toolchain = find_toolchain(options.sweeps.tla2tools)
    # A jar that is missing is told before the first TLC runs.
    second_tools = {sweep.name: _second_tools(sweep, options) for sweep in sweeps}
    fresh, rounds = options.fresh, SearchOptions().rounds
    results = run_sweeps(
        sweeps, toolchain, executors, store=options.store, fresh=fresh, rounds=rounds, listener=listener
    )
    for result, (_, lock) in zip(results, loaded, strict=True):
        failure = keep_because(result.store, toolchain, fresh=fresh) if options.why else None
        sweep, plan, view = result.sweep, result.plan, open_view(result.store.path)
        search = None
        if result.searched:
            sweep, search = _searched(sweep.select(chosen=None), view)
        # A limited sweep's store may have other points too.
        view.run_rows = result.runs
        found = replace(read_found(view), findings=result.findings, search=search, jar=toolchain.jar)
        if sweep.file.sections.logs.mutate and not sweep.selection.is_limited:
            mutants = run_log_mutants(result, toolchain, executors, fresh=fresh, listener=listener)
            found = replace(found, mutants=mutants)
        if sweep.file.sections.mutation is not None and not sweep.selection.is_limited:
            choice, own = file_choice(sweep), mutants_address(result.store.path)
            mutation = run_mutation(
                sweep, toolchain, executors, choice, store=own, fresh=fresh, listener=listener
            )
            found = replace(found, report=mutation.report)
        if (tools := second_tools[sweep.name]) is not None:
            second = run_second(
                sweep,
                result.store.path,
                tools,
                options.second or Path(sweep.file.sections.gate.second or ""),
                executors,
                fresh=fresh,
                listener=listener,
            )
            found = replace(found, second=second)
        if options.self_test:
            tested = run_self_test(
                result, toolchain, executors, lock, found.report, fresh=fresh, listener=listener
            )
            found = replace(found, self_test=tested)
        decision = decide(sweep, plan, found, lock, strict=options.strict)
        if failure is not None:
            decision = replace(decision, notices=(*decision.notices, f"no causes of violations: {failure}"))
        yield GateResult(
            sweep=sweep,
            plan=plan,
            view=view,
            found=found,
            lock=lock,
            decision=decision,
            toolchain=toolchain,
            records=result.records,
        )


def _searched(sweep: Sweep, view: StoreView) -> tuple[Sweep, Search | None]:
    """The sweep limited to its points that ran, and its search, where an expected law may predict the others."""
    search = view.manifest.search
    # Draws of other runs say nothing; without a law nothing is predicted, and every point has to run.
    fresh = search is not None and search.chosen.keys() <= {point.run_id for point in view.points}
    if not (fresh and sweep.file.sections.grid.search and sweep.laws):
        return sweep, None
    return sweep.select(chosen=frozenset(row.point for row in view.run_rows)), search


def _propose(gated: GateResult) -> bool:
    """Write the rows to propose for points of a folder that no row and no EXPECT is about; whether there are any."""
    path, sweep = gated.sweep.file.path, gated.sweep
    rows = []
    for point in gated.decision.points if folder_file(path) is not None else ():
        config, row = point.point.parameters.get("config", ""), point.row
        if (
            not isinstance(point.expected, ExpectSection)
            or (hint := hint_of(sweep.specification.configs[config])) is None
        ):
            continue
        why, names = hint
        if row is not None:
            why += f"; the run: {' '.join([row.verdict.value, ', '.join(row.violated_names)]).rstrip()}"
        expected = f"verdict = {toml_string(Verdict.VIOLATED.value)}"
        if not names and row is not None and row.verdict is Verdict.VIOLATED:
            names = row.violated_names
            if row.outcome is Outcome.VIOLATION_DEADLOCK:
                names, expected = (), f"outcome = {toml_string(row.outcome.value)}"
        if names:
            expected = f"violates = [{', '.join(map(toml_string, names))}]"
        match = f"match = {{ config = {toml_string(config)} }}"
        rows.append(f"[[expect.point]]\n{match}\n{expected}\nproposed = {toml_string(why)}\n")
    if rows:
        before = path.read_text(encoding="utf-8") if path.is_file() else _HEADER
        path.write_text("\n".join([before, *rows]), encoding="utf-8")
    return bool(rows)


def _gate_store(path: str, options: GateOptions, listener: Listener) -> GateResult:
    view = open_view(path)
    # The moment that the view sees, since a sweep may go on.
    store = view.store
    [(sweep, lock)] = _load([sweep_file_of(store, options.sweep_file)], options, listener)
    plan, other_inputs = plan_stored(sweep, store, view.run_rows)
    check_expectations(sweep, plan)
    sweep, search = _searched(sweep, view)
    mutants = report = None
    if sweep.file.sections.logs.mutate and other_inputs is None:
        mutants, other_inputs = stored_mutants(sweep, store, view.run_rows)
    if other_inputs is None:
        report, other_inputs = stored_report(sweep, plan, store)
    # What depends on the TLC that ran is in the store.
    kept = store.findings()
    of_tlc = [*kept.open, *(each.finding for each in kept.accepted)]
    linted = (
        *lasting_findings(lint_sweep(sweep, plan, None)),
        *(each for each in of_tlc if each.code == KNOWN_WRONG),
    )
    second = stored_second(sweep, store.path)
    if second is None and sweep.file.sections.gate.second is not None:
        second = SecondRuns(name=sweep.file.sections.gate.second)
    digest = next((row.jar_sha256 for row in view.run_rows if row.jar_sha256), "")
    found = replace(
        read_found(view),
        findings=sweep_findings(sweep, plan, store, view.run_rows, linted),
        mutants=mutants,
        report=report,
        second=second,
        jar=jar_of(digest) if second is not None else None,
        other_inputs=other_inputs,
        search=search,
    )
    decision = decide(sweep, plan, found, lock, strict=options.strict)
    return GateResult(sweep=sweep, plan=plan, view=view, found=found, lock=lock, decision=decision)


def _load(paths: Sequence[Path], options: GateOptions, listener: Listener) -> list[tuple[Sweep, Lock | None]]:
    sweeps = options.sweeps.load(paths, listener=listener)
    return [_with_lock(sweep, path, options) for sweep, path in zip(sweeps, paths, strict=True)]


def _with_lock(sweep: Sweep, path: Path, options: GateOptions) -> tuple[Sweep, Lock | None]:
    """A sweep and its lock; the options say what the sweep counts and asks."""
    if options.sweeps.trust is False:
        check_inside(lock_path(path), path)
    lock = read_lock(lock_path(path))
    if options.locked and lock is None:
        hint = "restore the committed lock, or write a first one with --record and without --locked"
        raise InputError("no-lock", f"no lock at {lock_path(path)}", hint=hint)
    counted = {point.key for point in lock.point if point.fired is not None} if lock is not None else set()
    every = options.lock == "record" if options.coverage is None else options.coverage
    points = frozenset(
        point.index
        for point in sweep.points
        if every or (options.coverage is None and parameters_key(point.parameters) in counted)
    )
    asked = options.lock == "record" or (lock is not None and lock.vacuity)
    vacuity = sweep.selection.vacuity or (asked if options.vacuity is None else options.vacuity)
    vacuity = vacuity and sweep.selection.options.mode == "check"
    return sweep.select(counted=points, vacuity=vacuity), lock


def _accept(gated: GateResult, options: GateOptions) -> GateResult:
    """The decision against a lock just written from the results."""
    path, found = lock_path(gated.sweep.file.path), gated.found
    points = [point.locked for point in gated.decision.points if point.locked is not None]
    kept = {each.name: each.lock_text for each in found.self_test or () if each.mutant is not None}
    if found.self_test is None and gated.lock is not None:
        kept = gated.lock.self_test or {}
    lock = Lock(
        point=points,
        tlc=found.tlc,
        vacuity=gated.sweep.selection.vacuity,
        options=list(gated.sweep.selection.adjusted),
        mutants=blindness(found.mutants.rows) if found.mutants is not None else None,
        survivors=survivors(found.report, gated.sweep.file.sections.mutation)
        if found.report is not None
        else None,
        self_test=kept or None,
    )
    write_file(path, lock_text(lock))
    written = read_lock(path)
    decision = decide(gated.sweep, gated.plan, found, written, strict=options.strict)
    accepted = gated.decision.all_problems
    return replace(gated, lock=written, decision=decision, written=len(points), accepted=accepted)


# Words in the names of configs that are meant to violate something.
_NAMES = frozenset(
    ("bug", "bugs", "buggy", "naive", "broken", "unsafe", "wrong", "fail", "fails", "violated", "violation")
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# What a comment says of the result: "must violate Safe", "TLC should report a deadlock", "expected to fail".
_COMMENT = re.compile(
    r"\b(?:must|should|shall|has to|expected to|expect TLC to)\s+(?:be\s+)?"
    r"(?:violated?|fail|break|report|find|deadlock|produce an? (?:error|counterexample|violation))\b"
    r"|\b(?:violates|expected (?:violation|failure|counterexample))\b",
    re.IGNORECASE,
)
_LONGEST = 120
_HEADER = """\
# What tla2py gate expects of the configs below this folder; without a row a config has to hold.
# A row with `proposed` is a guess: read it, correct it, and remove that line. Until then the gate is red.
"""


def hint_of(config: ConfigFile) -> tuple[str, tuple[str, ...]] | None:
    """Why a config is likely to violate something by its comments, or else its name, and the checks that a comment names.

    None if they say nothing.
    """
    checks = (*config.config.invariants, *config.config.properties)
    for comment in config.statements.comments:
        if _COMMENT.search(text := " ".join(comment.text.strip("\\*() \n").split())):
            words = set(re.findall(r"\w+", text))
            why = f"the comment in line {comment.line}: {cut(text, _LONGEST)}"
            return why, tuple(name for name in checks if name in words)
    word = next((each for each in _WORD.findall(config.path.stem) if each.lower() in _NAMES), None)
    return None if word is None else (f"the name has {word}", ())
