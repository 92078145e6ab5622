"""Where the decision of a gate goes: the terminal, the reports that were asked for, and what a CI host reads."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tla2py.cli.console import show
from tla2py.errors import InputError, Place, Tla2pyError, unwritable
from tla2py.reports.annotations import (
    github_annotations,
    github_command,
)
from tla2py.reports.evidence import Evidence
from tla2py.reports.junit import junit_error, junit_text
from tla2py.reports.markdown import markdown_error, markdown_text
from tla2py.reports.sarif import sarif_error, sarif_text
from tla2py.reports.terminal import gate_summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """The files to write, and whether this is a job of GitHub's."""

    junit: Path | None
    sarif: Path | None
    summary: Path | None
    job_summary: Path | None
    github: bool

    @classmethod
    def of(cls, *, junit: Path | None, sarif: Path | None, summary: Path | None) -> Outputs:
        """The files as named, and what the environment tells of GitHub. Raises InputError (``gate-reports``)."""
        named = [path for path in (junit, sarif, summary) if path is not None]
        for path in named:
            if [each.resolve() for each in named].count(path.resolve()) > 1:
                hint = "each report wants a file of its own"
                raise InputError("gate-reports", f"{path} is named for two reports", hint=hint)
        job_summary = os.environ.get("GITHUB_STEP_SUMMARY")
        return cls(
            junit=junit,
            sarif=sarif,
            summary=summary,
            job_summary=Path(job_summary) if job_summary and summary is None else None,
            github=os.environ.get("GITHUB_ACTIONS") == "true",
        )

    @staticmethod
    def root() -> Path:
        """The folder that paths in reports are relative to: the repository's, else the current one."""
        workspace = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR")
        if workspace:
            return Path(workspace)
        here = Path.cwd()
        return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)

    def clear(self) -> None:
        """Delete earlier reports: whatever happens now, none of them may be taken for this gate's."""
        for path in (self.junit, self.sarif, self.summary):
            if path is not None:
                _writing(path, lambda path=path: path.unlink(missing_ok=True))  # type: ignore[misc]

    def write(self, gates: Sequence[Evidence]) -> None:
        """Print the decision and write every report. Raises InputError (``output-unwritable``)."""
        with_token = f"tla2py-{secrets.token_hex(16)}" if self.github else None
        if with_token:
            # What comes from a module is no command to the runner.
            print(f"::stop-commands::{with_token}", flush=True)  # noqa: T201
        show(gate_summary(gates))
        if with_token:
            sys.stdout.flush()
            print(f"::{with_token}::")  # noqa: T201
            for line in github_annotations(gates):
                print(line)  # noqa: T201
        self._write(
            junit=lambda: junit_text(gates),
            sarif=lambda: sarif_text(gates),
            summary=lambda: markdown_text(gates),
        )

    def write_error(self, name: str, error: Tla2pyError) -> None:
        """Write reports that say that the gate could not be run; the error itself is printed by the caller."""
        message = error.line
        place = _place(error)
        if self.github:
            print(github_command("error", "tla2py gate", message, place))  # noqa: T201
        self._write(
            junit=lambda: junit_error(name, message),
            sarif=lambda: sarif_error(message, place),
            summary=lambda: markdown_error(name, message),
        )

    def _write(
        self,
        *,
        junit: Callable[[], str],
        sarif: Callable[[], str],
        summary: Callable[[], str],
    ) -> None:
        for path, text in (
            (self.junit, junit),
            (self.sarif, sarif),
            (self.summary, summary),
        ):
            if path is not None:
                _writing(path, lambda path=path, text=text: _write_text(path, text(), "w"))  # type: ignore[misc]
        if self.job_summary is not None:
            job = self.job_summary
            _writing(job, lambda: _write_text(job, summary(), "a"))


def _write_text(path: Path, text: str, mode: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open(mode, encoding="utf-8") as sink:
        sink.write(text)


def _writing(path: Path, act: Callable[[], None]) -> None:
    try:
        act()
    except OSError as error:
        raise unwritable(path, error) from error


def _place(error: Tla2pyError) -> Place | None:
    """The place of an error, where it names a file below the root."""
    parts = (error.where or "").split(":")
    try:
        path = Path(parts[0]).resolve().relative_to(Outputs.root().resolve())
    except ValueError:
        return None
    line = int(parts[1]) if len(parts) > 1 and parts[1].isdecimal() else 1
    return Place(file=path.as_posix(), line=line) if parts[0] else None
