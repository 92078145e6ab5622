r"""The antecedents of implications that a model checks, and copies of modules in which TLC reports them.

In such a copy an antecedent ``P`` is ``((P /\ Tla2pySeen(n)) = TRUE)``. The operator is TRUE, and prints ``n`` the first time
that TLC evaluates it, which it does only where ``P`` is TRUE. Without ``= TRUE`` TLC would take a conjunction in a temporal
formula apart and evaluate the operator alone, before the search (tlc2.tool.liveness.Liveness, up to 2.20).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from tla2py.execution.executor import Executor
from tla2py.execution.job import execute_jobs, prepare_job
from tla2py.execution.listener import NOTHING_KNOWN, Listener
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
from tla2py.tla.copies import Edit, edited, wrapped
from tla2py.tla.graph import ModuleGraph, named, reached
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Definition, Module, Span
from tla2py.tla.tree import deeply
from tla2py.tlc.config.render import render_config
from tla2py.tlc.output.result import interpret_record
from tla2py.tlc.tools.toolchain import Toolchain

# TLC's registers of TLCSet are an array as long as the largest index; users take small numbers.
FIRST_REGISTER = 70_000
HELPER = "Tla2pySeen"
NO_BEHAVIOUR = "Tla2pyNoBehaviour"
_REPORTED = re.compile(rb'<<"tla2py antecedent", (\d+)>>')
_HELPER_TEXT = f"""---- MODULE {HELPER} ----
LOCAL INSTANCE TLC
LOCAL INSTANCE Naturals
{HELPER}(n) == \\/ TLCGet(n)
                 \\/ /\\ PrintT(<<"tla2py antecedent", n>>)
                    /\\ TLCSet(n, TRUE)
                    /\\ TLCSet({FIRST_REGISTER - 1}, TLCGet({FIRST_REGISTER - 1}) - 1)
                    /\\ TLCGet({FIRST_REGISTER - 1}) = 0 => TLCSet("exit", %s)
Tla2pyUnseen(first, last) == /\\ \\A n \\in first..last : TLCSet(n, FALSE)
                             /\\ TLCSet({FIRST_REGISTER - 1}, last - first + 1)
====
"""
# The level up to which the left side of an operator is an antecedent that TLC evaluates state by state.
_IMPLICATIONS = {"=>": Level.ACTION, "~>": Level.STATE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Antecedent:
    """The antecedent of an implication: its module's file, its span there, and the definition around it."""

    module: Module
    span: Span
    definition: str

    @property
    def key(self) -> tuple[str, Span]:
        """A key that is equal for the same text."""
        return self.module.name, self.span


@deeply
def find_antecedents(spec: ModuleGraph, names: Iterable[str]) -> tuple[Antecedent, ...]:
    """The antecedents in the definitions that ``names`` reach, ordered by module and place."""
    levels = Levels(spec.resolver)
    found: dict[tuple[str, Span], Antecedent] = {}
    for reach in reached(spec, named(spec, names), {}):
        expr, owner = reach.expr, reach.owner
        highest = _IMPLICATIONS.get(expr.operator) if len(expr.arguments) == 2 else None
        if highest is None or owner is None or not isinstance(owner.declaration, Definition):
            continue
        if levels.of_expression(expr.arguments[0], reach.scope) <= highest:
            each = Antecedent(
                module=spec.file_of(owner.declaration),
                span=expr.arguments[0].span,
                definition=owner.declaration.name,
            )
            found.setdefault(each.key, each)
    place = attrgetter("module.name", "span.begin_line", "span.begin_column")
    return tuple(sorted(found.values(), key=place))


def instrument(
    spec: ModuleGraph, texts: Mapping[str, str], antecedents: Sequence[Antecedent], *, fairness: bool
) -> dict[str, str]:
    """Copies of the modules that have antecedents and of the root, by module, with the helper module.

    ``texts`` are the texts that TLC would read. The antecedents report by number from ``FIRST_REGISTER``. With ``fairness``
    the root defines ``NO_BEHAVIOUR``, a property that holds only if the specification has no behaviour.
    """
    edits: dict[str, list[Edit]] = {spec.root.name: []}
    for number, each in enumerate(antecedents, FIRST_REGISTER):
        reporting = wrapped(each.span, "(((", (), f") /\\ {HELPER}({number})) = TRUE)")
        edits.setdefault(each.module.name, []).extend(reporting)
    modules = {module.name: module for module in spec.modules}
    # Without a property to ask for, the last antecedent ends the search.
    copies = {HELPER: _HELPER_TEXT % ("FALSE" if fairness else "TRUE")}
    for name, own in edits.items():
        head = [f"LOCAL INSTANCE {HELPER}"]
        if name == spec.root.name and antecedents:
            last = FIRST_REGISTER + len(antecedents) - 1
            head.append(f"ASSUME Tla2pyUnseen({FIRST_REGISTER}, {last})")
        if name == spec.root.name and fairness:
            head.append(f"{NO_BEHAVIOUR} == <>FALSE")
        lines = texts[name].split("\n")
        line, column = _declarations(modules[name], lines)
        heading = Edit(line, column + 1, "\n".join(["", *head, " " * column]))
        copies[name] = "\n".join(edited(lines, [*own, heading]))
    return copies


