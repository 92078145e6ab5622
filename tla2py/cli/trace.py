"""``tla2py trace``, and what it asks TLC."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from tla2py.analysis.questions import stored_turning, verify_traces
from tla2py.analysis.view import StoreView, open_view
from tla2py.cli.console import err, show, show_json, show_text
from tla2py.cli.options import Arguments, Hide, Jar, Json, Only, argument, option
from tla2py.errors import ExitCode, InputError
from tla2py.model.cause import ViolationCauses
from tla2py.model.outcome import Verdict
from tla2py.model.run import RunResult
from tla2py.model.trace import Trace, Variables
from tla2py.store.address import folder_of, is_remote
from tla2py.store.foreign import ForeignStore
from tla2py.text import counted, parse_duration
from tla2py.tlc.tools.toolchain import find_toolchain
from tla2py.view import traces
from tla2py.view.export import FORMATS, export_stored
from tla2py.view.tools import diagnostics_text


def trace_command(
    context: typer.Context,
    store: Annotated[
        str, argument("STORE", "The store of a sweep, or a file: a TLC log, its -dumpTrace json, ITF.")
    ],
    point: Annotated[int | None, argument("POINT", "The point; default: list all points.")] = None,
    trace: Annotated[int | None, option("--trace N", "Only this trace of the point.")] = None,
    only: Only = None,
    hide: Hide = None,
    full: Annotated[bool, option("--full", "Print whole states, not only what changed.")] = False,
    format_: Annotated[str, option(f"--format {'|'.join(FORMATS)}", "The format of one trace.")] = "text",
    diff: Annotated[
        str | None,
        option(
            "--diff OTHER",
            "Compare with another trace: POINT or POINT/TRACE of this store, a trace file, STORE (its point of the same number), STORE:POINT or STORE:POINT/TRACE.",
        ),
    ] = None,
    verify: Annotated[
        bool, option("--verify", "Confirm the traces with TLC; exit code 1 if it rejects one.")
    ] = False,
    arguments: Arguments = False,
    eval_: Annotated[
        list[str] | None,
        option(
            "--eval EXPR",
            "Show the value of a TLA+ expression in each state or, with primed variables, step; repeatable.",
        ),
    ] = None,
    why: Annotated[
        bool, option("--why", "Show why the counterexamples violate what they do, by further runs of TLC.")
    ] = False,
    conjuncts: Annotated[
        bool,
        option(
            "--conjuncts",
            "Show each conjunct of the violated invariant in each state, and which turns FALSE first; without POINT, which one does in how many counterexamples of each kind.",
        ),
    ] = False,
    action: Annotated[
        str | None,
        option(
            "--action NAME", "With --conjuncts: the conjuncts of this action, and how far it gets in a state."
        ),
    ] = None,
    state: Annotated[
        int | None, option("--state N", "The state for --action; default: the last of the trace.")
    ] = None,
    essential: Annotated[
        bool,
        option("--essential", "Leave out the steps that the violation of a safety property does not need."),
    ] = False,
    timeout: Annotated[
        str, option("--timeout DURATION", "Time limit of --essential, for all runs of TLC together.")
    ] = "5m",
    name: Annotated[
        str | None, option("--property NAME", "Without POINT: only counterexamples of this one.")
    ] = None,
    as_json: Json = False,
    tla2tools: Jar = None,
) -> None:
    """List the counterexamples of a store, print those of a point step by step, compare, export or verify them.

    Examples:
      tla2py trace runs/kip320-first-try 5 --format itf > trace.itf.json
      tla2py trace runs/kip320-first-try 5 --arguments --only quorumState
      tla2py trace runs/kip320-first-try 5 --eval 'Cardinality(quorumState.isr)'
      tla2py trace runs/kip320-first-try 5 --diff 5/2
      tla2py trace runs/kip320-first-try 5 --why
      tla2py trace runs/kip320-first-try --conjuncts
      tla2py trace runs/kip320-first-try 5 --conjuncts --action FollowerFetch --state 9
      tla2py trace runs/kip320-first-try 5 --essential --timeout 1m
      tla2py trace runs/kip320-first-try --verify
    """
    if diff is not None and format_ != "text":
        raise InputError("format-of-a-comparison", "a comparison is always text", hint="leave out --format")
    variables = Variables(only=only or (), hide=hide or ())
    view = open_view(store)
    foreign = isinstance(view.store, ForeignStore)
    if point is None and foreign and (diff or len(view.trace_list(1)) == 1) and not verify:
        point = 1
    check_options(context, point)
    if verify:
        judgements = set[str]()
        for each in verify_traces(view, find_toolchain(tla2tools), point, trace):
            refused = each.judgement == "refused"
            judgement = "REFUSED" if refused else each.judgement
            show(Text(f"point {each.point}, trace {each.number}: {judgement}: {each.reason}"))
            judgements.add(each.judgement)
        if "refused" in judgements:
            raise typer.Exit(ExitCode.UNEXPECTED)
        raise typer.Exit(ExitCode.INCONCLUSIVE if "unanswered" in judgements else ExitCode.OK)
    if arguments:
        view = view.with_arguments(tla2tools)
    if eval_:
        view = view.with_values(*eval_, tla2tools=tla2tools)
    if point is None:
        if conjuncts:
            show_turning(view, name, tla2tools, as_json=as_json)
        elif as_json:
            show_json([kind.row() for kind in view.kinds().of(name).kinds])
        else:
            show(traces.trace_list(view, name))
    elif why:
        show_why(view, point, trace, tla2tools, as_json=as_json)
    elif action is not None:
        enabled = view.enabled(action, point, trace or 1, state=state, tla2tools=tla2tools)
        show(traces.enabled_text(enabled, f"point {point}, trace {trace or 1}: "))
    elif conjuncts:
        show_conjuncts(view, point, trace, tla2tools, as_json=as_json)
    elif essential:
        show_essential(view, point, trace or 1, timeout, tla2tools, variables, full=full)
    elif diff is not None:
        title, other = _other_trace(view, point, diff)
        titles = str(view.store.path) if foreign else _point_title(point, trace), title
        pair = map(variables.part_of, (view.trace(point, trace or 1), other))
        show(traces.comparison_text(Trace.compare(*pair), titles))
    elif format_ != "text":
        show_text(export_stored(view, point, trace, format_, variables))
    else:
        show(traces.traces_text(view, point, trace, full=full, hint=not arguments, variables=variables))
    if isinstance(view.store, ForeignStore) and diff is None and format_ == "text" and not as_json:
        raise typer.Exit(_show_errors(view.store.result))


_NAMED = re.compile(r"(?:(.+):)?(\d+)(?:/(\d+))?")


def _other_trace(view: StoreView, point: int, other: str) -> tuple[str, Trace]:
    """The title and the trace that ``other`` names: ``POINT`` of this store, a trace file, a store or ``STORE:POINT``.

    A point's first trace is meant unless its number follows, as in ``POINT/TRACE``; a store without a point stands for
    its point ``point``. Raises InputError (``unknown-point``) and what ``open_view``
    raises.
    """
    named = _NAMED.fullmatch(other)
    if named is not None and named[1] and _exists(other):
        named = None
    number = int(named[2]) if named else point
    trace = int(named[3]) if named and named[3] else None
    title = _point_title(number, trace)
    address = named[1] if named else other
    if address is None:
        return title, view.trace(number, trace or 1)
    if not is_remote(address) and not _exists(address):
        raise InputError(
            "unknown-point",
            f"--diff {other}: not a point, a file or a store",
            hint="name a point (--diff 3) or one of its traces (--diff 3/2), a trace file, or a store with its point (--diff STORE:3)",
        )
    there = open_view(address)
    if isinstance(there.store, ForeignStore):
        return address, there.trace(number if named else 1, trace or 1)
    return f"{title} of {address}", there.trace(number, trace or 1)


def _exists(address: str) -> bool:
    return not is_remote(address) and folder_of(address).exists()


def _point_title(point: int, trace: int | None) -> str:
    """``point 3``, or ``point 3, trace 2``."""
    return f"point {point}" if trace is None else f"point {point}, trace {trace}"


def _show_errors(found: RunResult) -> ExitCode:
    """Show TLC's errors in a log without an answer, and return the exit code."""
    verdict = found.verdict
    answered = verdict is Verdict.HOLDS or (verdict is Verdict.VIOLATED and found.traces)
    if answered or found.simulated:
        return ExitCode.OK
    for each in diagnostics_text([each for each in found.diagnostics if each.severity == "error"]):
        show(each)
    # An example behaviour of another tool has no verdict.
    inconclusive = verdict is Verdict.INCONCLUSIVE and not found.traces
    if verdict is Verdict.BROKEN:
        return ExitCode.NOT_RUN
    return ExitCode.INCONCLUSIVE if inconclusive else ExitCode.OK


