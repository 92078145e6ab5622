"""The changes since a lock was accepted: at its points, in what modules mean, of changed logs and of mutants."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import TypeAlias

from tla2py.execution.validate import LogMutants, general_field, shares
from tla2py.gate.lock import Lock, LockedPoint
from tla2py.logs.observe import OBSERVED
from tla2py.model.logs import LogMutantRow, MutationSection
from tla2py.model.model import Config
from tla2py.model.mutant import MutantReport
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.model.run import Run
from tla2py.model.trace import label_of
from tla2py.sweep.checks import Check, ConfigFacts, check_phrase, named_definitions
from tla2py.sweep.grid import Point
from tla2py.sweep.sweep import Sweep
from tla2py.text import cut, parameter_text
from tla2py.tla.copies import with_definitions
from tla2py.tla.graph import ModuleGraph, closure, digest_assumptions, digest_names
from tla2py.tla.parse import read_text
from tla2py.tla.tree import deeply

# Ten thousand points have few different definitions in their wrapper modules.
_DEFINITION = re.compile(r"\n\n(?=MC_\w+(?:\(.*\))? ==$)", re.MULTILINE)
_Uses: TypeAlias = tuple[tuple[str, str], ...]
_Replaced: TypeAlias = frozenset[tuple[str, frozenset[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionMeaning:
    """Digests for a point, over tokens without comments and layout.

    reaches: by check, or other use of a definition, over all definitions that it reaches.
    definitions: of each of these definitions.
    assumptions: of the assumptions of each module.
    """

    reaches: Mapping[str, str]
    definitions: Mapping[str, str]
    assumptions: Mapping[str, str]


class Meanings:
    """The meanings of a sweep's points. Points with the same definitions share one.

    ``sources`` are the module texts by sha256.
    """

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._known: dict[tuple[int, _Uses, _Replaced], DefinitionMeaning] = {}

    def of(self, run: Run, config: Config, spec: ModuleGraph) -> DefinitionMeaning:
        """The meaning of a run's config."""
        uses = tuple(named_definitions(config))
        replaced = self._replaced(run, config, spec)
        key = (id(spec), uses, replaced)
        if key not in self._known:
            written = with_definitions(spec, [text for _, text in run.config.expressions])
            self._known[key] = _meaning(written, uses, dict(replaced))
        return self._known[key]

    def _replaced(self, run: Run, config: Config, spec: ModuleGraph) -> _Replaced:
        """The names that the config or the wrapper module gives a definition, each with the names which that uses."""
        found = {name: {by.rpartition(" ")[2]} for name, by in config.substitutions}
        if run.main != spec.root.name:
            [wrapper] = [sha256 for name, sha256 in run.modules if name == f"{run.main}.tla"]
            for definition in _DEFINITION.split(self._sources[wrapper])[1:]:
                found |= _defined(f"---- MODULE Wrapper ----\n{definition}\n====\n")
        # The definitions that follow a log use those of the specification.
        for name, sha256 in run.modules:
            if name == f"{OBSERVED}{spec.root.name}.tla":
                found |= _defined(self._sources[sha256])
        # Model values would make a meaning of its own for each point.
        known = found.keys() | spec.scope.names.keys()
        return frozenset(closure({name: frozenset(names & known) for name, names in found.items()}).items())


def _meaning(spec: ModuleGraph, uses: _Uses, replaced: Mapping[str, frozenset[str]]) -> DefinitionMeaning:
    assumptions, assumed = digest_assumptions(spec, replaced)
    reached = {f"{kind} {name}": digest_names(spec, [name], replaced) for kind, name in uses}
    definitions = dict(assumed.definitions)
    for each in reached.values():
        definitions |= each.definitions
    return DefinitionMeaning(
        reaches={use: each.digest for use, each in reached.items()},
        definitions=definitions,
        assumptions=assumptions,
    )


@lru_cache(maxsize=1 << 12)
@deeply
def _defined(module: str) -> dict[str, set[str]]:
    """The definitions of a module that tla2py wrote, each with the names that it uses."""
    return {
        each.name: {part.operator for part in each.body.walk() if part.shape == "apply"}
        for each in read_text(module).definitions
        if each.body is not None
    }


