"""A check as the command line runs and shows it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.text import Text

from tla2py.analysis.explanation import explain_store, refined_sweep, suggestion_text, survivors
from tla2py.analysis.kinds import stored_turning
from tla2py.analysis.questions import stored_essential, verify_traces
from tla2py.analysis.view import StoreView, open_view
from tla2py.cli.console import err, print_error, reader_gone, show, show_json, show_text
from tla2py.cli.progress import ConsoleListener, check_report
from tla2py.errors import ExitCode, InputError
from tla2py.execution.check import Checked, check_point, run_check
from tla2py.execution.listener import Listener
from tla2py.execution.options import ModelOptions, SweepOptions
from tla2py.execution.sweeps import SweepResult
from tla2py.model.trace import Variables
from tla2py.store.storage import Address
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted, parse_duration
from tla2py.tlc.tools.toolchain import find_toolchain
from tla2py.view.traces import answer_change, check_text, conjuncts_text, enabled_text, trace_list, trace_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Checking:
    """A check of a module, or of a point of a sweep file; ``full`` shows whole states."""

    file: Path
    point: int | None
    model: ModelOptions
    options: SweepOptions
    full: bool
    as_json: bool

    @property
    def named(self) -> list[Path]:
        """The files that the command names, and the config beside the module."""
        return [self.file, self.model.config or self.file.with_suffix(".cfg")]

    def run(self, listener: Listener, cancelled: threading.Event | None = None) -> Checked:
        """The result; it means nothing once ``cancelled`` is set, which stops TLC.

        Raises InputError (``usage``), and as ``check_point`` and ``run_check`` do.
        """
        if self.point is not None:
            if self.model != ModelOptions():
                hint = "leave out the options that say what to check"
                raise InputError("usage", "--point runs the model that the sweep file describes", hint=hint)
            return check_point(
                self.file,
                self.point,
                self.options,
                listener=listener,
                show=None if self.as_json else show_text,
                cancelled=cancelled,
            )
        with err().status("running TLC") as status:

            def show_print(text: str) -> None:
                # On a terminal the status line would be written over the value.
                status.stop()
                show_text(f"{text}\n")
                status.start()

            return run_check(
                self.file,
                self.model,
                self.options,
                listener=listener,
                report=check_report(status),
                show=None if self.as_json else show_print,
                cancelled=cancelled,
            )

    def show(self, checked: Checked) -> None:
        """Print a result."""
        if self.as_json:
            show_json(json.loads(checked.to_json()))
        else:
            show(check_text(checked, full=self.full))


# Polling needs no package, works on every file system, and costs nothing for a dozen files.
_POLL_SECONDS = 0.2
_SOURCES = ("*.tla", "*.cfg", "*.toml")

_Stamp = tuple[int, int, int] | None


class _Files(ConsoleListener):
    """The files that a check reads, and those of them that have changed since ``begin``.

    ``named`` files count even while they do not exist. A check that fails may not have found all its files, so until the
    next success every source in their folders counts.
    """

    def __init__(self, named: Iterable[Path]) -> None:
        self._named = frozenset(named)
        self._reached = self._named
        self._wide = False
        self._begun = 0
        self._stamps: dict[Path, _Stamp] = {}

    def reached(self, files: Iterable[Path]) -> None:
        """Watch these files."""
        self._reached = self._named.union(files)
        self._wide = False

    def widen(self) -> None:
        """Watch the folders of the files."""
        self._wide = True

    @property
    def count(self) -> int:
        """The number of files."""
        return len(self._files())

    def begin(self) -> None:
        """Compare with the present state from now on."""
        self._begun = time.time_ns()
        self._stamps = {file: _stamp(file) for file in self._files()}

    def changed(self) -> list[Path]:
        """The files that changed."""
        return sorted(file for file in self._files() if self._has_changed(file))

    def _files(self) -> set[Path]:
        files = {*self._reached}
        if self._wide:
            for folder in {file.parent for file in self._reached}:
                files |= {found for pattern in _SOURCES for found in folder.glob(pattern)}
        return files

    def _has_changed(self, file: Path) -> bool:
        now = _stamp(file)
        if file in self._stamps:
            return now != self._stamps[file]
        # The check has found this file after it began.
        if now is not None and now[0] > self._begun:
            return True
        self._stamps[file] = now
        return False


def _stamp(file: Path) -> _Stamp:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


@contextmanager
def _noticing(files: _Files) -> Iterator[threading.Event]:
    """An event that is set when a file changes."""
    changed, done = threading.Event(), threading.Event()

    def poll() -> None:
        while not done.wait(_POLL_SECONDS):
            if files.changed():
                changed.set()
                return

    threading.Thread(target=poll, daemon=True).start()
    try:
        yield changed
    finally:
        done.set()


def watch(
    named: Iterable[Path],
    check: Callable[[Listener, threading.Event], Checked],
    show: Callable[[Checked], None],
) -> NoReturn:
    """Run a check again whenever one of its files changes, until the user interrupts or nobody reads.

    ``check`` tells the listener which files it reads, and stops when the event is set, as its answer is then out of date.
    ``show`` is called with the first answer and with each that differs from the one before. An error in a file is
    printed and waited out. Raises InputError for an error that no edit can mend, if it is the first answer.
    """
    files = _Files(named)
    before: Checked | None = None
    while True:
        files.begin()
        with _noticing(files) as changed:
            answer = None
            try:
                answer = check(files, changed)
            except InputError as error:
                if before is None and error.where is None:
                    raise
                files.widen()
                print_error(error)
            if answer is not None and not changed.is_set():
                change = answer_change(before, answer) if before is not None else None
                if change is not None or before is None:
                    show(answer)
                if before is not None:
                    err().print(f"changed: {change}" if change else f"unchanged: {answer.verdict.value}")
                before = answer
            if reader_gone():
                raise typer.Exit
            if not changed.is_set():
                err().print(f"watching {counted(files.count, 'file')}; Ctrl-C ends", style="dim")
            changed.wait()
        # An editor may write several files, or one in several steps.
        time.sleep(_POLL_SECONDS)
        err().print(f"\n{', '.join(map(str, files.changed()))} changed", style="bold")


Evaluated = Annotated[
    list[str] | None,
    typer.Option(
        "--eval",
        metavar="EXPR",
        help="Show the value of a TLA+ expression in each state or, with primed variables, step; repeatable.",
    ),
]
ConjunctsOption = Annotated[
    bool,
    typer.Option(
        "--conjuncts",
        help="Show each conjunct of the violated invariant in each state, and which turns FALSE first; without POINT, which one does in how many counterexamples of each kind.",
    ),
]
ActionOption = Annotated[
    str | None,
    typer.Option(
        "--action",
        metavar="NAME",
        help="With --conjuncts: the conjuncts of this action, and how far it gets in a state.",
    ),
]
StateOption = Annotated[
    int | None,
    typer.Option("--state", metavar="N", help="The state for --action; default: the last of the trace."),
]
PropertyOption = Annotated[
    str | None,
    typer.Option("--property", metavar="NAME", help="Without POINT: only counterexamples of this one."),
]
EssentialOption = Annotated[
    bool,
    typer.Option(
        "--essential", help="Leave out the steps that the violation of a safety property does not need."
    ),
]
EssentialTime = Annotated[
    str,
    typer.Option(
        "--timeout", metavar="DURATION", help="Time limit of --essential, for all runs of TLC together."
    ),
]


# What a user asks for, and the options that go with it: about a point, and about all.
_SHOWN = ("--trace", "--only", "--hide")
_OF_POINT: Mapping[str, tuple[str, ...]] = {
    "--verify": ("--trace",),
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
    for option in given:
        if option in takes.get(asked, ()) or (option == asked and asked in takes):
            continue
        # With a point it would be right.
        if point is None and option in (asked, *_OF_POINT.get(asked, (option,))):
            lists = f"'tla2py trace {store}' lists the points that have one"
            raise InputError("point-missing", f"{option} needs a point", hint=lists)
        others = [each for each in takes if option in takes[each]]
        hint = f"{option} goes with {', '.join(others)}" if others else f"leave out {option}"
        raise InputError("usage", f"{asked} does not take {option}", hint=hint)
    if "--state" in given and "--action" not in given:
        raise InputError("usage", "--state needs --action", hint="name the action that is not enabled there")


def ask_tlc(
    view: StoreView, *, arguments: bool, expressions: list[str] | None, tla2tools: Path | None
) -> StoreView:
    """The view whose traces have what TLC is asked for."""
    if arguments:
        view = view.with_arguments(tla2tools)
    return view.with_values(*expressions, tla2tools=tla2tools) if expressions else view


def show_verified(view: StoreView, point: int | None, trace: int | None, jar: Path | None) -> ExitCode:
    """Show TLC's judgement of traces, and return the exit code."""
    code = ExitCode.OK
    for each in verify_traces(view, find_toolchain(jar), point, trace):
        refused = each.judgement == "refused"
        judgement = "REFUSED" if refused else each.judgement
        show(Text(f"point {each.point}, trace {each.number}: {judgement}: {each.reason}"))
        code = ExitCode.UNEXPECTED if refused else code
    return code