def _declarations(module: Module, lines: Sequence[str]) -> tuple[int, int]:
    """The line, from 1, and the column, from 0, after a module's header and EXTENDS."""
    if module.extends:
        span = module.extends[-1].span
        return span.end_line, span.end_column
    number = module.span.begin_line
    header = re.search(r"-{4,}\s*MODULE\s+\w+\s*-{4,}", lines[number - 1])
    assert header is not None
    return number, header.end()


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


def plan_probes(
    sweep: Sweep, plan: Plan, rows: Sequence[RunRow]
) -> tuple[list[Probe], dict[str, str], set[tuple[str, Span]]]:
    """The probes of the points that hold; a point without implications and without fairness to ask for has none.

    Also the texts of their modules by sha256, and the keys of the antecedents in what was violated at some point: it can
    fail.
    """
    holds, violated = bytearray(len(plan.points) + 1), dict[int, tuple[str, ...]]()
    for row in rows:
        # The store that a gate is asked about may have more points than its sweep has now.
        if row.verdict is Verdict.HOLDS and row.point < len(holds):
            holds[row.point] = True
        if row.violated:
            violated[row.point] = row.violated_names
    probes, sources, failed = list[Probe](), dict[str, str](), set[tuple[str, Span]]()
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
            formulas = reached(spec, named(spec, behaviour), {})
            fairness = any(each.expr.operator in _LIVENESS for each in formulas)
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
        place = _place(spec, config)
        probes.append(Probe(point=point, place=place, run=probe, antecedents=antecedents, fairness=fairness))
    return probes, sources, failed


def _place(spec: ModuleGraph, config: Config) -> str:
    definition = spec.definitions.get(config.specification or "")
    return spec.root.where() if definition is None else spec.file_of(definition).where(definition.span)


def probe_findings(sweep: Sweep, plan: Plan, store: Store, rows: Sequence[RunRow]) -> Iterator[Finding]:
    """What the probes in a store found: ``vacuous-implication``, ``no-behaviour``, and ``vacuity-unchecked`` for missing answers.

    An implication is vacuous if no point of the sweep satisfies its antecedent.
    """
    asked: dict[tuple[str, Span], list[Antecedent]] = defaultdict(list)
    empty, missing = list[Probe](), list[Probe]()
    probes, _, satisfied = plan_probes(sweep, plan, rows)
    for probe in probes:
        outcome, numbers = store.read_record(probe.run.run_id, _answer) or (None, frozenset())
        satisfied |= {probe.antecedents[number - FIRST_REGISTER].key for number in numbers}
        # TLC saw all states, or all antecedents before that.
        whole = outcome in (Outcome.SUCCESS, Outcome.VIOLATION_LIVENESS)
        if not whole and (probe.fairness or len(numbers) < len(probe.antecedents)):
            missing.append(probe)
            continue
        for each in probe.antecedents:
            asked[each.key].append(each)
        if probe.fairness and outcome is Outcome.SUCCESS:
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
    probes, sources, _ = plan_probes(sweep, plan, rows)
    store.write_probes(probe.run.run_id for probe in probes)
    probe_plan = plan.further([probe.point for probe in probes], [probe.run for probe in probes], sources)
    job = prepare_job(sweep, probe_plan, store, earlier=NOTHING_KNOWN)
    jobs = [job] if job.missing else []
    return sum(execute_jobs(jobs, toolchain, start, listener, f"{sweep.name} vacuity"))


def _answer(archive: Archive) -> tuple[Outcome, frozenset[int]]:
    """The end of a probe, and the numbers of the antecedents that TLC reported, by its record."""
    with archive.stdout(1) as output:
        found = [_REPORTED.search(line) for line in output]
    outcome = interpret_record(archive.record, archive.stdout).outcome
    return outcome, frozenset(int(each[1]) for each in found if each is not None)