# What a user asks for, and the options that go with it: about a point, and about all.
_SHOWN = ("--trace", "--only", "--hide")
_OF_POINT: Mapping[str, tuple[str, ...]] = {
    "--verify": ("--trace",),
    "--why": ("--trace", "--json"),
    "--conjuncts": ("--trace", "--action", "--state", "--json"),
    "--essential": (*_SHOWN, "--full", "--timeout"),
    "--diff": (*_SHOWN, "--arguments", "--eval"),
    "--format": (*_SHOWN, "--arguments", "--eval"),
    "a point": (*_SHOWN, "--full", "--arguments", "--eval"),
}
_OF_ALL: Mapping[str, tuple[str, ...]] = {
    "--verify": ("--trace",),
    "--conjuncts": ("--property", "--json"),
    "the list": ("--property", "--json"),
}


def check_options(context: typer.Context, point: int | None) -> None:
    """Raise InputError for options that do not go together: ``usage``, ``point-missing``."""
    given = [
        each.opts[0]
        for each in context.command.params
        if each.opts[0].startswith("--") and each.opts[0] not in ("--tla2tools", "--help")
        for value in [context.params.get(each.name or "")]
        if value and value != each.get_default(context)
    ]
    store = context.params["store"]
    takes, otherwise = (_OF_ALL, "the list") if point is None else (_OF_POINT, "a point")
    asked = next((each for each in _OF_POINT if each in given), otherwise)
    for flag in given:
        if flag in takes.get(asked, ()) or (flag == asked and asked in takes):
            continue
        # With a point it would be right.
        if point is None and flag in (asked, *_OF_POINT.get(asked, (flag,))):
            lists = f"'tla2py trace {store}' lists the points that have one"
            raise InputError("point-missing", f"{flag} needs a point", hint=lists)
        others = [each for each in takes if flag in takes[each]]
        hint = f"{flag} goes with {', '.join(others)}" if others else f"leave out {flag}"
        raise InputError("usage", f"{asked} does not take {flag}", hint=hint)
    if "--state" in given and "--action" not in given:
        raise InputError("usage", "--state needs --action", hint="name the action that is not enabled there")


