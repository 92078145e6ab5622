"""Tests of a system from the state graph of its specification: ``testgen`` and ``drive``.

What runs a sweep file is imported on use: most cases are made from a store.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from tla2py.analysis.view import StoreView, open_view
from tla2py.cases.cases import CaseOptions, Cases, differences, make_cases
from tla2py.cases.drive import PROTOCOL, Drive, Failures, Program, write_drives
from tla2py.cases.render import render_adapter, render_suite
from tla2py.cli.console import err, reader_gone, show_json, show_lines
from tla2py.cli.options import Arguments, Jar, Json, Store, argument, given_options, option, with_options
from tla2py.errors import ExitCode, InputError, writing
from tla2py.files import check_report, write_atomically, write_file
from tla2py.model.row import DriveRow
from tla2py.store.address import is_remote
from tla2py.text import counted, parse_duration

# The lines of a difference that are shown.
_SHOWN = 40


def _case_options(
    point: Annotated[
        int | None, option("--point N", "The point; default: the only one with a graph.")
    ] = None,
    cover: Annotated[
        str,
        option(
            "--cover edges|states|actions|pairs|paths:K",
            "What the cases cover: every step, state, action, pair of consecutive actions, or all paths of K steps.",
        ),
    ] = "edges",
    see: Annotated[
        list[str] | None,
        option(
            "--see EXPR",
            "What a test sees of a state, instead of all variables: TLA+, or SQL over state after sql:; repeatable.",
        ),
    ] = None,
    inputs: Annotated[
        str | None,
        option(
            "--inputs A,B",
            "The actions that a test takes; all others are the system's answers, and several states may be right.",
        ),
    ] = None,
    where: Annotated[
        str | None, option("--where EXPR", "Cover only what leads to a state where this is TRUE; as --see.")
    ] = None,
    sample: Annotated[
        int | None, option("--sample N", "Only so many of the cases, drawn with --seed.", min=1)
    ] = None,
    seed: Annotated[int, option("--seed N", "The seed of --sample.")] = 0,
    weight: Annotated[
        int | None,
        option("--weight N", "How many steps a restart is worth; default: as few cases as possible.", min=0),
    ] = None,
    longest: Annotated[int | None, option("--longest N", "No case has more steps than this.", min=1)] = None,
    no_stutter: Annotated[bool, option("--no-stutter", "Leave out steps that change nothing.")] = False,
    partial: Annotated[bool, option("--partial", "Take the graph of a search that ended early.")] = False,
    arguments: Arguments = False,
    tla2tools: Jar = None,
) -> object:
    given = given_options(locals())
    actions = (name.strip() for name in (inputs or "").split(","))
    return CaseOptions(**given | {"inputs": tuple(name for name in actions if name)})


@with_options(_case_options)
def generate_command(
    target: Annotated[
        str, argument("STORE|SWEEP.toml", "A store with a state graph, or a sweep file to run.")
    ],
    output_format: Annotated[
        str, option("--format jsonl|itf", "A case a line, or an ITF trace a line.")
    ] = "jsonl",
    template: Annotated[
        str | None,
        option("--template pytest|go|FILE", "Write a test suite instead, by this template for Jinja."),
    ] = None,
    adapter: Annotated[
        Path | None,
        option(
            "--adapter FILE.py", "Also write the class that a pytest suite runs against, to be filled in."
        ),
    ] = None,
    output: Annotated[Path | None, option("-o --output FILE", "Write here.")] = None,
    check: Annotated[
        Path | None,
        option("--check FILE", "Compare with what was written before; exit code 1 if it differs."),
    ] = None,
    *,
    options: CaseOptions,
) -> None:
    """Make tests of a system from the state graph of its specification.

    Few and short behaviours cover the graph; each is a case: the actions to take, and the state after each. A sweep keeps
    it with graph = true; a sweep file without that is run into a store of its own.

    Examples:
      tla2py testgen runs/NAME --point 2 -o cases.jsonl
      tla2py testgen runs/NAME --cover states --no-stutter --longest 30
      tla2py testgen runs/NAME --check cases.jsonl
    """
    cases = make_cases(_view(target, options), options)
    if template is None:
        text: Iterable[str] = cases.lines(output_format)
    else:
        text = [render_suite(cases, template, adapter.stem if adapter else "adapter")]
    if adapter is not None and not adapter.exists():
        # What is filled in stays.
        write_file(adapter, render_adapter(cases))
    if check is not None:
        _check(check, "".join(text))
        return
    tell_cover(cases)
    if output is None:
        for line in text:
            if reader_gone():
                break
            sys.stdout.write(line)
        sys.stdout.flush()
    else:
        check_report(output)
        with writing(output):
            write_atomically(output, lambda sink: sink.writelines(line.encode() for line in text))
    if cases.cover.left:
        raise typer.Exit(ExitCode.INCONCLUSIVE)


@with_options(_case_options)
def drive_command(
    store: Store,
    command: Annotated[list[str], argument("-- COMMAND...", "The program, with its arguments.")],
    step_timeout: Annotated[str, option("--step-timeout DURATION", "Time limit of each answer.")] = "10s",
    shrink: Annotated[
        bool, option("--shrink", "Look for a shorter case that fails in the same way.")
    ] = False,
    fail_fast: Annotated[bool, option("--fail-fast", "Stop at the first case that fails.")] = False,
    output: Annotated[
        Path | None, option("-o --output DIR", "Where the table drives goes; default STORE/drives.")
    ] = None,
    as_json: Json = False,
    *,
    options: CaseOptions,
) -> None:
    """Drive a program through tests from the state graph of its specification.

    The program reads a JSON object a line: hello, reset with an initial state, and step with an action; it answers each with
    what it knows of its state. It runs as you, outside of any sandbox.

    Examples:
      tla2py drive runs/NAME --point 2 -- python adapter.py
      tla2py drive runs/NAME --cover pairs --shrink --step-timeout 2s -- ./server --driven
    """
    if output is None and is_remote(store):
        raise InputError("usage", f"{store} is not a folder", hint="name one for the table: -o DIR")
    cases = make_cases(open_view(store), options)
    tell_cover(cases)
    hello: dict[str, Any] = {
        "do": "hello",
        "protocol": PROTOCOL,
        "variables": list(cases.graph.state(0)),
        "actions": [name for name in cases.graph.actions if not cases.inputs or name in cases.inputs],
    }
    program = Program(command=command, hello=hello, seconds=parse_duration(step_timeout, "--step-timeout"))
    drive = Drive(cases=cases, program=program, shrink=shrink, fail_fast=fail_fast)
    rows = list(drive.run())
    file = write_drives(output or Path(store) / "drives", rows)
    if as_json:
        show_json([_row_json(row) for row in rows])
    else:
        show_lines([_failures_line(failures) for failures in drive.failures])
    print_drive(drive, rows, file)
    counts = Counter(row.verdict for row in rows)
    if set(counts) - {"passed", "not_compared", "not_run"}:
        raise typer.Exit(ExitCode.UNEXPECTED)
    if counts["not_run"] or counts["not_compared"] or cases.cover.left:
        raise typer.Exit(ExitCode.INCONCLUSIVE)


def print_drive(drive: Drive, rows: Sequence[DriveRow], file: Path) -> None:
    """Print how many cases ended in which way, and what was not compared."""
    counts = Counter(row.verdict for row in rows)
    shown = ", ".join(f"{number:,} {verdict}" for verdict, number in counts.items())
    restarts = sum(row.restarts for row in rows)
    answers = sum(row.answers for row in rows)
    said = sum(row.said for row in rows)
    err().print(
        f"{counted(len(rows), 'case')}: {shown}; {counted(drive.not_reached, 'step')} not reached, "
        f"{counted(restarts, 'restart')}; {said:,} of {counted(answers, 'answer')} "
        f"say{'s' * (answers == 1)} something; {file}"
    )
    if drive.never_compared:
        names = ", ".join(drive.never_compared)
        err().print(f"note: no answer names {names}, so nothing was compared with them", style="yellow")


def _row_json(row: DriveRow) -> dict[str, object]:
    """The keys of ``drive --json``."""
    texts = {"action": row.action, "expected": row.expected, "found": row.found}
    values = {name: json.loads(text) if text is not None else None for name, text in texts.items()}
    counts = {"answers": row.answers, "said": row.said}
    found: dict[str, object] = {"case": row.case, "verdict": row.verdict, "step": row.step}
    return {**found, **values, "message": row.message, **counts}


def _failures_line(failures: Failures) -> str:
    """Return cases that did not pass for one cause as a line: the shortest of them, and how many there are."""
    row, count = failures.shortest, len(failures.rows)
    action = json.loads(row.action)["name"] if row.action else "the reset"
    where = f" at step {row.step}, {action}" if row.step is not None else ""
    more = f" ({counted(count, 'case')}, this is the shortest)" if count > 1 else ""
    return f"{row.case}: {row.verdict}{where}: {row.message}{more}"


def _view(target: str, options: CaseOptions) -> StoreView:
    """The store, of a sweep file after what it lacks has been run."""
    if Path(target).suffix != ".toml":
        return open_view(target)
    from tla2py.cli.progress import ConsoleListener
    from tla2py.execution.sweeps import SweepOptions, run_sweeps
    from tla2py.spark import ExecutorName
    from tla2py.spark.choice import choose_executor
    from tla2py.tlc.tools.toolchain import find_toolchain

    listener = ConsoleListener()
    points = None if options.point is None else str(options.point)
    load = SweepOptions(tla2tools=options.tla2tools, points=points).load
    [sweep] = load([Path(target)], listener=listener)
    # The store of its own has the points that were asked for; that of a sweep keeps those of its last whole sweep.
    store = None if sweep.selection.options.graph else Path("runs") / f"{sweep.name}-graph"
    sweep = sweep.select(options=replace(sweep.selection.options, graph=True))
    tools, executors = find_toolchain(options.tla2tools), choose_executor(ExecutorName.LOCAL, None, listener)
    [done] = run_sweeps([sweep], tools, executors, store=store, listener=listener)
    err().print(f"Store  {done.store.path}", soft_wrap=True, highlight=False)
    return open_view(done.store.path)


def tell_cover(cases: Cases) -> None:
    """Print how large a cover is, and what has to be known about it."""
    cover, graph = cases.cover, cases.graph
    least = "" if cover.least is None else f", at least {cover.least:,}"
    longest = max((len(each.steps) for each in cover.behaviours), default=0)
    cost = f"{counted(cover.steps, 'step')}, the longest has {longest:,}"
    err().print(f"point {graph.point}: {counted(len(cover.behaviours), 'case')}{least}; {cost}")
    if graph.incomplete:
        err().print(f"note: the graph lacks states: {graph.incomplete}", style="yellow")
    for note in cases.notes:
        err().print(f"note: {note}", style="yellow")
    if cover.left:
        err().print(f"{cover.left:,} left out: no case within --longest comes there", style="yellow")


def _check(file: Path, text: str) -> None:
    """Compare a file with the text that it should have."""
    try:
        before = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            "cases-unreadable", f"cannot read {file}", hint="--check takes a file that testgen wrote"
        ) from error
    found = differences(before, text)
    if not found:
        err().print(f"{file} is what the specification gives")
        return
    show_lines([f"{file}: {found[0]}", *found[1 : _SHOWN + 1]])
    if len(found) > _SHOWN + 1:
        show_lines([f"and {len(found) - _SHOWN - 1:,} more"])
    raise typer.Exit(ExitCode.UNEXPECTED)
