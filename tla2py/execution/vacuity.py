"""Further runs that tell whether the checks of points that hold could fail, and the findings on those that could not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tla2py.errors import attempt
from tla2py.execution.antecedents import Antecedent, Key, StaticFinding, read_checks
from tla2py.execution.executor import Executor
from tla2py.execution.job import execute_jobs, prepare_job
from tla2py.execution.listener import Listener
from tla2py.execution.liveness_parts import LivenessPart, find_liveness_parts
from tla2py.execution.schedule import NOTHING_KNOWN
from tla2py.execution.vacuity_copies import FIRST_REGISTER, VacuityCopy, instrument, reported_numbers
from tla2py.lint.subject import result_warning
from tla2py.model.finding import Finding
from tla2py.model.model import Config
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.row import RunRow
from tla2py.model.run import ModuleText, Run, digest_text
from tla2py.store.record import Archive
from tla2py.store.store import Store
from tla2py.sweep.grid import Point
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted, parameter_text
from tla2py.tla.graph import ModuleGraph, find_bodies, reached
from tla2py.tlc.config.render import render_config
from tla2py.tlc.output.result import interpret_record
from tla2py.tlc.tools.toolchain import Toolchain

PROBE_CODES = frozenset(
    {"vacuous-implication", "vacuous-liveness", "vacuous-property", "no-behaviour", "vacuity-unchecked"}
)
# Operators that only liveness formulas of a specification have.
_LIVENESS = frozenset({"WF_", "SF_", "<>", "~>"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A run of copies in which TLC reports what of the checks it evaluates; ``place`` is that of the specification."""

    point: Point
    place: str
    run: Run
    copy: VacuityCopy

    @property
    def sees_every_state(self) -> bool:
        """Whether TLC looks at all reachable states, and not at some that stand for others."""
        return self.run.config.symmetry is None and self.run.config.view is None


@dataclass(slots=True)
class ProbePlan:
    """The runs to make, and what is known without them.

    ``sources`` are the texts of their modules by sha256. What is in ``violated`` is part of a check that was violated at
    some point, so it can fail. ``always_true`` are parts of checks that no state and no step makes FALSE.
    """

    probes: list[Probe] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    violated: set[Key] = field(default_factory=set)
    always_true: dict[Key, StaticFinding] = field(default_factory=dict)


def plan_probes(sweep: Sweep, plan: Plan, rows: Sequence[RunRow]) -> ProbePlan:
    """Return the probes of the points that hold; a point where there is nothing to ask for has none."""
    holds, violated = bytearray(len(plan.points) + 1), dict[int, tuple[str, ...]]()
    for row in rows:
        # The store that a gate is asked about may have more points than its sweep has now.
        if row.verdict is Verdict.HOLDS and row.point < len(holds):
            holds[row.point] = True
        if row.violated:
            violated[row.point] = row.violated_names

    probes = ProbePlan()
    copies: dict[tuple[object, ...], VacuityCopy] = {}
    for point, run in zip(plan.points, plan.runs, strict=True):
        spec, config = sweep.spec(point.parameters), run.config
        if names := violated.get(point.index):
            replaced = _replaced_definitions(spec, config)
            probes.violated |= read_checks(spec, names, (), replaced).antecedents.keys()
            probes.violated |= find_liveness_parts(spec, names, replaced).keys()
        if not holds[point.index] or run.options.mode != "check":
            continue
        behaviour = (config.specification or "",) if config.properties and not config.symmetry else ()
        key = (id(spec), run.modules, replace(config, assignments=()), behaviour)
        if key not in copies:
            copies[key] = _copy_checks(spec, plan, run, behaviour)
        copy = copies[key]
        probes.always_true |= {part.key: part for part in copy.always_true}
        if copy.asks:
            probes.sources |= {digest_text(text): text for text in copy.modules.values()}
            probe_run = _probe_run(run, copy)
            probes.probes.append(Probe(point=point, place=_place(spec, config), run=probe_run, copy=copy))
    return probes


def _replaced_definitions(spec: ModuleGraph, config: Config) -> dict[str, str]:
    constants = {constant.name for constant in spec.constants}
    return {name: other for name, other in config.substitutions if name not in constants}


def _copy_checks(spec: ModuleGraph, plan: Plan, run: Run, behaviour: tuple[str, ...]) -> VacuityCopy:
    config = run.config
    formulas = reached(spec, find_bodies(spec, behaviour), {})
    return instrument(
        spec,
        {name.removesuffix(".tla"): plan.sources[sha256] for name, sha256 in run.modules},
        config.invariants,
        config.properties,
        replaced=_replaced_definitions(spec, config),
        behaviour=[name for name in (config.specification, config.init, config.next) if name],
        fairness=any(each.expr.operator in _LIVENESS for each in formulas),
        whole=config.symmetry is None and config.view is None,
    )


