"""The files that a gate writes: the requested reports and GitHub's job summary."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tla2py.errors import InputError, Place, Tla2pyError, writing
from tla2py.files.write import check_report, store_files, write_file
from tla2py.reports.evidence import Evidence
from tla2py.reports.junit import junit_error, junit_text
from tla2py.reports.markdown import markdown_error, markdown_text
from tla2py.reports.sarif import sarif_error, sarif_text
from tla2py.repository.paths import named_files
from tla2py.store.storage import folder_of, is_remote


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """The files to write; ``job_summary`` is GitHub's, which is appended to."""

    junit: Path | None
    sarif: Path | None
    summary: Path | None
    job_summary: Path | None

    @classmethod
    def of(
        cls,
        *,
        junit: Path | None,
        sarif: Path | None,
        summary: Path | None,
        targets: Sequence[str] = (),
        inputs: Sequence[Path] = (),
    ) -> Outputs:
        """The named files, and the job summary that the environment names.

        ``targets`` are what is gated, ``inputs`` what else is read. Raises InputError: ``gate-reports``, and as
        ``check_report`` does for what a report would replace.
        """
        named = [path for path in (junit, sarif, summary) if path is not None]
        for path in named:
            check_report(path, [*inputs, *_files_of(path, targets)])
        for path in named:
            if [each.resolve() for each in named].count(path.resolve()) > 1:
                hint = "give each report its own file"
                raise InputError("gate-reports", f"{path} is named for two reports", hint=hint)
        job = os.environ.get("GITHUB_STEP_SUMMARY")
        return cls(
            junit=junit,
            sarif=sarif,
            summary=summary,
            job_summary=Path(job) if job and summary is None else None,
        )

    def clear(self) -> None:
        """Delete earlier reports, so that none is mistaken for this gate's. Raises InputError (``output-unwritable``)."""
        for path in (self.junit, self.sarif, self.summary):
            if path is not None:
                with writing(path):
                    path.unlink(missing_ok=True)

    def write(self, gates: Sequence[Evidence]) -> None:
        """Write every report. Raises InputError (``output-unwritable``)."""
        self._write(
            junit=lambda: junit_text(gates),
            sarif=lambda: sarif_text(gates),
            summary=lambda: markdown_text(gates),
        )

    def write_error(self, name: str, error: Tla2pyError) -> None:
        """Write reports of a gate that could not run. Raises InputError (``output-unwritable``)."""
        message = error.line
        self._write(
            junit=lambda: junit_error(name, message),
            sarif=lambda: sarif_error(message, error_place(error)),
            summary=lambda: markdown_error(name, message),
        )

    def _write(
        self, *, junit: Callable[[], str], sarif: Callable[[], str], summary: Callable[[], str]
    ) -> None:
        _write_text(self.junit, junit)
        _write_text(self.sarif, sarif)
        _write_text(self.summary, summary)
        _write_text(self.job_summary, summary, "a")


def _files_of(path: Path, targets: Sequence[str]) -> Iterator[Path]:
    """The files of targets that a report to this path could replace."""
    for target in targets:
        file = folder_of(target)
        if is_remote(target):
            continue
        if file.is_dir():
            yield from store_files(path, file)
        else:
            yield file
            yield from named_files(file)


def report_root() -> Path:
    """The folder that paths in reports are relative to: the repository's, else the current one."""
    workspace = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR")
    if workspace:
        return Path(workspace)
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def error_place(error: Tla2pyError) -> Place | None:
    """The place of an error, None if it is not in a file below the root of reports."""
    place = Place.parse(error.where or "")
    try:
        path = Path(place.file).resolve().relative_to(report_root().resolve())
    except ValueError:
        return None
    return Place(file=path.as_posix(), line=place.line or 1) if place.file else None


def _write_text(path: Path | None, text: Callable[[], str], mode: str = "w") -> None:
    if path is None:
        return
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if mode == "w":
            write_file(path, text())
            return
        with path.open(mode, encoding="utf-8") as sink:
            sink.write(text())
