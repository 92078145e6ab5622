"""What makes a gate red: a reason by name and the problem in words; and the changes since a lock was accepted.

A lock has what points checked and found, what modules mean, and what was seen of changed logs and of mutants.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Self, TypeAlias

from tla2py.errors import ExitCode
from tla2py.execution.validate import LogMutants, general_field, shares
from tla2py.gate.lock import Lock, LockedPoint
from tla2py.logs.observation import OBSERVED
from tla2py.model.finding import Finding
from tla2py.model.logs import LogMutantRow, MutationSection
from tla2py.model.model import Config
from tla2py.model.mutant import MutantReport
from tla2py.model.outcome import Verdict, Violation
from tla2py.model.row import RunRow
from tla2py.model.run import Run
from tla2py.model.trace import label_of
from tla2py.sweep.checks import Check, ConfigFacts, check_phrase, named_definitions
from tla2py.sweep.grid import Point
from tla2py.sweep.sweep import Sweep
from tla2py.text import cut, parameter_text
from tla2py.tla.graph import ModuleGraph, closure, digest_assumptions, digest_names
from tla2py.tla.instrument import with_definitions
from tla2py.tla.parse import read_text
from tla2py.tla.tree import deeply

# Ten thousand points have few different definitions in their wrapper modules.
_DEFINITION = re.compile(r"\n\n(?=MC_\w+(?:\(.*\))? ==$)", re.MULTILINE)
_Uses: TypeAlias = tuple[tuple[str, str], ...]
_Replaced: TypeAlias = frozenset[tuple[str, frozenset[str]]]


class Drift(NamedTuple):
    """A change since the lock was accepted, in words, and from ``before`` to ``now``; None if it was or is absent.

    ``kind`` says what changed, such as ``verdict``; ``name`` is its name if ``before`` and ``now`` are digests.
    """

    kind: str
    text: str
    before: str | int | None = None
    now: str | int | None = None
    name: str | None = None


class Reason(Enum):
    """Why a gate is red: the name that reports use, and what it means."""

    meaning: str

    def __new__(cls, name: str, meaning: str = "") -> Self:
        """A reason whose value is its name."""
        self = object.__new__(cls)
        self._value_, self.meaning = name, meaning
        return self

    UNEXPECTED = "unexpected", "The verdict, or what was violated, is not what the sweep file expects."
    FIGURES = (
        "figures",
        "A count of states or the length of a counterexample is not what the sweep file expects.",
    )
    BROKEN = "broken", "The model could not be evaluated, or TLC did not run."
    INCONCLUSIVE = "inconclusive", "The run ended without an answer."
    UNDECIDED = "undecided", "A property was left without an answer."
    LAW_OPEN = "law-open", "The search ended before the expected law was settled."
    UNREAD = "unread", "A config below a folder could not be read, so TLC never saw it."
    TRANSLATION = "translation", "The checked translation differs, or may differ, from the PlusCal algorithm."
    NOT_RUN = "not-run", "The point has no result."
    NOTHING_RAN = "nothing-ran", "No point has a result."
    ALL_EXCLUDED = "all-excluded", "No point is left to be checked."
    OTHER_INPUTS = "other-inputs", "The store was made from other inputs than the sweep file."
    NOTHING_CHECKED = "nothing-checked", "Neither an invariant nor a property nor deadlock is checked."
    NOT_IN_CONFIG = "not-in-config", "The config does not check what the sweep file lists."
    MODEL_VALUE = "model-value", "The config makes a model value of a name that the module declares."
    SYMMETRY_LIVENESS = (
        "symmetry-liveness",
        "With symmetry TLC replaces states by symmetric ones, so it misjudges temporal properties.",
    )
    VIEW_LIVENESS = (
        "view-liveness",
        "With a view TLC replaces states by others that look the same, so it misjudges temporal properties.",
    )
    NO_STATES = "no-states", "No state satisfies the initial predicate, so everything holds vacuously."
    UNNAMED = "unnamed", "A violation is expected without naming what is violated."
    PROPOSED = "proposed", "Nobody has confirmed the expectation that a gate proposed."
    NEVER_FIRED = "never-fired", "An action that is expected to fire never did."
    NOT_COUNTED = "not-counted", "TLC did not count the actions that have to fire."
    DRIFT = "drift", "The point differs from the lock."
    FINDING = "finding", "The result may mean less than it seems to."
    SECOND_DIFFERS = "second-differs", "A second TLC gives another answer."
    SECOND_BROKEN = "second-broken", "A second TLC cannot run the model."
    SECOND_OPEN = "second-open", "A second TLC has no answer."
    SELF_TEST = "self-test", "No mutant shows that the gate can be red for a property."
    ERROR = "error", "The gate could not be run."


# The verdicts that are no answers.
UNANSWERED = {Verdict.BROKEN: Reason.BROKEN, Verdict.INCONCLUSIVE: Reason.INCONCLUSIVE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem that makes a gate red, in words.

    ``point`` is the index of its point, None for the whole sweep. ``subject`` is the name of the definition or action
    that it concerns, ``where`` a place in a module. ``cause`` is the drift or the finding that it tells of.
    """

    reason: Reason
    text: str
    exit_code: ExitCode = ExitCode.NOT_RUN
    point: int | None = None
    subject: str | None = None
    where: str | None = None
    cause: Drift | Finding | None = None

    @classmethod
    def of_drift(cls, drift: Drift) -> Problem:
        """The problem that a point, or the sweep, differs from the lock."""
        return cls(reason=Reason.DRIFT, text=drift.text, exit_code=ExitCode.UNEXPECTED, cause=drift)

    @classmethod
    def of_finding(cls, finding: Finding) -> Problem:
        """The problem that nobody accepted a finding."""
        place = replace(finding.place, file=Path(finding.place.file).name)
        return cls(
            reason=Reason.FINDING,
            text=f"{place}: {finding}",
            exit_code=ExitCode.UNEXPECTED,
            subject=finding.name,
            where=str(finding.place),
            cause=finding,
        )


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
            assumptions, assumed = digest_assumptions(written, dict(replaced))
            reached = {f"{kind} {name}": digest_names(written, [name], dict(replaced)) for kind, name in uses}
            definitions = dict(assumed.definitions)
            for each in reached.values():
                definitions |= each.definitions
            self._known[key] = DefinitionMeaning(
                reaches={use: each.digest for use, each in reached.items()},
                definitions=definitions,
                assumptions=assumptions,
            )
        return self._known[key]

    def _replaced(self, run: Run, config: Config, spec: ModuleGraph) -> _Replaced:
        """The names that the config or the wrapper module gives a definition, each with the names which that uses."""
        found = {name: {by} for name, by in config.replacing_names.items()}
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
        # The digests of the assumptions are locked, which stay when lines move.
        checked=sorted(
            {str(kept.get(each.label, each)) for each in facts.checked if each.kind != "assumption"}
        ),
        searched=list(facts.searched),
        model_values=list(facts.model_values),
        verdict=verdict.value,
        violates=sorted({_lasting_label(each, kept) for each in row.violated}),
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


