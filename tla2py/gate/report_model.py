"""What reports show besides a decision: counterexamples by kind, places, and commands that run a point again."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from functools import cache, cached_property, partial
from pathlib import Path

from tla2py.analysis.explanation import LAW_POINTS, LAW_SECONDS, PropertyLaw, explain_store
from tla2py.analysis.kinds import StoredTrace, coarse_kinds, course_of
from tla2py.analysis.view import StoreView
from tla2py.errors import AnalysisResult, ExitCode, InputError, Place, attempt
from tla2py.execution.plain import PlainCommands
from tla2py.execution.sweeps import SweepOptions
from tla2py.gate.decision import Decision, PointDecision
from tla2py.gate.reasons import Drift, Problem, Reason
from tla2py.gate.run import GateResult
from tla2py.gate.stored import read_trace
from tla2py.model.trace import Location, Trace, changed_parts
from tla2py.sweep.judge import expectation_place
from tla2py.sweep.sweep import Sweep
from tla2py.tla.parse import read_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Surprise:
    """An unexpected counterexample of ``states`` states to ``name`` at a point; ``lead`` is the first point with one of its kind."""

    point: PointDecision
    name: str
    states: int
    lead: PointDecision

    @property
    def leads(self) -> bool:
        """Whether it is the one shown for its kind."""
        return self.point is self.lead


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """A gate's decision on a sweep and what reports need besides.

    ``root`` is the folder that paths in reports are relative to. ``trace`` gives the counterexample of a point by the
    name of what it violates, None without one. ``jar`` is a sentence on the jar if the project or the machine chose it,
    ``project_jar`` the same if the project did.
    ``again`` gives the commands that run a point alone, ``look`` the one that shows its counterexamples. ``view`` is the
    store. ``commands`` are lines with those that repeat the points of a green gate with plain TLC, on request.
    """

    decision: Decision
    sweep: Sweep
    root: Path
    trace: Callable[[PointDecision, str], Trace | None]
    again: Callable[[PointDecision], Again]
    look: Callable[[PointDecision], str]
    jar: str | None = None
    project_jar: str | None = None
    view: StoreView | None = None
    commands: Sequence[str] = ()

    @property
    def laws(self) -> Mapping[str, PropertyLaw]:
        """When the properties that are violated unexpectedly are violated, by name, as far as a short law says it."""
        return self._laws.result

    @cached_property
    def _laws(self) -> AnalysisResult[Mapping[str, PropertyLaw]]:
        return attempt(self._find_laws, {})

    def _find_laws(self) -> Mapping[str, PropertyLaw]:
        points = self.decision.points
        names = {surprise.check.label for point in points for surprise in point.surprises}
        if self.view is None or not names or len(points) > LAW_POINTS:
            return {}
        found = explain_store(self.view, seconds=LAW_SECONDS)
        return {each.name: each for each in found if each.name in names and each.telling and each.found.short}

    def changed_lines(self, drift: Drift) -> Sequence[str]:
        """The lines of a changed definition with its old and new ones marked, if the store still has the old text."""
        nothing: Sequence[str] = ()
        lines = attempt(lambda: self._compare_texts(drift), nothing)
        return lines.result if lines.failure is None else [f"no lines: {lines.failure}"]

    def _compare_texts(self, drift: Drift) -> Sequence[str]:
        if self.view is None or drift.kind != "definition":
            return ()
        module, _, name = str(drift.name).rpartition("!")
        texts = {source.text for spec in self.sweep.specification.modules.values() for source in spec.modules}
        texts |= {text for text in self.view.store.sources().values() if name in text}
        found: dict[str, str] = {}
        for text in texts:
            with contextlib.suppress(InputError):
                read = read_text(text)
                for each in read.definitions if module in ("", read.name) else ():
                    if each.name == name:
                        found[each.digest] = each.text
        if not {drift.before, drift.now} <= found.keys():
            return ()
        before, now = (found[str(digest)].splitlines() for digest in (drift.before, drift.now))
        compared = unified_diff(before, now, n=1, lineterm="")
        return [line for line in compared if line[:2] not in ("--", "++", "@@")]

    def why(self, point: PointDecision, name: str) -> str:
        """Why a point violates a name, as far as the store has the answer, or the command that asks; may be empty."""
        why = attempt(lambda: self._find_why(point, name), "")
        return why.result if why.failure is None else f"no cause found: {why.failure}"

    def _find_why(self, point: PointDecision, name: str) -> str:
        run_id, view = point.run.run_id, self.view
        stored = view.points.of_run(run_id) if view is not None else None
        if view is None or stored is None:
            return ""
        shortest = view.shortest_traces.get((run_id, name))
        return view.why_line(stored.point, None if shortest is None else shortest.trace)

    @property
    def notices(self) -> tuple[str, ...]:
        """The decision's notices, the jar if the project chose it, the sweep's own Java classes.

        A jar that the machine chose is named when it changes. What failed beside the decision has a notice.
        """
        failed = []
        if self._laws.failure is not None:
            failed.append(f"no laws: {self._laws.failure}")
        if self._by_kind.failure is not None:
            failed.append(f"counterexamples are left out: {self._by_kind.failure}")
        classes = (
            f"{self.relative(self.sweep.file.path)} uses the Java classes {each.path.name}, sha256 {each.sha256[:12]}"
            for each in self.sweep.specification.overrides
            if not each.official
        )
        return (
            *([self.project_jar] if self.project_jar else []),
            *classes,
            *failed,
            *self.decision.notices,
        )

    @property
    def by_kind(self) -> Mapping[int, Sequence[Surprise]]:
        """The unexpected counterexamples of each point, by its index; kinds are those of a store, points in their order."""
        return self._by_kind.result

    @cached_property
    def _by_kind(self) -> AnalysisResult[Mapping[int, Sequence[Surprise]]]:
        nothing: dict[int, Sequence[Surprise]] = {point.point.index: () for point in self.decision.points}
        return attempt(self._group_by_kind, nothing)

    def _group_by_kind(self) -> Mapping[int, Sequence[Surprise]]:
        unexpected = []
        for point in self.decision.points:
            for number, one in enumerate(point.surprises, 1):
                if (trace := self.trace(point, one.check.label)) is not None:
                    actions = tuple(state.action for state in trace.states if state.action)
                    module, last = point.point.parameters.get("module", ""), trace.states[-2:]
                    changes = changed_parts(last[0].values, last[-1].values)
                    stored = StoredTrace(
                        points=(point.point.index,),
                        trace=number,
                        length=len(trace.states),
                        actions=actions,
                        course=course_of(one.check.label, module, actions, trace),
                        changed=frozenset(part.variable for part in changes),
                    )
                    unexpected.append(stored)
        by_index = {point.point.index: point for point in self.decision.points}
        found: dict[int, list[Surprise]] = {index: [] for index in by_index}
        for kind in coarse_kinds(unexpected):
            lead = by_index[kind[0].point]
            for each in kind:
                point = by_index[each.point]
                found[each.point].append(Surprise(point=point, name=each.name, states=each.length, lead=lead))
        return found

    def definition(self, point: PointDecision, name: str) -> Place | None:
        """The definition of a name that a point checks, or the place of an expression; None if it is not in a user's file."""
        spec = self.sweep.spec(point.point.parameters)
        definition = spec.definitions.get(name)
        if name in dict(point.run.config.expressions).values():
            written = self.sweep.places(point.point.parameters).value(name, None, 0)
            return written and replace(written, file=self.relative(Path(written.file)))
        with contextlib.suppress(KeyError):
            if definition is not None and (module := spec.file_of(definition)).path is not None:
                span = definition.span
                return Place(
                    file=self.relative(module.path),
                    line=module.line(span.begin_line),
                    column=span.begin_column,
                    end_line=module.line(span.end_line),
                    end_column=span.end_column,
                )
        return None

    def step(self, point: PointDecision, location: Location | None) -> Place | None:
        """The place of a step's action, None if it is not in a user's file."""
        if location is None:
            return None
        files = {module.name: module.path for module in self.sweep.spec(point.point.parameters).modules}
        if (path := files.get(location.module)) is None:
            return None
        return Place(
            file=self.relative(path),
            line=location.begin_line,
            column=location.begin_column,
            end_line=location.end_line,
            end_column=location.end_column,
        )

    def expectation(self, point: PointDecision) -> Place:
        """The place of a point's expectation in the sweep file."""
        return self.place(expectation_place(self.sweep, point.expected))

    def unexpected(self, point: PointDecision, name: str) -> Place | None:
        """The place of an unexpected violation: the line of the log that is the reason, else the definition of the name."""
        if point.line is not None:
            file = self.sweep.file.folder / point.line.file
            return Place(file=self.relative(file), line=point.line.number)
        return self.definition(point, name)

    def of_problem(self, problem: Problem, point: PointDecision | None) -> Place:
        """The place of a problem: TLC's error, the definition concerned, else the expectation, else the sweep file."""
        if problem.where is not None:
            return self.place(problem.where)
        if point is None:
            return Place(file=self.relative(self.sweep.file.path))
        if problem.reason is Reason.BROKEN and point.row is not None and (place := point.row.message_place):
            return self.place(place)
        found = self.definition(point, problem.subject) if problem.subject else None
        return found or self.expectation(point)

    def place(self, text: str) -> Place:
        """A place written as ``file``, ``file:line`` or ``file:line:column``."""
        found = Place.parse(text)
        return replace(found, file=self.relative(Path(found.file)))

    def relative(self, path: Path) -> str:
        """A path relative to the root, with slashes; a file outside it is shown by its name only."""
        try:
            return path.resolve().relative_to(self.root.resolve()).as_posix()
        except ValueError:
            return path.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """Commands that run a point alone: ``ours``, and on request ``plain``, which starts ``java`` in the folder of its files."""

    ours: str
    plain: str | None


