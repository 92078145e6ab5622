"""Executing a run: its folder, its processes, the further runs it calls for, and its record."""

from __future__ import annotations

import errno
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tla2py.config.render import render_config
from tla2py.errors import StoreError
from tla2py.model.config import Config
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.result import Executed, RunResult
from tla2py.model.run import Execution, Purpose, Run, RunRecord, TerminationReason, TlcOptions
from tla2py.tlc.command import BEHAVIOURS, COMPILE_LATER, build_argv
from tla2py.tlc.ending import ends_predictably, exit_status
from tla2py.tlc.jvm.class_archive import archive_options, class_archive
from tla2py.tlc.jvm.host import FOLDER
from tla2py.tlc.jvm.pool import HOST_OPTIONS, execute_warm, note_cold, suits
from tla2py.tlc.output.result import combine, interpret_execution, unnamed
from tla2py.tlc.process import Ended, execute_argv
from tla2py.tlc.sandbox.quota import DISK_FULL, DiskQuota, is_full, reports_full_disk
from tla2py.tlc.sandbox.reaper import scratch_folder
from tla2py.tlc.sandbox.sandbox import java_sandbox
from tla2py.toolchain.overrides import with_overrides
from tla2py.toolchain.toolchain import Toolchain

CONFIG_NAME = "MC.cfg"


@contextmanager
def execute_run(
    run: Run,
    sources: Mapping[str, str],
    toolchain: Toolchain,
    *,
    cancelled: threading.Event | None = None,
    watch: Callable[[Path], None] | None = None,
    warm: bool = False,
    slots: int = 1,
) -> Iterator[Executed]:
    """Execute a run and yield what happened; the folders are gone when the block ends.

    ``sources`` gives module texts by their sha256. ``watch`` is called now and then with the file that TLC is printing
    to. ``warm`` is for one of many runs: TLC may then be run by a JVM that stays for others, which is faster and of no
    other consequence. ``slots`` is how many runs this machine takes at once, see ``DiskQuota``. A failing TLC is data, never an exception; a disk without room for it is a StoreError
    (``disk-full``).
    """
    with scratch_folder("tla2py-") as base:
        folders: list[Path] = []
        executions: list[Execution] = []
        results: list[RunResult] = []

        def execute(purpose: Purpose, config: Config, text: str) -> RunResult:
            folder = base / str(len(folders) + 1)
            try:
                execution = _execute_once(
                    run,
                    sources,
                    toolchain,
                    folder,
                    purpose,
                    config,
                    text,
                    cancelled,
                    watch,
                    warm=warm,
                    slots=slots,
                )
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT):
                    raise _disk_full(base) from error
                raise
            with (folder / "stdout.txt").open("rb") as lines:
                result = interpret_execution(execution, run.options, lines)
            # What TLC says where it could not write is no answer.
            failed = result.outcome is Outcome.ERROR and reports_full_disk(folder)
            if failed or execution.termination_reason == DISK_FULL:
                raise _disk_full(base)
            folders.append(folder)
            executions.append(execution)
            results.append(result)
            return result

        result = execute("run", run.config, run.config_text)
        config: Config | None = run.config
        while config is not None and not _stopped(cancelled):
            names = [v.name for v in result.violations]
            if any(unnamed(v) for v in result.violations):
                names += _attribute(run, config, execute, cancelled)
            config = _without(config, result, names) if run.options.find == "each" else None
            if config is not None:
                result = execute("further", config, render_config(config, run.template))
        yield Executed(
            record=RunRecord(
                run_id=run.run_id,
                main=run.main,
                modules=run.modules,
                options=run.options,
                limits=run.limits,
                jar_sha256=toolchain.jar.sha256,
                executions=tuple(executions),
                originals=run.originals,
            ),
            folders=tuple(folders),
            result=combine(executions, results),
            cancelled=_stopped(cancelled),
        )


def _disk_full(folder: Path) -> StoreError:
    return StoreError(
        "disk-full",
        f"the disk is full on which TLC works, that of {folder.parent}",
        hint="free some space, or name a folder with room in TMPDIR; what is recorded stays, the same command does the rest",
    )


def _stopped(cancelled: threading.Event | None) -> bool:
    return cancelled is not None and cancelled.is_set()


def _attribute(
    run: Run,
    config: Config,
    execute: Callable[[Purpose, Config, str], RunResult],
    cancelled: threading.Event | None,
) -> list[str]:
    """The properties that are violated, each found by a run of its own."""
    found = []
    for name in config.properties:
        if _stopped(cancelled):
            break
        alone = replace(config, properties=(name,), invariants=(), check_deadlock=False)
        result = execute("attribution", alone, render_config(alone, run.template))
        found += [name] if result.violations else []
    return found