def _lasting_label(violation: Violation, kept: Mapping[str, Check]) -> str:
    """Return the label of a violation that stays when lines move."""
    if violation.kind == "assumption":
        return violation.kind
    return kept[violation.label].label if violation.label in kept else violation.label


# Changes of modules, which concern all points that use them.
OF_MODULES = frozenset({"definition", "assumptions", "references"})


def drift(before: LockedPoint | None, now: LockedPoint, *, answered: bool = True) -> Iterator[Drift]:
    """The changes at a point, without those that follow from a changed verdict.

    Without an answer (``answered`` is False) only the config is compared.
    """
    if before is None:
        yield Drift("point", "the point is not in the lock", now=parameter_text(now.parameters))
        return
    changes = list(_config(before, now))
    yield from changes
    if before.config != now.config and (not changes or before.values not in (None, now.values)):
        yield Drift("config", "the config's values or options have changed", before.config, now.config)
    yield from _drift_meaning(before, now)
    if not answered:
        return
    was, found = before.verdict, now.verdict
    if was != found:
        yield Drift("verdict", f"the verdict changed from {was} to {found}", was, found)
    yield from _names("violation", "no longer violates {}", "now violates {}", before.violates, now.violates)
    if was == found:
        yield from _figures(before, now)
        yield from _actions(before, now)


