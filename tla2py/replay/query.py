"""Runs of TLC about the traces of a run, and the copy of an invariant in which each conjunct prints its value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from tla2py.errors import InputError, ToolchainError
from tla2py.execution.execute import RunExecution
from tla2py.execution.trace_module import BehaviourWriter
from tla2py.model.model import Assignment, Config
from tla2py.model.outcome import Verdict
from tla2py.model.run import (
    RETRIED,
    ExecutedRun,
    ModuleText,
    Run,
    RunRecord,
    RunResult,
    TlcOptions,
    digest_text,
    without_local,
)
from tla2py.model.trace import State, Trace
from tla2py.tla.instrument import Conjunct, CopyPlace, DefinitionCopy, Edit, Role, named_values, wrapped
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Expression
from tla2py.tla.parse import load_texts
from tla2py.tlc.config.read import parse_config
from tla2py.tlc.config.render import default_template, render_config
from tla2py.tlc.output.messages import UNEXPLAINED
from tla2py.tlc.process.command import input_path
from tla2py.tlc.tools.community import class_file, recorded_classes
from tla2py.tlc.tools.toolchain import Toolchain

# Parts of parts of a conjunct are shown to this depth.
_DEEPEST = 3


class UnansweredError(ToolchainError):
    """A run of TLC about a trace ended before it answered, for a reason that is not in the trace.

    It is no InputError: who tries another question where TLC cannot evaluate the first must not go on after this one.
    """


def require_answer(result: RunResult) -> RunResult:
    """Return the result of a run about a trace. Raises UnansweredError where the run ended early: killed, or at a limit."""
    if result.verdict is Verdict.INCONCLUSIVE or result.outcome in RETRIED:
        problem = f"TLC gave no answer: {first_error(result)}"
        raise UnansweredError("not-confirmable", problem, hint="run the command again")
    return result


@dataclass(slots=True)
class InvariantCopy(DefinitionCopy):
    """The copy of an invariant; ``conjuncts`` are its parts in the order of their numbers."""

    conjuncts: list[Conjunct] = field(default_factory=list)

    def _edits(self, expr: Expression, place: CopyPlace) -> Iterator[Edit]:
        """The edits that make parts of an expression print their values; in a conjunct, its direct parts."""
        inside = place.depth > 0
        match expr:
            case Expression(shape="apply", operator="/\\" | "\\/") if inside or expr.operator == "/\\":
                for each in expr.arguments:
                    yield from self._part(each, place)
            case Expression(shape="apply", operator="~", arguments=(body,)) if inside:
                yield from self._edits(body, replace(place, positive=not place.positive))
            case Expression(shape="apply", operator="=>", arguments=(condition, consequent)):
                yield from self._printed(condition, "condition", place)
                yield from self._part(consequent, place)
            case Expression(shape="build", operator="IF", arguments=(condition, *branches)):
                yield from self._printed(condition, "condition", place)
                for each in branches:
                    yield from self._part(each, place)
            case Expression(shape="build", operator="CASE", arguments=arms):
                for condition, value in zip(arms[::2], arms[1::2], strict=True):
                    # OTHER is not written as an expression.
                    if condition.shape != "literal":
                        yield from self._printed(condition, "condition", place)
                    yield from self._part(value, place)
            case Expression(shape="bind", operator="\\A" | "\\E", arguments=(body,)) if (
                expr.operator == "\\A"
            ) is place.positive and all(each.domain for each in expr.bounds):
                bound = self._enter(expr, place)
                yield from self._printed(body, "body", bound) if inside else self._edits(body, bound)
            case Expression(shape="let", arguments=(body,)):
                yield from self._edits(body, self._enter(expr, place))
            case Expression(shape="apply", operator="[]", arguments=(body,)) if not (place.names or inside):
                # TLC reports a property that is always TRUE of single states as an invariant.
                yield Edit(expr.span.begin_line, expr.span.begin_column, "  ", 2)
                yield from self._edits(body, place)
            case Expression(shape="literal", operator="boolean", text="TRUE"):
                return
            case _:
                # TLC evaluates constants once, before all states.
                varies = not inside or self._level_of(expr, place) != Level.CONSTANT
                called = self._call(expr, place) if varies else None
                if called:
                    yield called
                elif not inside:
                    yield from self._printed(expr, "conjunct", place)

    def _part(self, expr: Expression, place: CopyPlace) -> Iterator[Edit]:
        """The edits of a conjunct of a conjunction, a branch, or a part of what prints its own value."""
        return self._printed(expr, "part", place) if place.depth else self._edits(expr, place)

    def _printed(self, expr: Expression, role: Role, place: CopyPlace) -> Iterator[Edit]:
        """The edits that make an expression and its parts print their values; texts keep their columns."""
        operator = "Tell" if role == "conjunct" else "Whether"
        call = f"tla2pyTell!{operator}({len(self.conjuncts)}, {named_values(place.names)}, ("
        exists = expr.shape == "bind" and expr.operator == "\\E"
        self.conjuncts.append(
            place.conjunct(
                expr,
                role,
                depth=place.depth,
                decisive=role == "condition" or (role == "body" and not place.positive),
                unbound=tuple(name for each in expr.bounds for name in each.names) if exists else (),
            )
        )
        opened = role != "condition" and place.depth < _DEEPEST
        inside = self._edits(expr, replace(place, depth=place.depth + 1)) if opened else ()
        yield from wrapped(expr.span, call, inside, "))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The run that traces come from: its record, module texts and inputs by sha256, and the TLC that runs again."""

    record: RunRecord
    sources: Mapping[str, str]
    toolchain: Toolchain
    input_file: Callable[[str], Path] = input_path

    @property
    def config(self) -> Config:
        """The config of the run."""
        return parse_config(self.record.executions[0].config_text, Path("MC.cfg")).config