def locked_point(
    point: Point,
    run: Run,
    facts: ConfigFacts,
    meaning: DefinitionMeaning,
    row: RunRow,
    fired: Sequence[str] | None,
    idle: Sequence[str],
    first_unmatched: int | None = None,
    graph: str | None = None,
) -> LockedPoint:
    """The lock entry of a point: only what the same inputs reproduce."""
    verdict = row.verdict
    # If TLC stops early or walks at random, counts are reproducible only with one worker.
    complete = verdict is Verdict.HOLDS and run.options.mode == "check"
    reproducible = complete or (verdict is Verdict.VIOLATED and run.options.workers == 1)
    counted = reproducible and fired is not None
    # The name of an assertion may have its line.
    kept = {label_of("assert", each.name): Check("assert", each.meaning) for each in run.assertions}
    # Which of several equal states TLC explores is chance with several workers; their numbers of successors may differ.
    same_steps = run.options.workers == 1 or not (facts.config.symmetry or facts.config.view)
    return LockedPoint(
        parameters=dict(point.parameters),
        config=facts.digest,
        values=facts.values,
        checked=sorted({str(kept.get(each.label, each)) for each in facts.checked}),
        searched=list(facts.searched),
        model_values=list(facts.model_values),
        verdict=verdict.value,
        violates=sorted({kept[name].label if name in kept else name for name in row.violated_names}),
        distinct=row.distinct if reproducible else None,
        generated=row.generated if reproducible and same_steps else None,
        first_unmatched=first_unmatched if reproducible else None,
        graph=graph if complete and same_steps else None,
        fired=sorted(set(fired or ())) if counted else None,
        idle=sorted(set(idle)) if counted else None,
        reaches=dict(meaning.reaches),
        assumptions=dict(meaning.assumptions),
        definitions=dict(meaning.definitions),
    )


class DriftKind(Enum):
    """What changed at a point."""

    POINT = "point"
    OPTIONS = "options"
    CONFIG = "config"
    CHECK = "check"
    SEARCH = "search"
    MODEL_VALUE = "model-value"
    DEFINITION = "definition"
    ASSUMPTIONS = "assumptions"
    REFERENCES = "references"
    VERDICT = "verdict"
    VIOLATION = "violation"
    DISTINCT = "distinct"
    GENERATED = "generated"
    FIRST_UNMATCHED = "first-unmatched"
    GRAPH = "graph"
    BLIND = "blind"
    SURVIVOR = "survivor"
    NO_MUTANTS = "no-mutants"
    COUNTED = "counted"
    ACTION = "action"
    IDLE_ACTION = "idle-action"