def evidence_of(
    gated: GateResult, options: SweepOptions, root: Path, *, show_command: bool = False
) -> Evidence:
    """Return the evidence of a gate, whose sweep was loaded with ``options``.

    With ``show_command`` it has the commands that repeat runs with plain TLC.
    """
    named = ["--tla2tools", str(options.tla2tools)] if options.tla2tools else []
    toolchain = gated.toolchain
    # All reports show the same traces.
    trace = cache(partial(read_trace, gated.view))

    plain = PlainCommands(sweep=gated.sweep, libraries=options.libraries, toolchain=toolchain)

    def again(point: PointDecision) -> Again:
        number = point.point.index
        ours = ["tla2py", "check", str(gated.sweep.file.path), "--point", str(number), *plain.given, *named]
        return Again(ours=shlex.join(ours), plain=plain.of_point(number, point.run) if show_command else None)

    def look(point: PointDecision) -> str:
        # The store may number its points by another sweep file.
        stored = gated.view.points.of_run(point.run.run_id)
        assert stored is not None
        return shlex.join(["tla2py", "trace", str(gated.view.store.path), str(stored.point)])

    jar = toolchain.jar if toolchain else None
    return Evidence(
        decision=gated.decision,
        sweep=gated.sweep,
        root=root,
        trace=lambda point, name: trace(point.run.run_id, name),
        again=again,
        look=look,
        jar=jar.choice if jar else None,
        project_jar=jar.choice if jar and jar.project is not None else None,
        view=gated.view,
        commands=tuple(_commands(gated, plain)) if show_command else (),
    )


def _commands(gated: GateResult, plain: PlainCommands) -> Iterator[str]:
    """Yield the commands that repeat the points of a green gate; a red one shows that of each red point."""
    if gated.decision.exit_code == ExitCode.OK:
        yield from plain.lines((point.point.index, point.run) for point in gated.decision.points)
