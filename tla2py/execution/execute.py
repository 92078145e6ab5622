"""Execution of a run: its folders, the processes of TLC and its record."""

from __future__ import annotations

import errno
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, asdict, dataclass, field, replace
from pathlib import Path

from tla2py.errors import InputError, StoreError
from tla2py.execution.lasso import Verification, plan_verification
from tla2py.execution.silence import other_toolchains
from tla2py.execution.trace_module import FOLLOWING
from tla2py.logs.files import write_log_module
from tla2py.logs.probe import PROBE, LogProbe
from tla2py.logs.why import probe_of
from tla2py.model.logs import LogContent, LogRemark
from tla2py.model.model import Config, InputFile
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.run import (
    WORK,
    ExecutedRun,
    Execution,
    Purpose,
    Run,
    RunRecord,
    RunResult,
    TerminationReason,
    TlcOptions,
)
from tla2py.tla.parse import load_texts
from tla2py.tla.temporal_form import conjunct_names
from tla2py.tlc.config.render import default_template, render_config
from tla2py.tlc.output.collector import with_notes
from tla2py.tlc.output.messages import is_ended, with_log
from tla2py.tlc.output.result import (
    combine,
    interpret_execution,
    is_verified,
    unnamed,
    without_found,
    without_liveness,
)
from tla2py.tlc.output.silence import is_silent, is_telling
from tla2py.tlc.output.trivial import false_definition, is_trivially_false
from tla2py.tlc.process import command, pool, process
from tla2py.tlc.process.bubblewrap import DISK_FULL, DiskQuota, is_full, reports_full_disk
from tla2py.tlc.process.host import FOLDER
from tla2py.tlc.process.reaper import scratch_folder
from tla2py.tlc.process.sandbox import java_sandbox, missing_walls
from tla2py.tlc.tools.community import IO_UTILS, planned_overrides
from tla2py.tlc.tools.toolchain import Toolchain