def _probe_run(run: Run, copy: VacuityCopy) -> Run:
    modules = dict(run.modules) | {f"{name}.tla": digest_text(text) for name, text in copy.modules.items()}
    config = replace(
        run.config,
        invariants=(*run.config.invariants, *copy.invariants),
        properties=(*run.config.properties, *copy.properties),
    )
    return replace(
        run,
        modules=tuple(ModuleText(*each) for each in modules.items()),
        config=config,
        config_text=render_config(config, run.template),
        options=replace(run.options, find="first", coverage=False, graph=False),
        originals=(),
        inputs=replace(run.inputs, outputs=()),
    )


def _place(spec: ModuleGraph, config: Config) -> str:
    definition = spec.definitions.get(config.specification or "")
    return spec.root.where() if definition is None else spec.file_of(definition).where(definition.span)


@dataclass(slots=True)
class _Reports:
    """What TLC reported at all points, by the places of the parts, and the parts that it was asked for.

    ``satisfied`` are antecedents that were TRUE, parts that did not hold at once, and what was violated; ``evaluated`` are
    antecedents that were FALSE, ``entered`` the guards that TLC came to, of those that are ``marked``.
    """

    satisfied: set[Key]
    evaluated: set[Key] = field(default_factory=set)
    entered: set[Key] = field(default_factory=set)
    marked: set[Key] = field(default_factory=set)
    antecedents: dict[Key, list[Antecedent]] = field(default_factory=lambda: defaultdict(list))
    parts: dict[Key, list[LivenessPart]] = field(default_factory=lambda: defaultdict(list))
    without_behaviour: list[Probe] = field(default_factory=list)
    unanswered: list[Probe] = field(default_factory=list)
    # Antecedents about which a state that TLC did not look at may say something else.
    partly_seen: set[Key] = field(default_factory=set)

    def add(self, probe: Probe, outcome: Outcome | None, numbers: frozenset[int]) -> None:
        """Add what TLC reported in a probe that ended so, None if it has no record."""
        copy = probe.copy
        self.marked |= copy.markers.keys()
        self.entered |= {key for key, number in copy.markers.items() if number in numbers}
        for key, number in zip(
            copy.decided_keys, range(FIRST_REGISTER, FIRST_REGISTER + copy.decided), strict=True
        ):
            if number in numbers:
                self.satisfied.add(key)
        first = FIRST_REGISTER + copy.decided
        for number, antecedent in enumerate(copy.antecedents, first):
            if number in numbers:
                self.evaluated.add(antecedent.key)
            if not probe.sees_every_state:
                self.partly_seen.add(antecedent.key)

        # TLC saw all states, or reported everything before that.
        whole = outcome in (Outcome.SUCCESS, Outcome.VIOLATION_LIVENESS)
        reported = sum(FIRST_REGISTER <= number < first for number in numbers)
        if not whole and (copy.fairness or reported < copy.decided):
            self.unanswered.append(probe)
            return
        for antecedent in copy.antecedents:
            self.antecedents[antecedent.key].append(antecedent)
        for part in copy.parts:
            self.parts[part.key].append(part)
        if copy.fairness and outcome is Outcome.SUCCESS:
            self.without_behaviour.append(probe)

    def vacuous_implications(self) -> Iterator[Finding]:
        """Yield a finding on each implication whose antecedent was TRUE at no point."""
        for key, antecedents in self.antecedents.items():
            antecedent, points = antecedents[0], counted(len(antecedents), "point")
            text = antecedent.module.excerpt(antecedent.span)
            hint = "correct the antecedent, or add a point where it can be TRUE"
            if key in self.satisfied:
                continue
            if key not in self.evaluated:
                guard = antecedent.find_decisive_guard(self.entered, self.marked)
                if guard is not None and guard.implied is not None:
                    # The implication around it has a finding.
                    continue
                reason = f", as {guard.reason}" if guard is not None and guard.reason else ""
                message = f"this implication in {antecedent.definition} decides nothing: TLC never evaluated {text}{reason}"
                hint = "remove the implication, or correct what decides before it"
            elif antecedent.everywhere and key not in self.partly_seen:
                message = f"this implication in {antecedent.definition} cannot fail: no reachable state satisfies {text}"
            else:
                message = f"this implication in {antecedent.definition} cannot fail: {text} was FALSE wherever TLC evaluated it"
            yield result_warning(
                "vacuous-implication",
                antecedent.module.where(antecedent.span),
                f"{message} ({points})",
                hint,
                antecedent.definition,
            )

    def vacuous_liveness(self) -> Iterator[Finding]:
        """Yield a finding on each formula of liveness that held at once at every point."""
        for key, parts in self.parts.items():
            part = parts[0]
            if key in self.satisfied:
                continue
            if part.antecedent is not None and (part.module.name, part.antecedent) not in self.satisfied:
                # That its antecedent is never TRUE says more.
                continue
            if part.kind == "initial":
                evidence = f"{part.condition} is TRUE in every initial state"
                hint = "write what has to happen later, or an invariant"
            elif part.kind == "response":
                evidence = f"every reached state that satisfies {part.condition} satisfies {part.response}"
                hint = "check the implication as an invariant, which says more"
            else:
                evidence = f"{part.condition} is TRUE in every reached state"
                hint = f"check {part.condition} as an invariant, which says more"
            formula = part.module.excerpt(part.span)
            yield result_warning(
                "vacuous-liveness",
                part.module.where(part.span),
                f"{formula} in {part.definition} holds at once: {evidence} ({counted(len(parts), 'point')})",
                hint,
                part.definition,
            )