def show_turning(view: StoreView, name: str | None, jar: Path | None, *, as_json: bool) -> None:
    """Show the conjuncts that turn FALSE first, by kind."""

    def progress(done: int, total: int) -> None:
        if done * 10 // total > (done - 1) * 10 // total:
            err().print(f"{done} of {counted(total, 'run')} of TLC")

    found = stored_turning(view, name, jar, progress=progress)
    if as_json:
        show_json([each.to_json() for each in found])
    else:
        show_text(f"{str(found) or 'no counterexample'}\n")


def show_why(view: StoreView, point: int, number: int | None, jar: Path | None, *, as_json: bool) -> None:
    """Show why a point's traces violate what they do."""
    found: Mapping[int | None, ViolationCauses] = (
        view.why_all(point, tla2tools=jar)
        if number is None
        else {number: view.why(point, number, tla2tools=jar)}
    )
    if as_json:
        show_json([{"point": point, "trace": number, **each.to_json()} for number, each in found.items()])
        return
    for number, each in found.items():
        show_text(f"point {point}{f', trace {number}' if number else ''}: {each}\n")


def show_conjuncts(
    view: StoreView, point: int, number: int | None, jar: Path | None, *, as_json: bool
) -> None:
    """Show the conjuncts of the invariants that a point's traces violate."""
    invariants = [row.trace for row in view.trace_list(point) if row.kind == "invariant"]
    numbers = (number,) if number is not None else invariants or (1,)
    found = {each: view.conjuncts(point, each, tla2tools=jar) for each in numbers}
    if as_json:
        show_json(
            [
                {
                    "point": point,
                    "trace": number,
                    **each.to_json(),
                    "conjuncts": [row.to_json() for row in each.rows],
                }
                for number, each in found.items()
            ]
        )
        return
    for number, each in found.items():
        show(traces.conjuncts_text(each, f"point {point}, trace {number}: "))


def show_essential(
    view: StoreView,
    point: int,
    number: int,
    timeout: str,
    jar: Path | None,
    variables: Variables,
    *,
    full: bool,
) -> None:
    """Show which steps of a trace are essential: the trace itself, or a shorter one that violates the same."""
    seconds = parse_duration(timeout, "--timeout")
    chosen = variables.of(view.trace(point, number))
    found = view.essential(point, number, seconds=seconds, progress=err().print, tla2tools=jar)
    steps, left = len(found.trace.states) - 1, len(found.shortest.states) - 1
    title = f"point {point}, trace {number}: "
    if found.undecided:
        untried = (
            f"no time for {counted(len(found.undecided), 'step')} of {left}, from state {found.undecided[0]}"
        )
        show(Text(f"{title}{untried}", "yellow"))
    elif steps == left:
        show(Text(f"{title}every step is essential: {counted(steps, 'step')}"))
    if steps > left:
        show(Text(f"{title}{steps - left} of {counted(steps, 'step')} can be left out"))
    show(traces.trace_text(found.shortest, full=full, chosen=chosen))
