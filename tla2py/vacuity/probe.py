"""Further runs of TLC on points that hold, and what they find: antecedents never satisfied, fairness never satisfied."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tla2py.config.render import render_config
from tla2py.lint.finding import Finding, result_warning
from tla2py.model.config import Config
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.run import ModuleText, Run, digest_text
from tla2py.sweep.plan import Plan
from tla2py.sweep.points import Point
from tla2py.sweep.sweep import Sweep
from tla2py.syntax import ModuleGraph, Span
from tla2py.syntax.reach import named, reached
from tla2py.tables.runs import RunRow
from tla2py.text import counted, parameter_text
from tla2py.vacuity.antecedents import (
    FIRST_REGISTER,
    NO_BEHAVIOUR,
    Antecedent,
    find_antecedents,
    instrument,
)

PROBE_CODES = frozenset({"vacuous-implication", "no-behaviour", "vacuity-unchecked"})
# Operators that only liveness formulas of a specification have.
_LIVENESS = frozenset({"WF_", "SF_", "<>", "~>"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A run in which TLC reports the antecedents that some reachable state satisfies.

    With ``fairness`` it also checks a property that holds only if the specification has no behaviour. ``place`` is that of
    the specification.
    """

    point: Point
    place: str
    run: Run
    antecedents: tuple[Antecedent, ...]
    fairness: bool

    def answered_by(self, answer: ProbeAnswer) -> bool:
        """Whether TLC saw all states, or all antecedents before that."""
        whole = answer.outcome in (Outcome.SUCCESS, Outcome.VIOLATION_LIVENESS)
        return whole or (not self.fairness and len(answer.reported) == len(self.antecedents))


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeAnswer:
    """The end of a probe, and the numbers of the antecedents that TLC reported."""

    outcome: Outcome
    reported: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbePlan:
    """The probes of a sweep.

    ``sources`` are the texts of their modules by sha256. ``failed`` are the keys of the antecedents in what was violated
    at some point: it can fail.
    """

    probes: tuple[Probe, ...]
    sources: Mapping[str, str]
    failed: frozenset[tuple[str, Span]]


def plan_probes(sweep: Sweep, plan: Plan, rows: Sequence[RunRow]) -> ProbePlan:
    """The probes of the points that hold; a point without implications and without fairness to ask for has none."""
    holds, violated = bytearray(len(plan.points) + 1), dict[int, tuple[str, ...]]()
    for row in rows:
        # The store that a gate is asked about may have more points than its sweep has now.
        if row.verdict is Verdict.HOLDS and row.point < len(holds):
            holds[row.point] = True
        if row.violated:
            violated[row.point] = row.violated_names
    failed: set[tuple[str, Span]] = set()
    probes: list[Probe] = []
    sources: dict[str, str] = {}
    known: dict[tuple[object, ...], tuple[tuple[Antecedent, ...], bool, dict[str, str]]] = {}
    for point, run in zip(plan.points, plan.runs, strict=True):
        spec = sweep.spec(point.parameters)
        if names := violated.get(point.index):
            failed |= {each.key for each in find_antecedents(spec, names)}
        if not holds[point.index] or run.options.mode != "check":
            continue
        config = run.config
        names = (*config.invariants, *config.properties)
        behaviour = (config.specification or "",) if config.properties and not config.symmetry else ()
        key = (id(spec), run.modules, names, behaviour)
        if key not in known:
            found = find_antecedents(spec, names)
            fairness = any(
                each.expr.operator in _LIVENESS for each in reached(spec, named(spec, behaviour), {})
            )
            texts = {name.removesuffix(".tla"): plan.sources[sha256] for name, sha256 in run.modules}
            known[key] = found, fairness, instrument(spec, texts, found, fairness=fairness)
        antecedents, fairness, copies = known[key]
        if not antecedents and not fairness:
            continue
        changed = {f"{name}.tla": digest_text(text) for name, text in copies.items()}
        sources |= {digest_text(text): text for text in copies.values()}
        modules = dict(run.modules) | changed
        if fairness:
            config = replace(config, properties=(*config.properties, NO_BEHAVIOUR))
        probe = replace(
            run,
            modules=tuple(ModuleText(*each) for each in modules.items()),
            config=config,
            config_text=render_config(config, run.template),
            options=replace(run.options, find="first", coverage=False, graph=False),
            originals=(),
            inputs=replace(run.inputs, outputs=()),
        )
        probes.append(
            Probe(
                point=point, place=_place(spec, config), run=probe, antecedents=antecedents, fairness=fairness
            )
        )
    return ProbePlan(probes=tuple(probes), sources=sources, failed=frozenset(failed))


def _place(spec: ModuleGraph, config: Config) -> str:
    definition = spec.definitions.get(config.specification or "")
    return spec.root.where() if definition is None else spec.file_of(definition).where(definition.span)


def vacuous(plan: ProbePlan, answers: Mapping[str, ProbeAnswer]) -> Iterator[Finding]:
    """The findings of the probes: ``vacuous-implication``, ``no-behaviour``, and ``vacuity-unchecked`` for missing answers.

    ``answers`` are by run id. An implication is vacuous if no point of the sweep satisfies its antecedent.
    """
    asked: dict[tuple[str, Span], list[Antecedent]] = defaultdict(list)
    satisfied = set(plan.failed)
    empty: list[Probe] = []
    missing: list[Probe] = []
    for probe in plan.probes:
        answer = answers.get(probe.run.run_id)
        if answer is not None:
            satisfied |= {probe.antecedents[number - FIRST_REGISTER].key for number in answer.reported}
        if answer is None or not probe.answered_by(answer):
            missing.append(probe)
            continue
        for each in probe.antecedents:
            asked[each.key].append(each)
        if probe.fairness and answer.outcome is Outcome.SUCCESS:
            empty.append(probe)
    for key, found in asked.items():
        each = found[0]
        if key not in satisfied:
            yield result_warning(
                "vacuous-implication",
                each.module.where(each.span),
                f"this implication in {each.definition} cannot fail: no reachable state satisfies "
                f"{each.module.excerpt(each.span)} ({counted(len(found), 'point')})",
                "correct the antecedent, or add a point where it can be TRUE",
                each.definition,
            )
    if empty:
        yield _about_points(
            "no-behaviour",
            empty,
            "every property holds, as the specification has no behaviour: none satisfies its fairness",
            "correct the fairness condition or the constraints; TLC sees only behaviours within constraints",
        )
    if missing:
        yield _about_points(
            "vacuity-unchecked",
            missing,
            "TLC did not answer whether implications and properties could fail",
            "raise the limits of the sweep",
        )


def _about_points(code: str, probes: Sequence[Probe], message: str, hint: str) -> Finding:
    first = probes[0]
    rest = f" and {counted(len(probes) - 1, 'more point')}" if probes[1:] else ""
    shown = f"{parameter_text(first.point.parameters) or 'the only point'}{rest}"
    return result_warning(code, first.place, f"{message} ({shown})", hint, first.run.config.specification)