def probe_findings(sweep: Sweep, plan: Plan, store: Store, rows: Sequence[RunRow]) -> Iterator[Finding]:
    """Yield the findings of ``PROBE_CODES`` by the probes in a store; ``vacuity-unchecked`` stands for missing answers.

    What holds vacuously does so at every point of the sweep that holds, and is violated at none.
    """
    nothing: list[Finding] = []
    findings = attempt(lambda: list(_find_vacuous(sweep, plan, store, rows)), nothing)
    yield from findings.result
    if findings.failure is not None:
        yield result_warning(
            "vacuity-unchecked",
            str(sweep.file.path),
            f"the vacuity check failed: {findings.failure}",
            "report this as a bug of tla2py; vacuity = false under [tlc] leaves the check out",
            None,
        )


def _find_vacuous(sweep: Sweep, plan: Plan, store: Store, rows: Sequence[RunRow]) -> Iterator[Finding]:
    probes = plan_probes(sweep, plan, rows)
    reports = _Reports(satisfied=set(probes.violated))
    for probe in probes.probes:
        outcome, numbers = store.read_record(probe.run.run_id, _answer) or (None, frozenset())
        reports.add(probe, outcome, numbers)
    yield from reports.vacuous_implications()
    yield from reports.vacuous_liveness()
    for part in probes.always_true.values():
        message = f"{part.module.excerpt(part.span)} in {part.definition} cannot be FALSE: {part.reason}"
        place = part.module.where(part.span)
        yield result_warning("vacuous-property", place, message, part.hint, part.definition)
    if reports.without_behaviour:
        yield _about_points(
            "no-behaviour",
            reports.without_behaviour,
            "every property holds, as the specification has no behaviour: none satisfies its fairness",
            "correct the fairness condition or the constraints; TLC sees only behaviours within constraints",
        )
    if reports.unanswered:
        yield _about_points(
            "vacuity-unchecked",
            reports.unanswered,
            "TLC did not answer whether implications and properties could fail",
            "raise the limits of the sweep",
        )


def _about_points(code: str, probes: Sequence[Probe], message: str, hint: str) -> Finding:
    first = probes[0]
    rest = f" and {counted(len(probes) - 1, 'more point')}" if probes[1:] else ""
    shown = f"{parameter_text(first.point.parameters) or 'the only point'}{rest}"
    return result_warning(code, first.place, f"{message} ({shown})", hint, first.run.config.specification)


def execute_probes(
    sweep: Sweep,
    plan: Plan,
    store: Store,
    rows: Sequence[RunRow],
    toolchain: Toolchain,
    start: Callable[[], Executor],
    listener: Listener,
) -> int:
    """The number of probes executed, those that the store lacks. The store must be locked."""
    # A failure shows again, as a finding, when the findings are made.
    planned = attempt(lambda: plan_probes(sweep, plan, rows), ProbePlan()).result
    probes = planned.probes
    store.write_probes(probe.run.run_id for probe in probes)
    points, runs = [probe.point for probe in probes], [probe.run for probe in probes]
    probe_plan = plan.further(points, runs, planned.sources)
    job = prepare_job(sweep, probe_plan, store, earlier=NOTHING_KNOWN)
    jobs = [job] if job.missing else []
    return sum(execute_jobs(jobs, toolchain, start, listener, f"{sweep.name} vacuity"))


def _answer(archive: Archive) -> tuple[Outcome, frozenset[int]]:
    """Return how a probe ended, and the numbers that TLC reported, by its record."""
    with archive.stdout(1) as output:
        numbers = reported_numbers(output)
    return interpret_record(archive.record, archive.stdout).outcome, numbers
