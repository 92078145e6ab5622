"""The results of a store, as the gate reads them."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from tla2py.analysis.view import StoreView
from tla2py.errors import ExitCode, InputError
from tla2py.execution.listener import literal_logs
from tla2py.gate.drift import Drift
from tla2py.gate.lock import LockedPoint, parameters_key
from tla2py.lint.finding import Finding
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.run import Run, RunRecord
from tla2py.model.trace import Trace
from tla2py.store.points import Manifest
from tla2py.store.runs import RunRow, StoredLine, action_rows, run_notes, unmatched_lines
from tla2py.store.store import Store
from tla2py.store.write import table_files
from tla2py.sweep.checks import ConfigProblem
from tla2py.sweep.folder import folder_file
from tla2py.sweep.grid import Point
from tla2py.sweep.judge import ALL_EXCLUDED, FIGURES, CheckAnswer, Mismatch, MismatchKind, worst
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.sweep.sections import Expectation, ExpectSection
from tla2py.sweep.sweep import Sweep, Unread
from tla2py.text import cut, parameter_text
from tla2py.tla.module import Remark
from tla2py.tlc.config.read import ConfigFile
from tla2py.toml import toml_string


class Reason(Enum):
    """Why a gate is red, by the name that reports use."""

    UNEXPECTED = "unexpected"
    FIGURES = "figures"
    BROKEN = "broken"
    INCONCLUSIVE = "inconclusive"
    UNDECIDED = "undecided"
    UNREAD = "unread"
    TRANSLATION = "translation"
    NOT_RUN = "not-run"
    NOTHING_RAN = "nothing-ran"
    ALL_EXCLUDED = "all-excluded"
    OTHER_INPUTS = "other-inputs"
    NOTHING_CHECKED = "nothing-checked"
    NOT_IN_CONFIG = "not-in-config"
    MODEL_VALUE = "model-value"
    SYMMETRY_LIVENESS = "symmetry-liveness"
    NO_STATES = "no-states"
    UNNAMED = "unnamed"
    PROPOSED = "proposed"
    NEVER_FIRED = "never-fired"
    NOT_COUNTED = "not-counted"
    DRIFT = "drift"
    FINDING = "finding"
    ERROR = "error"


# What the run of a point lacked to answer; TLC's message has nothing to add.
DOUBTS = {
    MismatchKind.NO_ANSWER: Reason.INCONCLUSIVE,
    MismatchKind.SIMULATED: Reason.INCONCLUSIVE,
    MismatchKind.UNNAMED: Reason.UNNAMED,
    MismatchKind.UNDECIDED: Reason.UNDECIDED,
    MismatchKind.NO_STATES: Reason.NO_STATES,
}
_TEXTS = {
    Reason.NOT_RUN: "the point has no result",
    Reason.NOTHING_RAN: "nothing ran: no point has a result",
    Reason.ALL_EXCLUDED: ALL_EXCLUDED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMismatch:
    """A mismatch, the row of the run it is about, and the line of its log that is the reason."""

    mismatch: Mismatch
    row: RunRow
    line: StoredLine | None = None

    def __str__(self) -> str:
        if self.mismatch.kind in DOUBTS or self.mismatch.kind in FIGURES:
            return str(self.mismatch)
        if self.line is not None:
            return f"{self.mismatch}; {self.line}"
        row = self.row
        answered = row.verdict not in (Verdict.BROKEN, Verdict.INCONCLUSIVE)
        place = f"{row.message_place}: " if row.message_place is not None else ""
        message = f": {' '.join(f'{place}{row.message}'.split())[:300]}" if row.message else ""
        return self.mismatch.text(None if answered else row.outcome) + message


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCounted:
    """Actions that TLC did not count, and those it did."""

    actions: Sequence[str]
    counted: Sequence[str]

    def __str__(self) -> str:
        why = f"TLC counts {', '.join(self.counted)}" if self.counted else "TLC printed no coverage"
        return f"cannot tell whether {', '.join(self.actions)} fired: {why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NeverFired:
    """An action that was expected to fire and never did."""

    action: str

    def __str__(self) -> str:
        return f"action {self.action} never fired, expected to"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedRow:
    """A row of expectations that nobody has confirmed, with its place and why it was proposed."""

    where: str
    why: str

    def __str__(self) -> str:
        return (
            f"the row at {self.where} is a proposal ({self.why}); if it is right, remove its line `proposed`"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherInputs:
    """A store made from inputs other than those of its sweep file: the ``changes``, and the command that catches up."""

    store: str
    sweep_file: str
    changes: Sequence[str]
    command: str

    def __str__(self) -> str:
        changes = "; ".join(self.changes) or "the difference is unknown"
        return (
            f"{self.store} was made from other inputs than {self.sweep_file}: {changes}; "
            f"run '{self.command}' to execute the missing runs"
        )


Cause: TypeAlias = (
    RunMismatch
    | ConfigProblem
    | Drift
    | NotCounted
    | NeverFired
    | ProposedRow
    | OtherInputs
    | Finding
    | Remark
    | Unread
    | None
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem that makes a gate red.

    ``point`` is the index of its point, None for the whole sweep. ``subject`` is the name of the definition or action
    that it concerns, ``where`` a place in a module.
    """

    reason: Reason
    cause: Cause = None
    exit_code: ExitCode = ExitCode.NOT_RUN
    point: int | None = None
    subject: str | None = None
    where: str | None = None

    @property
    def text(self) -> str:
        """The problem in words."""
        match self.cause:
            case None:
                return _TEXTS[self.reason]
            case Remark() as remark:
                return remark_text(remark)
            case Finding(place=place) as finding:
                return f"{replace(place, file=Path(place.file).name)}: {finding}"
            case cause:
                return str(cause)