def show_kinds(view: StoreView, name: str | None, *, as_json: bool) -> None:
    """Show the counterexamples by kind."""
    if as_json:
        show_json([kind.row() for kind in view.kinds().of(name).kinds])
    else:
        show(trace_list(view, name))


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


def show_conjuncts(
    view: StoreView, point: int, number: int | None, jar: Path | None, *, as_json: bool
) -> None:
    """Show the conjuncts of the invariants that a point's traces violate."""
    rows = view.trace_list(point)
    invariants = [row.trace for row in rows if row.kind == "invariant"]
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
    for number, each in {} if as_json else found.items():
        show(conjuncts_text(each, f"point {point}, trace {number}: "))


def show_enabled(
    view: StoreView, action: str, point: int, number: int, state: int | None, jar: Path | None
) -> None:
    """Show how far an action gets in a state of a trace."""
    found = view.enabled(action, point, number, state=state, tla2tools=jar)
    show(enabled_text(found, f"point {point}, trace {number}: "))


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
    found = stored_essential(view, point, number, jar, seconds=seconds, progress=err().print)
    steps, left = len(found.trace.states) - 1, len(found.shortest.states) - 1
    title = f"point {point}, trace {number}: "
    if found.undecided:
        show(
            Text(
                f"{title}no time for {counted(len(found.undecided), 'step')} of {left}, from state {found.undecided[0]}",
                "yellow",
            )
        )
    elif steps == left:
        show(Text(f"{title}every step is essential: {counted(steps, 'step')}"))
    if steps > left:
        show(Text(f"{title}{steps - left} of {counted(steps, 'step')} can be left out"))
    show(trace_text(found.shortest, full=full, chosen=chosen))


def refine(result: SweepResult, count: int, run: Callable[[Sweep, Address], SweepResult]) -> None:
    """Run at most ``count`` points for each law of a sweep that could refute it, and print which laws survive.

    The points are in the store until the sweep runs again; the printed rows keep them.
    """
    before = explain_store(open_view(result.store.path), suggest=count)
    sweep = refined_sweep(result.sweep, before)
    if sweep is None:
        err().print(f"{result.sweep.name}: no law, so there is no point to test one")
        return
    first = len(result.sweep.points) + 1
    after = explain_store(open_view(run(sweep, result.store.path).store.path))
    lines = [f"Points {first} to {len(sweep.points)} test the laws; as rows of [grid] include:"]
    lines += [f"  {suggestion_text(point.parameters)}" for point in sweep.points[first - 1 :]]
    show_text("\n".join([*lines, "", *survivors(before, after, first), ""]))