_CHANGED = {
    DriftKind.DEFINITION: "the definition of {} has changed",
    DriftKind.ASSUMPTIONS: "the assumptions of module {} have changed",
    DriftKind.REFERENCES: "names that {} uses now refer to other definitions",
}
# Changes of modules, which concern all points that use them.
OF_MODULES = frozenset({DriftKind.DEFINITION, DriftKind.ASSUMPTIONS, DriftKind.REFERENCES})
# The words for a name that is gone, and for one that is new.
_GONE_AND_NEW = {
    DriftKind.POINT: ("the locked point {} is no longer in the sweep", "the point is not in the lock"),
    DriftKind.CHECK: ("no longer checks {}", "now checks {}"),
    DriftKind.SEARCH: ("no longer has the {}", "now has the {}"),
    DriftKind.MODEL_VALUE: ("{} is no longer a model value", "{} is now a model value"),
    DriftKind.VIOLATION: ("no longer violates {}", "now violates {}"),
    DriftKind.SURVIVOR: ("the change {} is no longer a survivor", "no check notices the change {}"),
    DriftKind.ACTION: ("action {} no longer fires", "action {} now fires"),
    DriftKind.IDLE_ACTION: ("", "action {} is new and never fires"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """A change since the lock was accepted, from ``before`` to ``now``; None if it was or is absent.

    ``name`` is what changed, if ``before`` and ``now`` are digests.
    """

    kind: DriftKind
    before: str | int | None = None
    now: str | int | None = None
    name: str | None = None

    def __str__(self) -> str:
        match self.kind, self.before, self.now:
            case DriftKind.CONFIG, _, _:
                return "the config's values or options have changed"
            case DriftKind.OPTIONS, before, now:
                return (
                    f"the options that change the configs were {before or 'none'} and are now {now or 'none'}"
                )
            case DriftKind.NO_MUTANTS, _, _:
                return "no mutants ran, but the lock has the survivors of some"
            case DriftKind.GRAPH, _, _:
                return "the state graph has changed or is not kept, so cases made of it may be stale: see testgen --check FILE"
            case DriftKind.COUNTED, _, _:
                return "the run did not count actions, but the lock has them"
            case DriftKind.VERDICT, before, now:
                return f"the verdict changed from {before} to {now}"
            case DriftKind.DISTINCT | DriftKind.GENERATED as kind, int(before), int(now):
                moved = "fell" if now < before else "rose"
                return f"{kind.value} states {moved} from {before:,} to {now:,}"
            case DriftKind.BLIND, _, _ if self.name is None:
                return "no logs were changed, but the lock has what was accepted of changed logs"
            case DriftKind.BLIND, before, now:
                return f"accepted changes to logs, {self.name}: {now or 'none made'}; before: {before or 'none made'}"
            case DriftKind.FIRST_UNMATCHED, before, now:
                return f"the first line that no behaviour explains was {before} and is now {now}"
            case DriftKind.DISTINCT | DriftKind.GENERATED as kind, before, _:
                return f"{kind.value} states were {before:,}; the count is no longer reproducible"
            case kind, _, _ if kind in _CHANGED:
                return _CHANGED[kind].format(
                    check_phrase(str(self.name)) if kind is DriftKind.REFERENCES else self.name
                )
            case kind, before, now:
                gone, new = _GONE_AND_NEW[kind]
                return gone.format(before) if before is not None else new.format(now)


def drift(before: LockedPoint | None, now: LockedPoint, *, answered: bool = True) -> Iterator[Drift]:
    """The changes at a point, without those that follow from a changed verdict.

    Without an answer (``answered`` is False) only the config is compared.
    """
    if before is None:
        yield Drift(kind=DriftKind.POINT, now=parameter_text(now.parameters))
        return
    changes = list(_config(before, now))
    yield from changes
    if before.config != now.config and (not changes or before.values not in (None, now.values)):
        yield Drift(kind=DriftKind.CONFIG, before=before.config, now=now.config)
    yield from _drift_meaning(before, now)
    if not answered:
        return
    if before.verdict != now.verdict:
        yield Drift(kind=DriftKind.VERDICT, before=before.verdict, now=now.verdict)
    yield from _names(DriftKind.VIOLATION, before.violates, now.violates)
    if before.verdict != now.verdict:
        return
    if before.first_unmatched is not None and before.first_unmatched != now.first_unmatched:
        yield Drift(kind=DriftKind.FIRST_UNMATCHED, before=before.first_unmatched, now=now.first_unmatched)
    if before.distinct is not None and before.distinct != now.distinct:
        yield Drift(kind=DriftKind.DISTINCT, before=before.distinct, now=now.distinct)
    elif before.generated is not None and before.generated != now.generated:
        yield Drift(kind=DriftKind.GENERATED, before=before.generated, now=now.generated)
    elif before.graph is not None and before.graph != now.graph:
        yield Drift(kind=DriftKind.GRAPH, before=before.graph, now=now.graph)
    if before.fired is not None and now.fired is None:
        yield Drift(kind=DriftKind.COUNTED)
    elif before.fired is not None and now.fired is not None:
        yield from _names(DriftKind.ACTION, before.fired, now.fired)
    if before.idle is not None and now.idle is not None:
        known = {*before.idle, *(before.fired or ())}
        yield from (Drift(kind=DriftKind.IDLE_ACTION, now=name) for name in now.idle if name not in known)


def _config(before: LockedPoint, now: LockedPoint) -> Iterator[Drift]:
    yield from _names(
        DriftKind.CHECK,
        [check_phrase(each) for each in before.checked],
        [check_phrase(each) for each in now.checked],
    )
    if before.searched is not None and now.searched is not None:
        yield from _names(DriftKind.SEARCH, before.searched, now.searched)
    yield from _names(DriftKind.MODEL_VALUE, before.model_values, now.model_values)


def _drift_meaning(before: LockedPoint, now: LockedPoint) -> Iterator[Drift]:
    changed = [
        *_digests(DriftKind.DEFINITION, before.definitions, now.definitions),
        *_digests(DriftKind.ASSUMPTIONS, before.assumptions, now.assumptions),
    ]
    yield from changed
    # A changed definition or substitution explains which ones are new or gone.
    if not changed and before.config == now.config:
        yield from _digests(DriftKind.REFERENCES, before.reaches, now.reaches)


def _digests(
    kind: DriftKind, before: Mapping[str, str] | None, now: Mapping[str, str] | None
) -> Iterator[Drift]:
    """The names whose digests differ, without those that are new or gone."""
    if before is not None and now is not None:
        for name in sorted(before.keys() & now.keys()):
            if before[name] != now[name]:
                yield Drift(kind=kind, name=name, before=before[name], now=now[name])


def _names(kind: DriftKind, before: Sequence[str], now: Sequence[str]) -> Iterator[Drift]:
    yield from (Drift(kind=kind, before=name) for name in sorted(set(before) - set(now)))
    yield from (Drift(kind=kind, now=name) for name in sorted(set(now) - set(before)))


def blindness(rows: Sequence[LogMutantRow]) -> dict[str, str]:
    """How many changed logs were accepted, by what was changed: a line of an action, or a field.

    Without what has a changed log that TLC gave no answer on: the next time it may have one.
    """
    open_ = {_change(row) for row in rows if row.status not in ("accepted", "rejected")}
    return {kind: str(share) for kind, share in shares(rows, _change).items() if kind not in open_}


def blind_drift(lock: Lock | None, mutants: LogMutants | None) -> Iterator[Drift]:
    """What is accepted more or less often than when the lock was written."""
    if lock is None or lock.mutants is None:
        return
    if mutants is None:
        yield Drift(kind=DriftKind.BLIND)
        return
    before, now = lock.mutants, blindness(mutants.rows)
    for kind in sorted(before.keys() | now.keys()):
        if before.get(kind) != now.get(kind):
            yield Drift(kind=DriftKind.BLIND, name=kind, before=before.get(kind), now=now.get(kind))


def _change(row: LogMutantRow) -> str:
    return f"{row.change} {general_field(row) or row.action or 'line'}"


# Of a mutant in a lock.
_LONGEST = 160


def survivors(report: MutantReport, section: MutationSection | None) -> dict[str, str]:
    """The changes that no check notices, by the id of their mutant, without accepted ones."""
    accepted = section.accept if section is not None else {}
    return {
        each.mutant: cut(f"{each.definition}, {each.operator}: {each.words}", _LONGEST)
        for each in report.with_status("survived")
        if each.mutant not in accepted
    }


def survivor_drift(lock: Lock | None, report: MutantReport | None, sweep: Sweep) -> Iterator[Drift]:
    """The changes that are survivors now, and those that are no more: a check notices them, or the text is another."""
    if lock is None or lock.survivors is None:
        return
    if report is None:
        yield Drift(kind=DriftKind.NO_MUTANTS)
        return
    section = sweep.file.mutation
    accepted = section.accept if section is not None else {}
    before = {name: text for name, text in lock.survivors.items() if name not in accepted}
    now = survivors(report, section)
    for name in sorted(before.keys() - now.keys()):
        yield Drift(kind=DriftKind.SURVIVOR, before=f"{before[name]} [{name}]")
    for name in sorted(now.keys() - before.keys()):
        yield Drift(kind=DriftKind.SURVIVOR, now=f"{now[name]} [{name}]")
