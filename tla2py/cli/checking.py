"""A check as the command line runs and shows it."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from pathlib import Path

from tla2py.cli.console import err, show, show_json, show_text
from tla2py.cli.progress import check_report
from tla2py.errors import InputError
from tla2py.execution.check import Checked, run_check
from tla2py.execution.listener import Listener
from tla2py.execution.options import ModelOptions, SweepOptions
from tla2py.execution.point import check_point
from tla2py.terminal.check import check_text


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
