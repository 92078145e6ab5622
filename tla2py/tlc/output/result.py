"""The result of a run: its executions, interpreted and combined. It is never stored, but computed from the record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import IO

from tla2py.config.read import parse_config
from tla2py.errors import InputError
from tla2py.model.config import Config
from tla2py.model.outcome import Outcome, Verdict, Violation
from tla2py.model.result import RunResult
from tla2py.model.run import Execution, RunRecord, TlcOptions
from tla2py.tlc.output.interpret import interpret
from tla2py.tlc.output.log import with_log
from tla2py.tlc.output.messages import iter_messages
from tla2py.tlc.output.notes import with_notes
from tla2py.trace.trace import Trace


def interpret_execution(execution: Execution, options: TlcOptions, lines: Iterable[bytes]) -> RunResult:
    """The result of one execution from its standard output."""
    # With stopAfter TLC itself limits the time of the search.
    timed = any("stopAfter" in option for option in options.java_options)
    # Newer versions hide messages on request, errors too.
    hides = "-suppressMessages" in options.options or any(
        option.startswith("-Dtlc2.output.MP=") for option in options.java_options
    )
    result = interpret(
        iter_messages(lines),
        exit_code=execution.exit_code,
        termination_reason=execution.termination_reason,
        bounded=options.mode != "check" or timed or hides,
        candidates={
            "invariant": execution.invariants,
            "temporal_property": execution.properties,
            "postcondition": _postconditions(execution.config_text),
        },
    )
    stats = result.stats
    # A simulation shorter than the start of TLC's reporting thread prints no counts but that of initial states.
    ended = (
        options.mode in ("simulate", "generate")
        and result.outcome is Outcome.BOUNDED_SUCCESS
        and bool(stats.initial)
    )
    counted = result.simulated or (ended and stats.generated is None)
    if counted and stats.behaviours is None and options.num is not None and not timed:
        # TLC 2.15 does not count them. Each worker generates this number.
        return replace(result, stats=replace(stats, behaviours=options.num * options.workers))
    return result


def _postconditions(config_text: str) -> tuple[str, ...]:
    if "POSTCONDITION" not in config_text and "_POSSIBLE" not in config_text:
        return ()
    try:
        config = parse_config(config_text, Path("MC.cfg")).config
    except InputError:
        return ()
    return (*config.postconditions, *config.possible)


def interpret_record(record: RunRecord, stdout: Callable[[int], IO[bytes]]) -> RunResult:
    """The result of a record; ``stdout(n)`` opens the standard output of execution n, counted from 1."""
    results = []
    # Those that ask about a log come last.
    executions = [each for each in record.executions if each.purpose != "log"]
    for number, execution in enumerate(executions, 1):
        with closing(stdout(number)) as lines:
            results.append(interpret_execution(execution, record.options, lines))
    return with_notes(with_log(combine(executions, results), record.inputs.log), record)


def combine(executions: Iterable[Execution], results: Iterable[RunResult]) -> RunResult:
    """The executions of one run as one result, without those that ask about its log."""
    kept = [each for each in zip(executions, results, strict=True) if each[0].purpose != "log"]
    executions, results = [execution for execution, _ in kept], [result for _, result in kept]
    violations: list[Violation] = []
    traces: list[Trace] = []
    undecided: tuple[str, ...] = ()
    attributed = [
        result
        for execution, result in zip(executions, results, strict=True)
        if execution.purpose == "attribution" and result.violations
    ]
    for execution, result in zip(executions, results, strict=True):
        if execution.purpose == "attribution":
            continue
        named = result
        if any(unnamed(v) for v in result.violations) and attributed:
            named = _name_property(result, attributed)
        violations += [v for v in named.violations if v not in violations]
        traces += named.traces
        undecided = ()
        if execution.purpose == "further" and result.verdict is not Verdict.HOLDS and not result.violations:
            deadlock = ("deadlock",) if execution.check_deadlock else ()
            undecided = (*execution.invariants, *execution.properties, *deadlock)
    return replace(
        results[0],
        violations=tuple(violations),
        traces=tuple(traces),
        diagnostics=tuple(d for result in results for d in result.diagnostics),
        undecided=undecided,
    )


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
    if rest == config or not (rest.invariants or rest.properties or rest.check_deadlock):
        return None
    return rest