class TraceQuery:
    """Runs of TLC about the traces of one run; ``warm`` ones share a JVM.

    Raises InputError (``not-confirmable``) for a trace that cannot be written as a module: its states come from an ALIAS,
    hold a value that TLC printed without evaluating it, or explain a log.
    """

    def __init__(self, traces: Iterable[Trace], origin: Origin, *, warm: bool = False) -> None:
        record, sources, toolchain = origin.record, origin.sources, origin.toolchain
        # Other classes could come from anywhere.
        self.toolchain = replace(toolchain, overrides=recorded_classes(record.options, toolchain.jar))
        self.record, self._input_file, self._warm = record, origin.input_file, warm
        self.config = origin.config
        self.replaced = self.config.replaced_names
        traces = list(traces)
        if record.inputs.log is not None and any(
            (each.kind, each.name) == (UNEXPLAINED.kind, UNEXPLAINED.name) for each in traces
        ):
            raise InputError(
                "not-confirmable",
                "the behaviour explains the beginning of a log, and only the log's own module follows logs",
                hint="'tla2py validate --why' shows the line that nothing explains, and why",
            )
        lost = [name for name, sha256 in record.modules if sha256 not in sources]
        if lost:
            raise InputError(
                "not-confirmable",
                f"the text of {lost[0]} is missing from the store",
                hint="run the sweep again with --fresh",
            )
        self.modules = {name: sources[sha256] for name, sha256 in record.modules}
        try:
            self.spec = load_texts(record.main, self.modules)
        except InputError as error:
            raise InputError(
                "not-confirmable",
                f"tla2py cannot read the modules: {error.message}",
                hint="'tla2py trace STORE POINT' shows what TLC found",
            ) from error
        self.levels = Levels(self.spec.resolver)
        states = [state for trace in traces for state in trace.states]
        self.writer = BehaviourWriter(record.main, self.spec, self.config, states)
        self.variables = self.writer.variables
        self.model_values = self.writer.model_values
        self.header, self.states, self.successor = (
            self.writer.header,
            self.writer.states,
            self.writer.successor,
        )

    @property
    def next(self) -> str:
        """The name of the next-state relation. Raises InputError (``not-confirmable``) if it has none."""
        return self._choose_name(self.config.next, self.spec.candidates.next, "next-state relation")

    @property
    def init(self) -> str:
        """The name of the initial predicate. Raises InputError (``not-confirmable``) if it has none."""
        return self._choose_name(self.config.init, self.spec.candidates.init, "initial predicate")

    def _choose_name(self, configured: str | None, candidates: Sequence[str], what: str) -> str:
        found = configured or next(iter(candidates), None)
        if found is None:
            hint = "give it a name, as in Spec == Init /\\ [][Next]_vars"
            raise InputError("not-confirmable", f"the specification names no {what}", hint=hint)
        return found

    def violated(self, trace: Trace) -> str:
        """The name of the definition that a trace violates."""
        names = {text: name for name, text in self.record.expressions}
        return (self.replaced | names).get(trace.name, trace.name)

    @property
    def unchanged(self) -> str:
        """The formula that the variables keep their values."""
        return self.writer.unchanged

    def each_state(
        self,
        name: str,
        states: Sequence[State],
        conjuncts: Iterable[str],
        *,
        extended: Iterable[str] = (),
        definitions: Iterable[str] = (),
        without: Iterable[int] = (),
    ) -> list[str]:
        """The lines of a module that evaluates a step, given by its conjuncts, once in each of some states.

        The conjuncts may use ``nameStep``, the number of the state, and ``NameStates``. ``without`` are the numbers of
        states that have no step.
        """
        step, number = f"{name[0].lower()}{name[1:]}Step", f"{name[0].lower()}{name[1:]}Number"
        return [
            *self.header(name, *extended),
            *definitions,
            f"VARIABLE {step}",
            f"{name}States == {self.states(states)}",
            f"{name}Init ==",
            f"  \\E {number} \\in 1..{len(states)} \\ {{{', '.join(map(str, without))}}} :",
            f"  /\\ {step} = {number}",
            *(f"  /\\ {each} = {name}States[{number}].{each}" for each in self.variables),
            f"{name}Next ==",
            # The successor must not be evaluated again: it gets a negative number.
            f"  /\\ {step} > 0",
            *(f"  /\\ {each}" for each in conjuncts),
            # Once all variables have a next value TLC stops at the first solution, so one is assigned last.
            f"  /\\ {step}' = -{step}",
            f"{name}Spec == {name}Init /\\ [][{name}Next]_<<{', '.join((*self.variables, step))}>>",
            "====",
            "",
        ]

    def expose(self, *names: str | None) -> None:
        """Remove LOCAL from the root module's definitions of these names, for the module that extends it."""
        used = {name for name in (*names, *self.config.replacing_names.values()) if name}
        self.modules[f"{self.record.main}.tla"] = without_local(self.spec, frozenset(used))

    @contextmanager
    def run(
        self,
        name: str,
        lines: Iterable[str],
        *,
        specification: str | None = None,
        invariants: Iterable[str] = (),
        properties: Iterable[str] = (),
        constraints: Iterable[str] = (),
        postconditions: Iterable[str] = (),
        bounded: bool = False,
        graph: bool = False,
        seconds: float | None = None,
    ) -> Iterator[ExecutedRun]:
        """Run TLC on the module ``name`` about the traces; ``bounded`` keeps the constraints of the run.

        By default the specification is ``nameSpec``. ``graph`` leaves the state graph in the folder of the execution.
        Raises UnansweredError if TLC was killed or could not be started.
        """
        assigned = {name for name, _ in self.config.assignments}
        new = (Assignment(name, name) for name in self.model_values if name not in assigned)
        config = Config(
            specification=specification or f"{name}Spec",
            assignments=(*self.config.assignments, *new),
            substitutions=self.config.substitutions,
            invariants=tuple(invariants),
            properties=tuple(properties),
            constraints=(*constraints, *(self.config.constraints if bounded else ())),
            action_constraints=self.config.action_constraints if bounded else (),
            postconditions=tuple(postconditions),
            check_deadlock=False,
        )
        limits = self.record.limits
        texts = {**self.modules, f"{name}.tla": "\n".join(lines)}
        modules = tuple(ModuleText(file, digest_text(each)) for file, each in texts.items())
        template = default_template()
        run = Run(
            main=name,
            modules=modules,
            config=config,
            config_text=render_config(config, template),
            template=template,
            options=TlcOptions(
                check_deadlock=False,
                graph=graph,
                java_options=self.record.options.java_options,
                overrides=tuple(map(class_file, self.toolchain.overrides)),
            ),
            # The store may be untrusted.
            limits=replace(
                limits,
                trust=False,
                timeout_seconds=min(seconds or limits.timeout_seconds, limits.timeout_seconds),
            ),
            jar_sha256=self.toolchain.jar.sha256,
            inputs=replace(self.record.inputs, outputs=()),
        )
        sources = {digest_text(each): each for each in texts.values()}
        execution = RunExecution(run, sources, self.toolchain, warm=self._warm, input_file=self._input_file)
        with execution.executed() as done:
            if done.result.outcome in RETRIED:
                require_answer(done.result)
            yield done


def first_error(result: RunResult) -> str:
    """TLC's first error message on one line, or the outcome if there is none."""
    errors = [d.text for d in result.diagnostics if d.severity == "error"]
    return " ".join((errors[0] if errors else result.outcome.value).split())[:300]