def _without(config: Config, result: RunResult, names: list[str]) -> Config | None:
    """The config without what was found, or None when there is nothing left to find."""
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


def _execute_once(
    run: Run,
    sources: Mapping[str, str],
    toolchain: Toolchain,
    folder: Path,
    purpose: Purpose,
    config: Config,
    text: str,
    cancelled: threading.Event | None,
    watch: Callable[[Path], None] | None,
    *,
    warm: bool,
    slots: int,
) -> Execution:
    (folder / "tmp").mkdir(parents=True)
    for name, sha256 in run.modules:
        (folder / name).write_text(sources[sha256], encoding="utf-8")
    (folder / CONFIG_NAME).write_text(text, encoding="utf-8")
    first = purpose == "run"
    options = replace(
        run.options,
        check_deadlock=config.check_deadlock,
        graph=run.options.graph and first,
        behaviours=run.options.behaviours and first,
    )
    if options.behaviours:
        (folder / BEHAVIOURS).mkdir()
    argv, ended = _execute_tlc(run, toolchain, folder, options, cancelled, watch, warm=warm, slots=slots)
    if options.behaviours:
        _join(sorted((folder / BEHAVIOURS).iterdir(), key=_number), folder / f"{BEHAVIOURS}.txt")
    for leftover in ("states", "tmp", BEHAVIOURS):
        shutil.rmtree(folder / leftover, ignore_errors=True)
    return Execution(
        purpose=purpose,
        argv=argv,
        config_text=text,
        invariants=config.invariants,
        properties=config.properties,
        check_deadlock=config.check_deadlock,
        exit_code=ended.exit_code,
        termination_reason=ended.termination_reason,
        started_at=ended.started_at,
        wall_seconds=ended.wall_seconds,
        cpu_seconds=ended.cpu_seconds,
        peak_memory_bytes=ended.peak_memory_bytes,
    )


def _execute_tlc(
    run: Run,
    toolchain: Toolchain,
    folder: Path,
    options: TlcOptions,
    cancelled: threading.Event | None,
    watch: Callable[[Path], None] | None,
    *,
    warm: bool,
    slots: int,
) -> tuple[tuple[str, ...], Ended]:
    """Run TLC on a host if that is wanted and works, else in a process of its own."""

    def argv_in(place: Path, jvm_options: Sequence[str]) -> tuple[str, ...]:
        java, jar = toolchain.java.path, toolchain.jar.path
        classes = [override.path for override in toolchain.overrides]
        return build_argv(java, jar, place, run.main, CONFIG_NAME, options, run.limits, jvm_options, classes)

    toolchain = with_overrides(toolchain, run.options)
    warm = warm and watch is None and suits(options) and not toolchain.overrides
    if warm:
        done = execute_warm(argv_in(FOLDER, HOST_OPTIONS), folder, run.limits, cancelled)
        if done is not None:
            return done
    quota = DiskQuota(folder, run.limits.disk_bytes, slots)

    def look() -> TerminationReason | None:
        if watch is not None:
            watch(folder / "stdout.txt")
        return quota.look()

    archive = class_archive(toolchain)
    argv = argv_in(folder, (*COMPILE_LATER, *(archive_options(archive) if archive else ())))
    files = [toolchain.jar.path, *(override.path for override in toolchain.overrides)]
    files += [archive] if archive else []
    ended = execute_argv(
        argv,
        folder,
        timeout_seconds=run.limits.timeout_seconds,
        memory_bytes=run.limits.memory_bytes,
        cancelled=cancelled,
        watch=look,
        predict=exit_status if ends_predictably(options) else None,
        sandbox=None if run.limits.trust else java_sandbox(toolchain.java.path, folder, files),
    )
    if is_full(folder):
        ended = replace(ended, termination_reason=DISK_FULL)
    if warm:
        note_cold(ended.cpu_seconds)
    return argv, ended


def _number(file: Path) -> list[int]:
    """The worker and the number in the name of a behaviour's file, ``b_0_12``."""
    return [int(part) for part in file.name.split("_") if part.isdigit()]


def _join(files: Iterable[Path], target: Path) -> None:
    """Put files together, one after the other, and remove them on the way."""
    with target.open("wb") as sink:
        for file in files:
            with file.open("rb") as source:
                shutil.copyfileobj(source, sink)
            file.unlink()