def remark_text(remark: Remark) -> str:
    """A remark on PlusCal, with the file's name only: the same text wherever the repository is."""
    return f"{Path(remark.where).name}: {remark.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PointDecision:
    """The decision on a point: what it checked, what was found and its problems.

    ``line`` is the first line of its log that no behaviour explains.
    """

    point: Point
    run: Run
    row: RunRow | None
    expected: Expectation
    checks: tuple[CheckAnswer, ...]
    problems: tuple[Problem, ...]
    locked: LockedPoint | None
    line: StoredLine | None = None

    @property
    def shown(self) -> str:
        """The parameters as text."""
        return parameter_text(self.point.parameters)

    @property
    def surprises(self) -> tuple[CheckAnswer, ...]:
        """The unexpected violations."""
        return tuple(one for one in self.checks if one.status == "violated" and not one.as_expected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The decision on a sweep.

    ``problems`` concern the sweep as a whole. ``findings`` and ``notices`` do not make it red; with ``--strict`` findings
    are problems.
    """

    name: str
    points: tuple[PointDecision, ...] = ()
    problems: tuple[Problem, ...] = ()
    findings: tuple[Finding, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def all_problems(self) -> tuple[Problem, ...]:
        """Every problem, those of the whole sweep first."""
        return (*self.problems, *(problem for point in self.points for problem in point.problems))

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of the decision."""
        return worst([ExitCode.OK, *(problem.exit_code for problem in self.all_problems)])

    @property
    def acceptable(self) -> bool:
        """Whether drift is the only problem, so that a lock may be written."""
        return all(problem.reason is Reason.DRIFT for problem in self.all_problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFacts:
    """The results in a store, by run id.

    ``fired`` and ``idle`` are the actions that fired and never fired, in runs that counted them; TLC counts an action
    within another as that one. ``lines`` are the first lines of logs that no behaviour explains. ``notes`` are those of tla2py on the runs. ``lengths`` are the states of the shortest counterexample by run id and name.
    """

    rows: Mapping[str, RunRow]
    fired: Mapping[str, Sequence[str]] = field(default_factory=dict)
    idle: Mapping[str, Sequence[str]] = field(default_factory=dict)
    lengths: Mapping[tuple[str, str], int] = field(default_factory=dict)
    lines: Mapping[str, StoredLine] = field(default_factory=dict)
    other_inputs: OtherInputs | None = None
    notes: tuple[str, ...] = ()

    @property
    def tlc(self) -> str | None:
        """The version and revision of the TLC that ran most of the runs."""
        found = Counter(row.tlc for row in self.rows.values() if row.tlc is not None)
        return max(found, key=lambda tlc: (found[tlc], tlc), default=None)


def read_found(view: StoreView, other_inputs: OtherInputs | None = None) -> StoreFacts:
    """The results of a store's runs."""
    fired: dict[str, set[str]] = {}
    idle: dict[str, set[str]] = {}
    for row in action_rows(table_files(view.store, "coverage")):
        names, others = fired.setdefault(row.run_id, set()), idle.setdefault(row.run_id, set())
        if row.kind == "action":
            (names if row.generated else others).add(row.name)
    return StoreFacts(
        rows={row.run_id: row for row in view.run_rows},
        fired={run_id: sorted(names) for run_id, names in fired.items()},
        idle={run_id: sorted(names - fired[run_id]) for run_id, names in idle.items()},
        lengths={key: row.length for key, row in view.shortest_traces.items()},
        lines=unmatched_lines(table_files(view.store, "logs"), table_files(view.store, "log_lines")),
        other_inputs=other_inputs,
        notes=tuple(run_notes(table_files(view.store, "diagnostics"), view.run_rows)),
    )


def read_trace(view: StoreView, run_id: str, name: str) -> Trace | None:
    """A run's shortest counterexample to a name, or None."""
    point = view.points.of_run(run_id)
    shortest = view.shortest_traces.get((run_id, name))
    return None if point is None or shortest is None else view.trace(point.point, shortest.trace)


def sweep_file_of(store: Store, named: Path | None) -> Path:
    """The sweep file to judge a store by: the named one, else the store's own. Raises InputError (``sweep-unknown``)."""
    if named is not None:
        return named
    recorded = store.manifest().sweep_file
    if recorded is None or not (Path(recorded).is_file() or folder_file(Path(recorded)) is not None):
        problem = (
            f"{store.path} was made from {recorded}, which does not exist"
            if recorded
            else f"{store.path} does not name its sweep file"
        )
        raise InputError("sweep-unknown", problem, hint="name the file with --sweep FILE")
    return Path(recorded)


def plan_stored(sweep: Sweep, store: Store, rows: Sequence[RunRow]) -> tuple[Plan, OtherInputs | None]:
    """The plan of a sweep with the jar of a store, and how the store's inputs differ.

    ``rows`` are those of the store. Each point counts actions if its run in the store did.
    """
    jars = Counter(row.jar_sha256 or "" for row in rows)
    jar = jars.most_common(1)[0][0] if jars else ""
    manifest = store.manifest()
    have = store.points().run_ids()
    every = range(1, len(sweep.points) + 1)
    ids = plan_sweep(replace(sweep, counted=frozenset(every)), jar).runs.ids
    if sweep.logs.readers and have.isdisjoint(ids):
        # The TLC of the store may have had no Java classes that read logs.
        sweep = literal_logs(sweep)
        ids = plan_sweep(replace(sweep, counted=frozenset(every)), jar).runs.ids
    counted = frozenset(index for index, run_id in zip(every, ids, strict=True) if run_id in have)
    plan = plan_sweep(replace(sweep, counted=counted), jar)
    same = not rows or set(plan.runs.ids) == have
    return plan, None if same else _difference(sweep, plan, store, manifest)


def _difference(sweep: Sweep, plan: Plan, store: Store, manifest: Manifest) -> OtherInputs:
    # The store may keep texts that none of its points uses any more.
    changed = sorted(Path(path).stem for sha256, path in plan.paths.items() if sha256 not in manifest.files)
    parts = [f"module {name} has changed" for name in changed if manifest.files]
    if manifest.sweep != sweep.text:
        parts.append(f"{sweep.path} has changed")
    return OtherInputs(
        store=str(store.path),
        sweep_file=str(sweep.path),
        changes=parts or _first_difference(sweep, plan, store),
        command=gate_command(sweep, store),
    )


def gate_command(sweep: Sweep, store: Store) -> str:
    """The command that executes what a store lacks."""
    return shlex.join(["tla2py", "gate", str(sweep.path), "-o", str(store.path)])


def _first_difference(sweep: Sweep, plan: Plan, store: Store) -> list[str]:
    """How the first point whose run differs from the store's differs."""
    records = store.recorded()
    made = {parameters_key(point.parameters): point.run_id for point in store.points()}
    for point, run in zip(plan.points, plan.runs, strict=True):
        other = made.get(parameters_key(point.parameters))
        if other in records and other is not None and other != run.run_id:
            with store.archive(other) as archive:
                written = run.main not in {spec.root.name for spec in sweep.specs.values()}
                return list(_differences(run, archive.record, f"{run.main}.tla" if written else None))
    return []


def _differences(run: Run, record: RunRecord, wrapper: str | None) -> Iterator[str]:
    # The wrapper module is a part of the config.
    before = dict(record.modules)
    names = [name for name, sha256 in run.modules if before.get(name) != sha256]
    yield from (f"module {Path(name).stem} has changed" for name in names if name != wrapper)
    if wrapper in names or [each.config_text for each in record.executions[:1]] != [run.config_text]:
        yield "the config or its template has changed"
    options, others = asdict(run.options), asdict(record.options)
    changed = [key for key, value in options.items() if value != others[key] and key != "coverage"]
    if changed:
        yield f"TLC options have changed: {', '.join(changed)}"
    inputs, had = run.inputs.facts(), record.inputs.facts()
    if other := sorted(key for key in inputs.keys() | had.keys() if inputs.get(key) != had.get(key)):
        yield f"declared inputs have changed: {', '.join(other)}"
    if run.jar_sha256 != record.jar_sha256:
        yield "the TLC jar has changed"
    if run.limits.trust != record.limits.trust:
        yield f"they ran with{'out' * run.limits.trust} trust"


# Words in the names of configs that are meant to violate something.
_NAMES = frozenset(
    ("bug", "bugs", "buggy", "naive", "broken", "unsafe", "fail", "fails", "violated", "violation")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """Why a config is likely to violate something, and which of its checks a comment names."""

    why: str
    names: tuple[str, ...] = ()


def hint_of(config: ConfigFile) -> Hint | None:
    """What the comments of a config, or else its name, say about its result; None if they say nothing."""
    checks = (*config.config.invariants, *config.config.properties)
    for comment in config.statements.tokens.comments:
        if _COMMENT.search(text := " ".join(comment.text.strip("\\*() \n").split())):
            words = set(re.findall(r"\w+", text))
            return Hint(
                why=f"the comment in line {comment.line}: {cut(text, _LONGEST)}",
                names=tuple(name for name in checks if name in words),
            )
    word = next((each for each in _WORD.findall(config.path.stem) if each.lower() in _NAMES), None)
    return None if word is None else Hint(why=f"the name has {word}")


def proposals(sweep: Sweep, decision: Decision) -> list[str]:
    """The rows to propose, as TOML, for points that no row and no EXPECT is about."""
    return [
        _row(point, hint)
        for point in decision.points
        if isinstance(point.expected, ExpectSection)
        and (hint := hint_of(sweep.configs[point.point.parameters["config"]])) is not None
    ]


def write_proposals(path: Path, rows: list[str]) -> None:
    """Add rows to the file of a folder."""
    before = path.read_text(encoding="utf-8") if path.is_file() else _HEADER
    path.write_text("\n".join([before, *rows]), encoding="utf-8")


def _row(point: PointDecision, hint: Hint) -> str:
    config, why = toml_string(point.point.parameters["config"]), toml_string(_why(point.row, hint))
    expected = _expected(point.row, hint)
    return f"[[expect.point]]\nmatch = {{ config = {config} }}\n{expected}\nproposed = {why}\n"


def _expected(row: RunRow | None, hint: Hint) -> str:
    names = hint.names
    if not names and row is not None and row.verdict is Verdict.VIOLATED:
        if row.outcome in (Outcome.VIOLATION_DEADLOCK, Outcome.VIOLATION_ASSERT):
            return f"outcome = {toml_string(row.outcome.value)}"
        names = tuple(row.violated_names)
    if not names:
        return f"verdict = {toml_string(Verdict.VIOLATED.value)}"
    return f"violates = [{', '.join(map(toml_string, names))}]"


def _why(row: RunRow | None, hint: Hint) -> str:
    if row is None:
        return hint.why
    names = f" {', '.join(row.violated_names)}" if row.violated_names else ""
    return f"{hint.why}; the run: {row.verdict.value}{names}"
