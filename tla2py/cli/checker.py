"""Run a check and print its result."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from tla2py.cli.console import err, show, show_json, show_text
from tla2py.cli.progress import check_report
from tla2py.errors import InputError
from tla2py.execution.check import Checked, ModelOptions, check_point, run_check
from tla2py.execution.listener import Listener
from tla2py.execution.sweeps import SweepOptions, only_failed
from tla2py.gate.reasons import Problem
from tla2py.gate.second import Second
from tla2py.model.trace import SIMULATED, UNKNOWN
from tla2py.replay.query import Origin
from tla2py.replay.why import explain_trace, without_trace
from tla2py.sweep.file import folder_file
from tla2py.tlc.tools.toolchain import find_toolchain
from tla2py.view.traces import check_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Checker:
    """A check of a module, or of the point of a sweep file that limited options leave; ``full`` shows whole states.

    ``show_command`` shows the command that repeats it with plain TLC.
    ``jar`` is used in the place of all that the options and the sweep file name.
    """

    file: Path
    model: ModelOptions
    options: SweepOptions
    full: bool
    as_json: bool
    why: bool
    show_command: bool = False
    jar: Path | None = None

    def run(self, listener: Listener, cancelled: threading.Event | None = None) -> Checked:
        """The result; it means nothing once ``cancelled`` is set, which stops TLC.

        Raises InputError (``usage``), and as ``check_point`` and ``run_check`` do.
        """
        used = self.options if self.jar is None else replace(self.options, tla2tools=self.jar)
        if self.options.limited:
            model, options = self.model, self.options
            if folder_file(self.file) is not None:
                # Those that a folder's gate takes.
                options = replace(
                    options,
                    constants=tuple(model.constants),
                    no_deadlock=model.check_deadlock is False,
                    inputs=tuple(model.inputs),
                )
                model = replace(model, constants=(), check_deadlock=None, inputs=())
            if model != ModelOptions():
                hint = "leave out the options that say what to check; --set gives other values"
                raise InputError("usage", "--point runs the model that the sweep file describes", hint=hint)
            [sweep] = options.load([self.file], listener=listener)
            if self.options.failed:
                [sweep] = only_failed([sweep], None, "sweep")
            if not sweep.numbers:
                err().print(f"{sweep.name}: {sweep.limited_text}")
                raise typer.Exit
            return check_point(
                sweep,
                used,
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
                used,
                listener=listener,
                report=check_report(status),
                show=None if self.as_json else show_print,
                cancelled=cancelled,
            )

    def show(self, checked: Checked, second: Second | None = None, wrong: Problem | None = None) -> None:
        """Print a result, why it is violated, and what a second TLC says."""
        toolchain = find_toolchain(self.options.tla2tools)
        origin = Origin(record=checked.record, sources=checked.sources, toolchain=toolchain)
        known = [each for each in enumerate(checked.traces, 1) if each[1].kind not in (SIMULATED, UNKNOWN)]
        # What is violated without a trace has the number None.
        others = [(None, each) for each in without_trace(checked.result.violations)] if not known else []
        because = {n: explain_trace(each, origin) for n, each in (*known, *others) if self.why}
        if self.as_json:
            why = [{"trace": number, **each.to_json()} for number, each in because.items()]
            opinion = {} if second is None else {"second": second.as_json()}
            show_json({**json.loads(checked.to_json()), "why": why, **opinion})
            return
        files = {each.stem: str(each) for each in self.file.parent.glob("*.tla")}
        show(check_text(checked, full=self.full, because=because, files=files))
        if wrong is not None:
            show_text(f"{wrong.reason.value}: {wrong.text}\n")
        elif second is not None:
            compared = (
                f"agrees in {', '.join(second.compared)}" if second.agrees else "has no answer to compare"
            )
            shared = f"; both have known faults: {', '.join(second.shared)}" if second.shared else ""
            show_text(f"{second.text} {compared}{shared}\n")
        if self.show_command:
            show_text(f"with plain TLC:\n{checked.command}\n")
