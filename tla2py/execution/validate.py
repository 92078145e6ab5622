"""The validation of logs: a sweep whose points are logs, and its answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import msgspec

from tla2py.errors import ExitCode, InputError, Place
from tla2py.execution.listener import SILENT, Listener
from tla2py.execution.options import ModelOptions, SweepOptions, given_constants, given_files, given_variables
from tla2py.logs.answer import line_numbers
from tla2py.logs.why import LogTrace, LogWhy, log_trace, read_log_why
from tla2py.model.logs import LogRow
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.store.fragments import read_rows
from tla2py.store.store import Store
from tla2py.store.write import table_files
from tla2py.sweep.judge import code_of, worst
from tla2py.sweep.load import module_sections, relative_name, sweep_of_sections
from tla2py.sweep.sweep import Sweep
from tla2py.tlc.output.collector import REMARK
from tla2py.tlc.output.result import interpret_record
from tla2py.tlc.process.command import input_path

_EXAMPLE = "example: tla2py validate Trace.tla traces/*.ndjson"


def sweep_of_logs(
    files: Sequence[Path], model: ModelOptions, options: SweepOptions, *, listener: Listener = SILENT
) -> Sweep:
    """The sweep of a module over logs, or that of a sweep file with ``[logs]``.

    Raises InputError (``usage``), and as ``SweepOptions.load`` does.
    """
    module, *logs = files
    if module.suffix != ".tla":
        if logs or model != ModelOptions():
            raise InputError("usage", "a sweep file names its own logs and config", hint=_EXAMPLE)
        [sweep] = options.load([module], listener=listener)
        if not sweep.logs.logs:
            raise InputError("usage", f"{module} names no logs", hint="write files = [...] under [logs]")
        return sweep
    if not logs:
        raise InputError("usage", f"no log for {module}", hint=_EXAMPLE)
    translate = options.translator(listener)
    sections = _sections(module, logs, model, options.libraries)
    path = module.with_suffix(".logs.toml")
    inputs = given_files(model.inputs, module)
    sweep = sweep_of_sections(path, sections, inputs=inputs, translate=translate, no_lint=options.no_lint)
    return options.apply(sweep)


def _sections(
    module: Path, logs: Sequence[Path], model: ModelOptions, libraries: Sequence[Path]
) -> dict[str, Any]:
    """The sections of a sweep file beside a module. Raises InputError (``constant-syntax``, ``variable-name``)."""

    def names(paths: Iterable[Path]) -> list[str]:
        return list(dict.fromkeys(relative_name(path, module) for path in paths))

    accepted: dict[str, Any] = {}
    # To accept all of a kind counts more than to accept one.
    for code, dot, name in (each.partition(".") for each in sorted(model.accept, reverse=True)):
        accepted[code] = {**accepted.get(code, {}), name: "--accept"} if dot else "--accept"
    beside = module.with_suffix(".cfg")
    config = model.config or (beside if beside.is_file() else None)
    tables = {
        "constants": given_constants(model.constants),
        "environment": dict(given_variables(model.environment)),
        "logs": {"files": names(logs)},
        "accept": accepted,
    }
    return {
        **module_sections(
            module, config=relative_name(config, module) if config is not None else None, libraries=libraries
        ),
        **{name: table for name, table in tables.items() if table},
    }


def log_results(store: Store) -> list[LogRow]:
    """The rows of ``logs``, in grid order."""
    names = [field.name for field in fields(LogRow)]
    rows = (dict(zip(names, row, strict=True)) for row in read_rows(table_files(store, "logs"), names))
    return [msgspec.convert(row, LogRow) for row in rows]


def log_objects(rows: Sequence[LogRow], runs: Sequence[RunRow]) -> list[dict[str, object]]:
    """The rows as ``validate --json`` prints them, each with the message of its run."""
    return [
        asdict(row) | {"verdict": row.verdict.value, "message": run.message}
        for row, run in zip(rows, runs, strict=True)
    ]


def log_remarks(store: Store) -> list[tuple[Place, str]]:
    """The remarks on the lines of logs, each with its first place."""
    columns = ("code", "severity", "file", "line", "text")
    found: dict[str, Place] = {}
    for code, severity, file, line, text in read_rows(table_files(store, "diagnostics"), columns):
        if code == REMARK and severity == "warning":
            found.setdefault(text, Place(file=file, line=line))
    return [(place, text) for text, place in found.items()]


def log_why(store: Store, run_id: str) -> tuple[LogWhy | None, LogTrace | None]:
    """How TLC took the lines of a run's log, and a behaviour that gets furthest; None for a run that was not asked.

    Raises StoreError (``record-damaged``, ``input-lost``).
    """
    with store.archive(run_id) as archive:
        record = archive.record
        why, log = read_log_why(record, archive.stdout), record.inputs.log
        if why is None or log is None:
            return None, None
        progress = interpret_record(record, archive.stdout).progress
        # Imported on use, with Arrow.
        from tla2py.store.derive import log_text

        return why, log_trace(why, line_numbers(log, progress, log_text(log, store.storage, record)))


def coverage_of(store: Store, runs: Iterable[RunRow]) -> Mapping[str, int]:
    """How many lines each action of the specification explained, over all logs; empty if that of one is not known."""
    found, known = Counter[str](), set[str]()
    names = ("run_id", "kind", "name", "generated")
    for run_id, kind, name, lines in read_rows(table_files(store, "coverage"), names):
        if kind == "log":
            found[name] += lines
            known.add(run_id)
    answered = {row.run_id for row in runs if row.verdict in (Verdict.HOLDS, Verdict.VIOLATED)}
    return found if known >= answered else {}


def validation_code(rows: Sequence[LogRow]) -> ExitCode:
    """The exit code of a validation: as of a check, the worst of its logs."""
    return worst([ExitCode.OK, *(code_of(row.verdict) for row in rows if row.verdict is not Verdict.HOLDS)])


def log_lines(store: Store, run_id: str) -> dict[int, str]:
    """The lines of a run's log by number."""
    rows = read_rows(table_files(store, "log_lines"), ["run_id", "line", "text"])
    return {line: text for run, line, text in rows if run == run_id}


def line_texts(sweep: Sweep, rows: Sequence[LogRow]) -> Iterator[str | None]:
    """For each log, the text of the first line that no behaviour explains."""
    kept = {file.path: input_path(file.sha256) for file in sweep.logs.kept}
    for row in rows:
        place = Place.parse(row.place or "")
        if place.line is None or place.file not in kept:
            yield None
            continue
        with kept[place.file].open(encoding="utf-8", errors="replace") as lines:
            yield next((text.rstrip() for number, text in enumerate(lines, 1) if number == place.line), None)
