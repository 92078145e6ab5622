"""The outcome, verdict, violations, traces and counts of one execution, from TLC's output and its exit status.

Outcomes have the names of TLC's exit statuses; the verdict follows the messages. Neither messages nor exit status are
enough: under ``-continue`` TLC ends with 0 and "No error has been found" after violations, a killed process may have
reported one, and a truncated stream looks like success up to its end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import dropwhile
from types import MappingProxyType
from typing import IO, TypeAlias

from tla2py.model.model import Assignment, Config
from tla2py.model.outcome import VERDICTS, CoverageItem, Diagnostic, Outcome, Stats, Verdict, Violation
from tla2py.model.run import Execution, RunRecord, RunResult, TerminationReason, TlcOptions
from tla2py.model.trace import Trace
from tla2py.tla.graph import Assertion, CheckedAssumption, assertion_names
from tla2py.tlc.config.read import config_of_run
from tla2py.tlc.output.codes import EXIT_STATUSES, Code
from tla2py.tlc.output.collector import Collector, with_notes
from tla2py.tlc.output.messages import Message, UserText, iter_messages, with_log
from tla2py.tlc.output.prints import asserted_value
from tla2py.tlc.output.silence import add_message
from tla2py.tlc.output.states import iter_with_traces, location_of
from tla2py.tlc.output.trivial import add_trivial_violations, find_trivial_violations, is_trivially_false

# What an Assert without a place fails in.
_SUBJECT = re.compile(r"Evaluating (?:invariant|action property) (\S+) failed")
_VACUOUS = "There are no initial states, so everything that was checked holds vacuously."
_TERMINATIONS = {"timeout": Outcome.TIMEOUT, "memory": Outcome.OUT_OF_MEMORY, "disk": Outcome.OUT_OF_DISK}
# SIGHUP, SIGINT, SIGKILL and SIGTERM, as subprocess reports them and as the JVM or a shell exits on them; any other
# signal means that the JVM crashed.
_KILLED = frozenset(status for signal in (1, 2, 9, 15) for status in (-signal, 128 + signal))


def interpret(
    messages: Iterable[Message | UserText],
    *,
    exit_code: int | None,
    termination_reason: TerminationReason | None,
    bounded: bool = False,
    candidates: Mapping[str, Sequence[str]] = MappingProxyType({}),
    assertions: Sequence[Assertion] = (),
) -> RunResult:
    """The result of one execution of TLC; accepts any input.

    ``exit_code`` is negative for a signal, None if the process never started; ``termination_reason`` is None if it
    ended on its own. ``bounded`` means that the search did not cover all states even if it found nothing.
    ``candidates`` are the names checked, by the kind of violation they would be: a violation that TLC does not name
    gets the name of the only candidate. ``assertions`` are those that may fail.
    """
    read = _read(messages, candidates)
    bounded = bounded or Code.MODE_SIMULATE in read.said
    outcome = _outcome(read, exit_code, termination_reason, bounded=bounded)
    if outcome is Outcome.SUCCESS and read.stats.generated == 0 and any(candidates.values()):
        read.diagnose(Diagnostic(code=0, severity="warning", text=_VACUOUS))
    if read.growing and outcome in _TERMINATIONS.values():
        text = f"the queue was still growing ({read.stats.queue:,}): bound the search with constraints"
        read.diagnose(Diagnostic(code=0, severity="error", text=text))
    return _result(read, outcome, assertions)


def interpret_log(messages: Iterable[Message | UserText]) -> RunResult:
    """The result of a stored log, without exit status and names checked.

    A log that breaks off counts as a killed process, and a diagnostic says so; the trace that breaks off is kept.
    """
    read = _read(messages, {})
    outcome = _success(read, bounded=Code.MODE_SIMULATE in read.said)
    finished = Code.FINISHED in read.said
    if read.violated is not None:
        outcome = read.violated
    elif read.out_of_memory:
        outcome = Outcome.OUT_OF_MEMORY
    elif read.failures:
        outcome = next((each for each in read.failures if each is not Outcome.ERROR), Outcome.ERROR)
    elif not finished:
        outcome = Outcome.KILLED
    if outcome is Outcome.KILLED:
        read.diagnose(_broken_off("so there is no verdict", read.stats))
    elif read.violated is not None and not (finished or read.traces or read.cut_off):
        read.diagnose(_broken_off("and has no counterexample", read.stats))
    result = _result(read, outcome)
    return replace(result, traces=(*result.traces, *read.cut_off))


def _broken_off(consequence: str, stats: Stats) -> Diagnostic:
    """The diagnostic for a log that breaks off, with the counts of its last progress line."""
    counts = {"states generated": stats.generated, "distinct": stats.distinct, "left on queue": stats.queue}
    figures = ", ".join(f"{count:,} {noun}" for noun, count in counts.items() if count is not None)
    text = f"The log ends before TLC had finished, {consequence}."
    return Diagnostic(code=0, severity="error", text=f"{text} Last counts: {figures}." if figures else text)


def _read(messages: Iterable[Message | UserText], candidates: Mapping[str, Sequence[str]]) -> Collector:
    read = Collector(candidates)
    for item in iter_with_traces(messages):
        read.take(item)
    read.end()
    return read


def _result(read: Collector, outcome: Outcome, assertions: Sequence[Assertion] = ()) -> RunResult:
    kinds = {violation.kind for violation in read.violations}
    if kinds:
        # A false postcondition has the outcome of a false assumption; the violation decides.
        verdict = Verdict.EXCLUDED if kinds == {"assumption"} else Verdict.VIOLATED
    else:
        # An assumption, postcondition or action property that cannot be evaluated has the outcome of a false one.
        verdict = Verdict.BROKEN if outcome in _VIOLATIONS else VERDICTS[outcome]
    result = RunResult(
        outcome=outcome,
        verdict=verdict,
        violations=tuple(read.violations),
        traces=tuple(replace(each, suspect=_suspect(each, read.version)) for each in read.traces),
        stats=read.stats,
        coverage=tuple(read.coverage),
        diagnostics=tuple(read.diagnostics),
        tlc_version=read.version,
        tlc_revision=read.revision,
        prints=tuple(read.prints),
        print_count=read.print_count,
        progress=tuple(read.progress),
    )
    failed = Violation(kind="assert")
    if failed not in result.violations:
        return result
    name, error = _failed_assertion(result.diagnostics, assertions)
    return replace(
        result,
        violations=tuple(replace(v, name=name) if v == failed else v for v in result.violations),
        traces=tuple(replace(t, name=name) if t.kind == "assert" else t for t in result.traces),
        diagnostics=tuple(error if error and error.text == d.text else d for d in result.diagnostics),
    )


# The first build that makes up none (tlaplus#1037). Older versions, such as 2.20, compare as less.
_MAKES_UP_NONE = "2026.03.13"


def _suspect(trace: Trace, version: str | None) -> bool:
    """Whether a violation may be made up: one of a temporal property needs a behaviour that goes on for ever."""
    ends = trace.loop_start is not None or trace.stuttering
    return trace.kind == "temporal_property" and not ends and (version or "") < _MAKES_UP_NONE


def _failed_assertion(
    diagnostics: Sequence[Diagnostic], assertions: Sequence[Assertion]
) -> tuple[str, Diagnostic | None]:
    """The name of the assertion that stopped TLC, "" if there is nothing to name it by, and its error with its place.

    TLC lists no place for what an invariant asserts. Then the message decides, and where that is not enough the name is
    the invariant's. What no module of the user asserts gets the name that it would have alone.
    """
    errors = list(dropwhile(lambda each: asserted_value(each.text) is None, diagnostics))
    if not errors:
        return "", None
    message = asserted_value(errors[0].text) or ""
    call = next((each.location for each in errors if each.code == Code.NESTED_EXPRESSION), None)
    at = ("", 0, 0) if call is None else (call.module, call.begin_line, call.begin_column)
    if here := [a for a in assertions if (a.module, a.line) == at[:2]]:
        return min(here, key=lambda a: abs(a.column - at[2])).name, None
    literal = message if message.startswith('"') else None
    alone = assertion_names(literal, *at)[0]
    if assertions and call is None:
        subject = "".join(_SUBJECT.findall(errors[0].text)[:1])
        inside = [a for a in assertions if subject in a.within] or assertions
        said = [a for a in inside if literal and assertion_names(literal, a.module, 0, 0)[0] in a.forms]
        # Any other message is built from values.
        found = said or [a for a in inside if a.forms[0].startswith(f"{a.module}:")]
        if len({a.name for a in found}) == 1:
            line, column = str(found[0].line), str(found[0].column)
            place = location_of((line, column, line, column, found[0].module))
            return found[0].name, replace(errors[0], location=place)
        alone = alone if said else subject
    return "" if alone.startswith(":") else alone, None


def _outcome(
    read: Collector, exit_code: int | None, termination_reason: TerminationReason | None, *, bounded: bool
) -> Outcome:
    if termination_reason is not None:
        # There is no exit code if the command had not begun.
        return read.violated or _TERMINATIONS.get(termination_reason, Outcome.KILLED)
    if exit_code is None:
        return Outcome.NOT_STARTED
    if read.violated is not None:
        return read.violated
    if exit_code == 0:
        return _success(read, bounded=bounded)
    if read.out_of_memory:
        return Outcome.OUT_OF_MEMORY
    if exit_code in _KILLED:
        return Outcome.KILLED
    status = EXIT_STATUSES.get(exit_code, Outcome.ERROR)
    if status is Outcome.ERROR:
        # TLC's general error status: its messages are more specific.
        if Outcome.ERROR_CONFIG_PARSE in read.failures:
            return Outcome.ERROR_CONFIG_PARSE
        # If an action cannot be evaluated, TLC 2.15 ends with 75, later versions also with 255; their last error is the same.
        last = read.failures[-1] if read.failures else Outcome.ERROR
        return Outcome.FAILURE_SPEC_EVAL if last is Outcome.FAILURE_SPEC_EVAL else Outcome.ERROR
    if status in _VIOLATIONS and status not in read.failures:
        # A violation that was never reported: the output is incomplete.
        return Outcome.ERROR
    return status


def _success(read: Collector, *, bounded: bool) -> Outcome:
    if read.failures:
        return read.failures[0]
    if Code.FINISHED not in read.said or read.traces:
        # A counterexample to nothing: the message that says what it violates is missing.
        return Outcome.ERROR
    if bounded:
        return Outcome.BOUNDED_SUCCESS
    succeeded = Code.SUCCESS in read.said
    if Code.MODE_DEPTH_FIRST in read.said:
        # Depth-first search has no queue, and prints no success message if it reached its depth bound.
        return Outcome.SUCCESS if succeeded else Outcome.BOUNDED_SUCCESS
    if not succeeded or read.stats.queue is None:
        return Outcome.ERROR
    return Outcome.BOUNDED_SUCCESS if read.stats.queue else Outcome.SUCCESS


_VIOLATIONS = frozenset(outcome for outcome in Outcome if outcome.value.startswith("violation_"))


def interpret_execution(
    execution: Execution,
    options: TlcOptions,
    lines: Iterable[bytes],
    assertions: Sequence[Assertion] = (),
    expressions: Sequence[Assignment] = (),
    assumptions: Sequence[CheckedAssumption] = (),
) -> RunResult:
    """The result of one execution from its standard output; ``assertions`` are those that it can reach.

    ``expressions`` stand in it for the names of their definitions. A violation of one of the ``assumptions`` is named.
    """
    names = {text: name for name, text in expressions}
    if execution.purpose == "verify":
        # It is a search, whatever the run was.
        options = replace(options, mode="check", num=None)
    # With stopAfter TLC itself limits the time of the search.
    timed = any("stopAfter" in option for option in options.java_options)
    # Newer versions hide messages on request, errors too.
    hides = "-suppressMessages" in options.options or any(
        option.startswith("-Dtlc2.output.MP=") for option in options.java_options
    )
    text = execution.config_text
    config = config_of_run(text) if "POSTCONDITION" in text or "_POSSIBLE" in text else Config()
    result = interpret(
        iter_messages(lines),
        exit_code=execution.exit_code,
        termination_reason=execution.termination_reason,
        bounded=options.mode != "check" or timed or hides,
        candidates={
            "invariant": [names.get(each, each) for each in execution.invariants],
            "temporal_property": [names.get(each, each) for each in execution.properties],
            "postcondition": (*config.postconditions, *config.possible),
        },
        assertions=assertions,
    )
    result = _as_written(result, dict(expressions)) if expressions else result
    result = _with_named_assumption(result, assumptions)
    stats = result.stats
    # A simulation shorter than the start of TLC's reporting thread prints no counts but that of initial states.
    ended = options.mode in ("simulate", "generate") and result.outcome is Outcome.BOUNDED_SUCCESS
    counted = result.simulated or (ended and stats.initial and stats.generated is None)
    if counted and stats.behaviours is None and options.num is not None and not timed:
        # TLC 2.15 does not count them. Each worker generates this number.
        return replace(result, stats=replace(stats, behaviours=options.num * options.workers))
    return result


def _with_named_assumption(result: RunResult, assumptions: Sequence[CheckedAssumption]) -> RunResult:
    """Return the result with the name of the assumption that is FALSE, if it is one of these."""
    nameless = Violation(kind="assumption")
    place = next((each.location for each in result.diagnostics if each.code == Code.ASSUMPTION_FALSE), None)
    if nameless not in result.violations or place is None:
        return result
    begin = (place.begin_line, place.begin_column)
    before = [
        each for each in assumptions if each.module == place.module and (each.line, each.column) <= begin
    ]
    if not before:
        return result
    last = max(before, key=lambda each: (each.line, each.column))
    violations = (replace(each, name=last.name) if each == nameless else each for each in result.violations)
    return replace(result, violations=tuple(violations))


def _as_written(result: RunResult, texts: Mapping[str, str]) -> RunResult:
    """The result with expressions for the names of their definitions."""
    named = re.compile(rf"\b(?:{'|'.join(texts)})\b")
    return replace(
        result,
        violations=tuple(replace(each, name=texts.get(each.name, each.name)) for each in result.violations),
        traces=tuple(replace(each, name=texts.get(each.name, each.name)) for each in result.traces),
        coverage=tuple(replace(each, name=texts.get(each.name, each.name)) for each in result.coverage),
        diagnostics=tuple(
            replace(each, text=named.sub(lambda found: texts[found[0]], each.text))
            for each in result.diagnostics
        ),
    )


def interpret_record(record: RunRecord, stdout: Callable[[int], IO[bytes]]) -> RunResult:
    """The result of a record; ``stdout(n)`` opens the standard output of execution n, counted from 1."""
    results = []
    # Those that ask about a log come last.
    executions = [each for each in record.executions if each.purpose != "log"]
    for number, execution in enumerate(executions, 1):
        with stdout(number) as lines:
            results.append(
                interpret_execution(
                    execution,
                    record.options,
                    lines,
                    record.assertions,
                    record.expressions,
                    record.assumptions,
                )
            )
    result = combine(executions, results, record)
    return with_notes(with_log(result, record.inputs.log, record.content), record)


# How tla2py's own notes on the liveness of a simulation are numbered.
_MADE_UP, _NOT_DECIDED = -7, -8
_ENDED = (Outcome.SUCCESS, Outcome.BOUNDED_SUCCESS)


def without_liveness(result: RunResult) -> RunResult:
    """Return the result of a simulation without violations of temporal properties."""
    violations = tuple(each for each in result.violations if each.kind != "temporal_property")
    said = (Code.TEMPORAL_PROPERTY, Code.COUNTEREXAMPLE)
    return replace(
        result,
        outcome=result.outcome if violations else Outcome.BOUNDED_SUCCESS,
        verdict=result.verdict if violations else Verdict.INCONCLUSIVE,
        violations=violations,
        traces=tuple(each for each in result.traces if each.kind != "temporal_property"),
        diagnostics=tuple(each for each in result.diagnostics if each.code not in said),
    )


def is_verified(result: RunResult, checks: Sequence[RunResult]) -> bool:
    """Return whether TLC confirmed the behaviour by which a simulation violates a temporal property.

    The first of the ``checks`` has the property, which must be violated; the second has the specification, which must hold.
    A behaviour that ends need not be fair.
    """
    if len(checks) != 2 or not checks[0].violations:
        return False
    trace = next(each for each in result.traces if each.kind == "temporal_property")
    kinds = {violation.kind for violation in checks[1].violations}
    if not kinds:
        return checks[1].outcome in _ENDED
    return kinds == {"temporal_property"} and trace.loop_start is None and not trace.stuttering


_Pair: TypeAlias = "tuple[Execution, RunResult]"


def _believed(pairs: Sequence[_Pair], record: RunRecord) -> list[_Pair]:
    """Return the executions and their results, without the violations that a simulation made up (tlaplus#204)."""
    believed: list[_Pair] = []
    for number, (execution, result) in enumerate(pairs):
        if execution.purpose in ("trivial", "verify", "log", "message"):
            continue
        checks = []
        for following, check in pairs[number + 1 :]:
            if following.purpose != "verify":
                break
            checks.append(check)
        simulates = record.options.mode != "check"
        reported = [each.name for each in result.traces if each.kind == "temporal_property"]
        if simulates and reported and not is_verified(result, checks):
            name = reported[0] or "a temporal property"
            text = f"TLC reported a violation of {name}, but does not confirm it when it checks that behaviour alone"
            note = Diagnostic(code=_MADE_UP, severity="warning", text=f"{text} (tlaplus#204)")
            result = without_liveness(result)
            result = replace(result, diagnostics=(*result.diagnostics, note))
        if execution.purpose == "rest":
            # It takes the place of the run, of which the note remains.
            notes = (each for each in believed[0][1].diagnostics if each.code == _MADE_UP)
            result = replace(result, diagnostics=(*result.diagnostics, *notes))
            believed = []
        believed.append((execution, result))
    return believed


def _liveness_note(record: RunRecord, result: RunResult) -> tuple[Diagnostic, ...]:
    """Return the note that a simulation which ended without a violation decided nothing about liveness."""
    undecided = result.verdict is Verdict.INCONCLUSIVE
    if record.options.mode == "check" or not record.liveness or not undecided:
        return ()
    names = ", ".join(record.liveness)
    text = f"{names} {'was' if len(record.liveness) == 1 else 'were'} not decided: simulated behaviours are finite, so they cannot show liveness"
    return (Diagnostic(code=_NOT_DECIDED, severity="warning", text=text),)


def combine(executions: Iterable[Execution], results: Iterable[RunResult], record: RunRecord) -> RunResult:
    """Return the executions of one run as one result, without those that ask about its log.

    A violation of a property that a beginning of a behaviour refutes is not suspect.
    """
    pairs = list(zip(executions, results, strict=True))
    trivial = find_trivial_violations(pairs)
    if is_trivially_false(pairs[0][1]) and not trivial:
        # What TLC takes for FALSE is not known, so that the rest says nothing about the run.
        pairs = pairs[:1]
    kept = _believed(pairs, record)
    violations: list[Violation] = []
    traces: list[Trace] = []
    undecided: tuple[str, ...] = ()
    attributed = [
        result for execution, result in kept if execution.purpose == "attribution" and result.violations
    ]
    for execution, result in kept:
        if execution.purpose == "attribution":
            continue
        nameless = attributed and any(unnamed(v) for v in result.violations)
        named = _name_property(result, attributed) if nameless else result
        violations += [v for v in named.violations if v not in violations]
        traces += named.traces
        undecided = ()
        if execution.purpose == "further" and result.verdict is not Verdict.HOLDS and not result.violations:
            deadlock = ("deadlock",) if execution.check_deadlock else ()
            undecided = (*execution.invariants, *execution.properties, *deadlock)
    trusted = tuple(replace(each, suspect=False) if each.name in record.safety else each for each in traces)
    result = replace(
        kept[0][1],
        violations=tuple(violations),
        traces=trusted,
        coverage=_fullest_coverage([result.coverage for _, result in kept]),
        diagnostics=tuple(d for _, result in kept for d in result.diagnostics),
        undecided=undecided,
    )
    if trivial:
        result = add_trivial_violations(result, kept[0][1], trivial)
    result = add_message(result, pairs)
    return replace(result, diagnostics=(*result.diagnostics, *_liveness_note(record, result)))


def _fullest_coverage(reports: Sequence[tuple[CoverageItem, ...]]) -> tuple[CoverageItem, ...]:
    """Return the coverage report of the execution that generated the most states, the first of equal ones.

    An execution that ends at a violation does not come to all actions; one that no longer checks this does.
    """

    def count_generated(report: tuple[CoverageItem, ...]) -> int:
        return sum(item.generated or 0 for item in report if item.kind in ("init", "action"))

    return max(reports, key=count_generated)


def unnamed(violated: Violation | Trace) -> bool:
    """Whether TLC left open which property was violated.

    Up to March 2026 TLC does not name temporal properties, and reports conjuncts by place only.
    """
    return violated.kind in ("temporal_property", "action_property", "invariant") and not violated.name


def _name_property(result: RunResult, attributed: list[RunResult]) -> RunResult:
    """The result with names: if one property is violated its trace gets the name, otherwise each has its own trace."""
    names = [v for other in attributed for v in other.violations]
    kept = tuple(v for v in result.violations if not unnamed(v))
    if len(attributed) == 1:
        traces = tuple(
            replace(trace, name=names[0].name) if unnamed(trace) else trace for trace in result.traces
        )
    else:
        named = [trace for trace in result.traces if not unnamed(trace)]
        traces = (*named, *(trace for other in attributed for trace in other.traces))
    return replace(result, violations=(*kept, *names), traces=traces)


def without_found(config: Config, result: RunResult, names: Sequence[str]) -> Config | None:
    """The config without what was found, or None if nothing is left to check."""
    if result.verdict is not Verdict.VIOLATED:
        return None
    kinds = {v.kind for v in result.violations}
    rest = replace(
        config,
        invariants=tuple(n for n in config.invariants if n not in names),
        properties=tuple(n for n in config.properties if n not in names),
        check_deadlock=config.check_deadlock and "deadlock" not in kinds,
    )
    left = rest != config and (rest.invariants or rest.properties or rest.check_deadlock)
    return rest if left else None