@dataclass(slots=True)
class RunExecution:
    """The executions of TLC for one run, each in a folder of its own.

    ``sources`` are module texts by their sha256; ``input_file`` finds an input by its sha256. ``watch`` is called
    now and then while TLC runs. ``warm`` allows a JVM that several runs share, which is faster. ``slots`` is how many
    runs this machine executes at once, see ``DiskQuota``.
    """

    run: Run
    sources: Mapping[str, str]
    toolchain: Toolchain
    _: KW_ONLY
    cancelled: threading.Event | None = None
    watch: process.Watch | None = None
    warm: bool = False
    slots: int = 1
    input_file: Callable[[str], Path] = command.input_path
    base: Path = Path()
    folders: list[Path] = field(default_factory=list)
    outputs: tuple[InputFile, ...] = ()
    dropped: tuple[str, ...] = ()
    remarks: tuple[LogRemark, ...] = ()
    content: LogContent | None = None
    executions: list[Execution] = field(default_factory=list)
    results: list[RunResult] = field(default_factory=list)

    @contextmanager
    def executed(self) -> Iterator[ExecutedRun]:
        """What they gave; their folders are deleted when the block ends.

        A failure of TLC is a result; a full disk raises StoreError (``disk-full``).
        """
        run, toolchain = self.run, self.toolchain
        self.toolchain = replace(toolchain, overrides=planned_overrides(toolchain, run.options))
        with scratch_folder("tla2py-") as self.base:
            self._execute_all()
            record = RunRecord(
                run_id=run.run_id,
                main=run.main,
                modules=run.modules,
                options=run.options,
                limits=run.limits,
                jar_sha256=toolchain.jar.sha256,
                executions=tuple(self.executions),
                originals=run.originals,
                inputs=run.inputs,
                outputs=self.outputs,
                dropped=self.dropped,
                remarks=self.remarks,
                content=self.content,
                assertions=run.assertions,
                safety=run.safety,
                liveness=run.liveness,
                assumptions=run.assumptions,
                expressions=run.config.expressions,
            )
            result = combine(self.executions, self.results, record)
            result = with_log(result, run.inputs.log, self.content)
            yield ExecutedRun(
                record=record,
                folders=tuple(self.folders),
                result=with_notes(result, record),
                cancelled=self._is_cancelled,
            )

    @property
    def _is_cancelled(self) -> bool:
        return self.cancelled is not None and self.cancelled.is_set()

    def _execute_all(self) -> None:
        """Execute the run, with ``find = "each"`` go on without what was found, and ask about a log."""
        run = self.run
        config = run.config
        first = result = self._execute("run", run.config, run.config_text)
        while is_trivially_false(result) and config.properties and not self._is_cancelled:
            # TLC computed no state, and does not say whether the property or the specification is FALSE.
            trivial = self._trivially_false(config, result)
            config = replace(config, properties=_without(config.properties, trivial))
            first = result = self._execute("rest", config)
        if self._is_made_up(result, config) and not self._is_cancelled:
            # TLC stopped at it, and did not simulate what it was to simulate.
            config = replace(config, properties=self._without_liveness(result))
            first = result = self._execute("rest", config)
            if self._is_made_up(result, config):
                result = without_liveness(result)
        remaining: Config | None = config
        while remaining is not None and not self._is_cancelled:
            config = remaining
            names = [v.name for v in result.violations]
            if any(unnamed(v) for v in result.violations):
                names += self._violated_properties(config)
            log = run.inputs.log
            # Properties, of which a log that is explained is no proof, have no answer if the end of the log stopped TLC.
            ended = log is not None and not log.stated and bool(config.properties) and is_ended(result, log)
            each = run.options.find == "each" or ended
            remaining = without_found(config, result, names) if each else None
            if remaining is not None:
                result = self._execute("further", remaining)
        if is_silent(first) and not self._is_cancelled:
            self._ask_other_tlcs(config)
        # TLC may be unable to evaluate the specification's own relation.
        for enabled in (True, False):
            probe = None if self._is_cancelled else probe_of(run, self.sources, first, enabled=enabled)
            if probe is None or self._execute("log", probe.config, probe=probe).verdict is not Verdict.BROKEN:
                break

    def _ask_other_tlcs(self, config: Config) -> None:
        """Execute a config with other TLCs of this machine until one says why TLC stopped."""
        own, warm = self.toolchain, self.warm
        text = self.run.config_text if config == self.run.config else None
        self.warm = False
        try:
            for other in other_toolchains(own):
                self.toolchain = other
                if self._is_cancelled or is_telling(self._execute("message", config, text)):
                    break
        finally:
            self.toolchain, self.warm = own, warm

    def _trivially_false(self, config: Config, result: RunResult) -> list[str]:
        """Return the properties that TLC takes for FALSE because of the definition that its message names.

        Each is confirmed by a run that checks only that one. If there is none, or only one property, they are all.
        """
        properties = list(config.properties)
        if len(properties) == 1:
            return properties
        trivial = []
        for name in self._naming_as_conjunct(properties, false_definition(result)):
            if self._is_cancelled:
                break
            single = replace(config, properties=(name,), invariants=(), check_deadlock=False)
            if is_trivially_false(self._execute("trivial", single)):
                trivial.append(name)
        return trivial or properties

    def _naming_as_conjunct(self, properties: list[str], definition: str) -> list[str]:
        """Return the properties of which a definition is a conjunct, all if that cannot be told from the text."""
        names = {text: name for name, text in self.run.config.expressions}
        texts = {name: self.sources[sha256] for name, sha256 in self.run.modules}
        try:
            spec = load_texts(self.run.main, texts)
        except InputError:
            return properties
        found = [each for each in properties if definition in conjunct_names(names.get(each, each), spec)]
        return found or properties

    def _violated_properties(self, config: Config) -> list[str]:
        """The violated properties, each found by a run that checks only that one."""
        found = []
        for name in config.properties:
            if self._is_cancelled:
                break
            single = replace(config, properties=(name,), invariants=(), check_deadlock=False)
            result = self._execute("attribution", single)
            if result.violations and not self._is_made_up(result, single):
                found.append(name)
        return found

    def _is_made_up(self, result: RunResult, config: Config) -> bool:
        """Return whether a simulation reports a violation of liveness that TLC does not confirm."""
        traces = [each for each in result.traces if each.kind == "temporal_property"]
        if not traces or self.run.options.mode == "check":
            return False
        verification = plan_verification(self.run, self.sources, traces[0], config.properties)
        checks = []
        if verification is not None and not self._is_cancelled:
            checks.append(self._execute("verify", verification.property, added=verification))
        if verification is not None and checks and checks[0].violations:
            checks.append(self._execute("verify", verification.specification, added=verification))
        return not is_verified(result, checks)

    def _without_liveness(self, result: RunResult) -> tuple[str, ...]:
        """Return the properties of the run without those that a made-up violation may be one of."""
        reported = {each.name for each in result.traces if each.kind == "temporal_property"}
        if "" in reported:
            return ()
        dropped = {*self.run.liveness, *reported}
        return tuple(name for name in self.run.config.properties if name not in dropped)

    def _execute(
        self,
        purpose: Purpose,
        config: Config,
        text: str | None = None,
        probe: LogProbe | None = None,
        added: Verification | None = None,
    ) -> RunResult:
        folder = self.base / str(len(self.folders) + 1)
        if text is None:
            text = render_config(config, default_template() if added is not None else self.run.template)
        try:
            execution = self._execute_in(folder, purpose, config, text, probe, added)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise self._disk_full() from error
            raise
        with (folder / "stdout.txt").open("rb") as lines:
            named = self.run.config.expressions
            result = interpret_execution(
                execution, self.run.options, lines, self.run.assertions, named, self.run.assumptions
            )
        # An error of TLC that could not write is not an answer.
        failed = result.outcome is Outcome.ERROR and reports_full_disk(folder)
        if failed or execution.termination_reason == DISK_FULL:
            raise self._disk_full()
        self.folders.append(folder)
        self.executions.append(execution)
        self.results.append(result)
        return result

    def _disk_full(self) -> StoreError:
        return StoreError(
            "disk-full",
            f"the disk of TLC's working folder is full: {self.base.parent}",
            hint="free some space, or set TMPDIR to a folder with room; recorded runs are kept; the same command executes the rest",
        )

    def _execute_in(
        self,
        folder: Path,
        purpose: Purpose,
        config: Config,
        text: str,
        probe: LogProbe | None,
        added: Verification | None,
    ) -> Execution:
        work = folder / WORK
        (work / "tmp").mkdir(parents=True)
        for name, sha256 in self.run.modules:
            (work / name).write_text(self.sources[sha256], encoding="utf-8")
        for name, changed in probe.texts.items() if probe is not None else ():
            (work / name).write_text(changed, encoding="utf-8")
        for name, changed in added.texts.items() if added is not None else ():
            (work / name).write_text(changed, encoding="utf-8")
        (work / command.CONFIG_NAME).write_text(text, encoding="utf-8")
        self._place_inputs(work)
        self.remarks, self.content = write_log_module(self.run.inputs, self.run.config, work)
        refused = self.run.refused or next((each.text for each in self.remarks if each.refuses), None)
        outputs = process.Outputs(work)
        first = purpose == "run"
        options = replace(
            self.run.options,
            check_deadlock=config.check_deadlock,
            graph=self.run.options.graph and first,
            behaviours=self.run.options.behaviours and first,
        )
        if probe is not None:
            others = (each for each in options.options if each != command.CONTINUE)
            options = replace(options, coverage=False, options=(*others, command.CONTINUE))
        if added is not None:
            options = TlcOptions(
                check_deadlock=False, java_options=options.java_options, overrides=options.overrides
            )
        if options.behaviours:
            (work / command.BEHAVIOURS).mkdir()
        if refused is None:
            main = self.run.main if probe is None else PROBE
            main = main if added is None else FOLLOWING
            argv, ended = self._execute_tlc(work, main, options, folder)
        else:
            argv, ended = (), process.not_started(folder, refused)
        if options.behaviours:
            process.join_files(work / command.BEHAVIOURS, folder / f"{command.BEHAVIOURS}.txt")
        if options.graph and work / command.GRAPH in process.regular_files(work):
            (work / command.GRAPH).replace(folder / command.GRAPH)
        for leftover in ("states", "tmp", command.BEHAVIOURS):
            shutil.rmtree(work / leftover, ignore_errors=True)
        if first:
            self.outputs, self.dropped = outputs.written(self.run.inputs.outputs)
        return Execution(
            purpose=purpose,
            argv=argv,
            config_text=text,
            invariants=config.invariants,
            properties=config.properties,
            check_deadlock=config.check_deadlock,
            parts=() if probe is None else probe.parts,
            **(asdict(ended) | {"walls": ended.walls}),
        )

    def _shareable(self) -> bool:
        """Whether the run's Java classes give the same results in a JVM that runs share."""
        official = all(override.official for override in self.toolchain.overrides)
        # Only a trusted run may start programs.
        started = self.run.limits.trust and any(name == IO_UTILS for name, _ in self.run.modules)
        return official and not started

    def _place_inputs(self, folder: Path) -> None:
        for name in {path.partition("/")[0] for path, _ in self.run.inputs.files if "/" in path}:
            shutil.rmtree(folder / name, ignore_errors=True)
        command.place_inputs(self.run.inputs, folder, self.input_file)

    def _execute_tlc(
        self, folder: Path, main: str, options: TlcOptions, streams: Path
    ) -> tuple[tuple[str, ...], process.ProcessEnd]:
        """Run TLC in ``folder``, in a shared JVM if that is allowed and works, else in a process of its own."""
        # The walls of this machine may differ from those of the driver's.
        if (reason := missing_walls(self.run.limits)) is not None:
            return (), process.not_started(streams, f"The sandbox is incomplete: {reason}.")
        toolchain, limits, watch, inputs = self.toolchain, self.run.limits, self.watch, self.run.inputs
        java, jar = toolchain.java.path, toolchain.jar.path
        classes, properties = [override.copy for override in toolchain.overrides], inputs.java_properties

        def argv_in(place: Path, jvm: Sequence[str]) -> tuple[str, ...]:
            return command.build_argv(
                java, jar, place, main, options, limits, jvm, classes, properties=properties
            )

        warm = self.warm and pool.suits(options, inputs) and self._shareable()
        if warm:
            argv = argv_in(FOLDER, pool.HOST_OPTIONS)
            done = pool.execute_warm(argv, folder, streams, limits, self.cancelled, inputs, watch)
            if done is not None:
                return done
            # The run may have changed them.
            self._place_inputs(folder)
        quota = DiskQuota(streams, limits.disk_bytes, self.slots)

        def look(resident: int) -> TerminationReason | None:
            if watch is not None:
                watch(streams / "stdout.txt", resident)
            return quota.look()

        archive = pool.class_archive(toolchain)
        argv = argv_in(folder, (*command.COMPILE_LATER, *(pool.archive_options(archive) if archive else ())))
        files = [jar, *classes, *([archive] if archive else [])]
        ended = process.execute_argv(
            argv,
            folder,
            streams,
            timeout_seconds=limits.timeout_seconds,
            memory_bytes=limits.memory_bytes,
            cancelled=self.cancelled,
            watch=look,
            predict=process.exit_status if process.ends_predictably(options) and not inputs.outputs else None,
            sandbox=None if limits.trust else java_sandbox(java, folder, files),
            variables=dict(inputs.environment),
        )
        if is_full(folder):
            ended = replace(ended, termination_reason=DISK_FULL)
        if warm:
            pool.note_cold(ended.cpu_seconds)
        return argv, ended


def _without(names: tuple[str, ...], dropped: list[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in dropped)