def _figures(before: LockedPoint, now: LockedPoint) -> Iterator[Drift]:
    first, found = before.first_unmatched, now.first_unmatched
    if first is not None and first != found:
        text = f"the first line that no behaviour explains was {first} and is now {found}"
        yield Drift("first-unmatched", text, first, found)
    # What follows from another one is not told.
    if before.distinct is not None and before.distinct != now.distinct:
        yield _states("distinct", before.distinct, now.distinct)
    elif before.generated is not None and before.generated != now.generated:
        yield _states("generated", before.generated, now.generated)
    elif before.graph is not None and before.graph != now.graph:
        text = "the state graph has changed or is not kept, so cases made of it may be stale: see testgen --check FILE"
        yield Drift("graph", text, before.graph, now.graph)


def _states(kind: str, before: int, now: int | None) -> Drift:
    if now is None:
        return Drift(kind, f"{kind} states were {before:,}; the count is no longer reproducible", before)
    moved = "fell" if now < before else "rose"
    return Drift(kind, f"{kind} states {moved} from {before:,} to {now:,}", before, now)


def _actions(before: LockedPoint, now: LockedPoint) -> Iterator[Drift]:
    if before.fired is not None and now.fired is None:
        yield Drift("counted", "the run did not count actions, but the lock has them")
    elif before.fired is not None and now.fired is not None:
        gone, new = "action {} no longer fires", "action {} now fires"
        yield from _names("action", gone, new, before.fired, now.fired)
    if before.idle is not None and now.idle is not None:
        known = {*before.idle, *(before.fired or ())}
        for name in now.idle:
            if name not in known:
                yield Drift("idle-action", f"action {name} is new and never fires", now=name)


def _config(before: LockedPoint, now: LockedPoint) -> Iterator[Drift]:
    checked, checks = (map(check_phrase, each.checked) for each in (before, now))
    yield from _names("check", "no longer checks {}", "now checks {}", checked, checks)
    if before.searched is not None and now.searched is not None:
        yield from _names("search", "no longer has the {}", "now has the {}", before.searched, now.searched)
    gone, new = "{} is no longer a model value", "{} is now a model value"
    yield from _names("model-value", gone, new, before.model_values, now.model_values)


def _drift_meaning(before: LockedPoint, now: LockedPoint) -> Iterator[Drift]:
    assumptions = "the assumptions of module {} have changed"
    changed = [
        *_digests("definition", "the definition of {} has changed", before.definitions, now.definitions),
        *_digests("assumptions", assumptions, before.assumptions, now.assumptions),
    ]
    yield from changed
    # A changed definition or substitution explains which ones are new or gone.
    if not changed and before.config == now.config:
        text = "names that the {} uses now refer to other definitions"
        yield from _digests("references", text, before.reaches, now.reaches)


def _digests(
    kind: str, text: str, before: Mapping[str, str] | None, now: Mapping[str, str] | None
) -> Iterator[Drift]:
    """The names whose digests differ, without those that are new or gone."""
    if before is not None and now is not None:
        for name in sorted(before.keys() & now.keys()):
            if before[name] != now[name]:
                yield Drift(kind, text.format(name), before[name], now[name], name)


def _names(kind: str, gone: str, new: str, before: Iterable[str], now: Iterable[str]) -> Iterator[Drift]:
    """The names that are gone, and those that are new, each with its words."""
    was, found = set(before), set(now)
    yield from (Drift(kind, gone.format(name), before=name) for name in sorted(was - found))
    yield from (Drift(kind, new.format(name), now=name) for name in sorted(found - was))


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
        yield Drift("blind", "no logs were changed, but the lock has what was accepted of changed logs")
        return
    before, now = lock.mutants, blindness(mutants.rows)
    for kind in sorted(before.keys() | now.keys()):
        was, found = before.get(kind), now.get(kind)
        if was != found:
            text = f"accepted changes to logs, {kind}: {found or 'none made'}; before: {was or 'none made'}"
            yield Drift("blind", text, was, found, kind)


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
        yield Drift("no-mutants", "no mutants ran, but the lock has the survivors of some")
        return
    section = sweep.file.sections.mutation
    accepted = section.accept if section is not None else {}
    before = {name: text for name, text in lock.survivors.items() if name not in accepted}
    now = survivors(report, section)
    gone = [f"{before[name]} [{name}]" for name in sorted(before.keys() - now.keys())]
    new = [f"{now[name]} [{name}]" for name in sorted(now.keys() - before.keys())]
    yield from (Drift("survivor", f"the change {each} is no longer a survivor", before=each) for each in gone)
    yield from (Drift("survivor", f"no check notices the change {each}", now=each) for each in new)
