"""A check: one run of one model, without a store."""

from __future__ import annotations

import json
import os
import shlex
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from tla2py.errors import ExitCode, InputError
from tla2py.execution.execute import RunExecution
from tla2py.execution.listener import SILENT, Listener
from tla2py.execution.plain import PlainCommands
from tla2py.execution.preflight import checked_plan
from tla2py.execution.progress import RunProgress, follow_run
from tla2py.execution.sweeps import SweepOptions
from tla2py.model.finding import Severity
from tla2py.model.model import Config
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.run import WORK, Limits, Run, RunRecord, RunResult, TlcOptions
from tla2py.model.trace import Trace
from tla2py.store import rows
from tla2py.sweep.axes import check_names, replaces_definition
from tla2py.sweep.file import OptionText, SweepFile
from tla2py.sweep.grid import Points
from tla2py.sweep.judge import code_of
from tla2py.sweep.options import given_files, given_values, path_in_run
from tla2py.sweep.sections import FilesSection, ModelSection, Sections
from tla2py.sweep.selection import Selection
from tla2py.sweep.specification import Specification
from tla2py.sweep.sweep import Sweep
from tla2py.tla.graph import ModuleGraph
from tla2py.tlc.config.read import config_beside, read_config
from tla2py.tlc.config.render import default_template
from tla2py.tlc.config.statements import MISTAKE_CODES
from tla2py.tlc.output.prints import PrintFollower
from tla2py.tlc.places import OptionTexts, Origins, SourcePlaces, located
from tla2py.tlc.process.command import check_variable
from tla2py.tlc.tools.community import (
    class_file,
    community_classes,
    load_specification,
    override_modules,
    read_override,
)
from tla2py.tlc.tools.jar import Jar
from tla2py.tlc.tools.toolchain import find_toolchain


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """The parts of a check's model that override a config.

    ``constants`` and ``environment`` are written ``NAME=VALUE``; ``overrides`` are jars or folders of Java classes;
    ``inputs`` are files that the run may read. ``accept`` are findings written ``CODE.NAME``, or ``CODE`` for all of a kind.
    """

    config: Path | None = None
    constants: Sequence[str] = ()
    invariants: Sequence[str] = ()
    properties: Sequence[str] = ()
    specification: str | None = None
    init: str | None = None
    next: str | None = None
    check_deadlock: bool | None = None
    overrides: Sequence[Path] = ()
    environment: Sequence[str] = ()
    inputs: Sequence[Path] = ()
    accept: Sequence[str] = ()


def with_named_files(
    model: ModelOptions, texts: Sequence[str], module: Path | None = None, *, say: Callable[[str], None]
) -> ModelOptions:
    """The options of a command with the files that its variables name as inputs; each is reported to ``say``.

    A value that has a slash or an ending and is the path of a file becomes the file's path in the run's folder, as
    ``given_files`` chooses it. The variables ``texts`` keep their values.
    """
    inputs, variables = [*model.inputs], list[str]()
    given = {path_in_run(file, module) for file in inputs}
    for text in model.environment:
        name, _, value = text.partition("=")
        path = path_in_run(Path(value), module)
        named = "/" in value or Path(value).suffix
        # False for a text too long for a path, at which Path.is_file fails.
        if named and value not in given and os.path.isfile(value):  # noqa: PTH113
            inputs.append(Path(value))
            say(f"{name}: the run gets a copy of {value} as {path}; --env-text gives the text alone")
            variables.append(f"{name}={path}")
        else:
            variables.append(text)
    return replace(model, environment=(*variables, *texts), inputs=tuple(inputs))


def given_variables(texts: Sequence[str]) -> dict[str, str]:
    """The values of ``--env NAME=VALUE``, by name. Raises InputError (``variable-name``)."""
    found = {}
    for text in texts:
        name, _, value = text.partition("=")
        if "=" not in text:
            hint = "example: --env LOG=log.ndjson"
            raise InputError("variable-name", f"not NAME=VALUE: {text!r}", hint=hint)
        check_variable("environment", name, None)
        found[name] = value
    return dict(sorted(found.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The result of a check: its record and what it means.

    ``config`` is the config that it started from, ``filled`` are the constants that nothing assigns, ``sources`` the texts
    of its modules by sha256. ``planned`` is the run, its module and its jar, None for a record that was read back.
    ``command`` repeats it with plain TLC in a shell, None for a record that was read back.
    """

    record: RunRecord
    result: RunResult
    config: Path | None = None
    filled: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict, repr=False)
    planned: tuple[Run, ModuleGraph, Jar] | None = None
    command: str | None = None

    @property
    def outcome(self) -> Outcome:
        """The outcome as TLC names it."""
        return self.result.outcome

    @property
    def verdict(self) -> Verdict:
        """The verdict on the model."""
        return self.result.verdict

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of ``tla2py check``."""
        good = self.verdict is Verdict.HOLDS or self.result.simulated
        return ExitCode.OK if good else code_of(self.verdict)

    @property
    def traces(self) -> tuple[Trace, ...]:
        """The counterexamples, in the order that TLC found them."""
        return self.result.traces

    @property
    def prints(self) -> tuple[str, ...]:
        """The first 1,000 values that Print, PrintT or an Assert printed."""
        return self.result.prints

    def to_json(self) -> str:
        """One object: the columns of ``runs``, ``traces`` with ``states``, ``diagnostics``, ``prints``, the ``config`` that TLC read.

        ``command`` repeats the check with plain TLC in a shell.
        """
        run_id, found = self.record.run_id, rows.run_row(self.record, self.result)
        row = {**rows.row_columns(found), "violated": rows.violated_objects(found)}
        row["prints"] = list(self.result.prints)
        row["config"] = self.record.executions[0].config_text
        row["command"] = self.command
        row["traces"] = [
            rows.trace_object(run_id, number, trace) for number, trace in enumerate(self.traces, 1)
        ]
        row["diagnostics"] = list(rows.diagnostic_rows(run_id, self.result))
        return json.dumps(row, ensure_ascii=False, default=str)


def check_sweep(
    module: Path, model: ModelOptions, options: SweepOptions, listener: Listener = SILENT
) -> Sweep:
    """The sweep of one point that a check of a module is: its config, named or beside it, overridden by the options.

    Raises InputError as ``load_specification``, ``read_config``, ``read_override``, ``given_values``,
    ``given_variables``, ``given_files``, ``check_names`` and ``SweepOptions.apply`` do, and ``usage``.
    """
    overrides = tuple(read_override(path) for path in model.overrides)
    translate = options.translator(listener)
    libraries = (*options.libraries, *map(override_modules, overrides))
    spec = load_specification(module, libraries, translate=translate)
    given = given_values(model.constants)
    behaviour = tuple(name for name in (model.specification, model.init, model.next) if name)
    alone = not (given or model.invariants or model.properties or behaviour)
    named = model.config or config_beside(module)
    ignored = MISTAKE_CODES if options.no_lint else ()
    config = read_config(named, ignored, verbatim=alone) if named is not None else None
    base = config.config if config is not None else Config()
    _check_behaviour(model, base)
    replaced = {name for name in given if replaces_definition(name, [spec])}
    sections = Sections(
        module=module.name,
        config=os.path.relpath(named, module.parent) if named is not None else None,
        model=ModelSection(
            specification=model.specification,
            init=model.init,
            next=model.next,
            invariants=list(model.invariants),
            properties=list(model.properties),
            check_deadlock=model.check_deadlock,
        ),
        constants={name: text for name, text in given.items() if name not in replaced},
        substitutions={name: text for name, text in given.items() if name in replaced},
        environment={**given_variables(model.environment)},
        inputs=FilesSection(files=[_INPUT]),
    )
    specs = {module.name: spec}
    file = SweepFile(path=module, sections=sections, source=CheckText(module))
    try:
        check_names(file, specs)
    except InputError as error:
        # Options have no place that an edit could mend.
        raise InputError(error.code, error.message, hint=error.hint) from error
    added = (
        ("invariants", base.invariants, model.invariants),
        ("properties", base.properties, model.properties),
    )
    lists = {key: list(dict.fromkeys((*names, *more))) if more else None for key, names, more in added}
    file = file.with_sections(model=msgspec.structs.replace(file.sections.model, **lists))
    # A config that tla2py does not read whole goes to TLC as it is.
    sweep = Sweep(
        name=module.stem,
        file=file,
        specification=Specification(
            modules=specs,
            configs={config.path.name: config} if config is not None else {},
            overrides=overrides,
            community=community_classes([spec]),
            input_files={_INPUT: given_files(model.inputs)},
        ),
        selection=Selection(
            options=TlcOptions(overrides=tuple(map(class_file, overrides))),
            limits=Limits(timeout_seconds=600.0, memory_bytes=2 * 1024**3),
            no_lint=options.no_lint,
        ),
        parameters=(),
        points=Points.of((), [{}]),
        template=f"{{% raw %}}{config.text}{{% endraw %}}"
        if config is not None and config.verbatim
        else default_template(),
    )
    return options.apply(sweep)


class CheckText(OptionText):
    """The options of a check, which names its behaviour and its constants by options too."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "")
        self.text = ""

    def assignment(self, name: str, text: str) -> str:
        """The option that gives a constant a value."""
        return f"-c {shlex.quote(f'{name}={text}')}"

    def setting(self, key: str, name: str) -> str:
        """The option that names a definition."""
        return f"--{key} {name}"


# The name under which the sweep of a check has its input files.
_INPUT = "--input"


def _check_behaviour(model: ModelOptions, config: Config) -> None:
    if not (model.init or model.next):
        return
    if model.specification:
        hint = "give either --specification, or --init and --next"
        raise InputError("usage", "--specification excludes --init and --next", hint=hint)
    if not ((model.init or config.init) and (model.next or config.next)):
        missing = "next" if model.init else "init"
        raise InputError("usage", "--init and --next go together", hint=f"add --{missing} NAME")


def run_check(
    module: Path,
    model: ModelOptions,
    options: SweepOptions,
    *,
    listener: Listener = SILENT,
    report: Callable[[RunProgress], None] | None = None,
    show: Callable[[str], None] | None = None,
    cancelled: threading.Event | None = None,
) -> Checked:
    """The result of one run of TLC on a module; it means nothing once ``cancelled`` is set, which stops TLC.

    ``report`` is called with its progress once a second, ``show`` with each value that Print or PrintT prints.
    Raises InputError as ``SweepOptions.check_tools``, ``check_sweep`` and
    ``run_sweeps`` do, and ToolchainError as ``find_toolchain`` does.
    """
    options.check_tools()
    sweep = check_sweep(module, model, options, listener)
    modules = [
        each.path
        for spec in sweep.specification.modules.values()
        for each in spec.modules
        if each.path is not None
    ]
    listener.reached([*modules, *model.inputs, *model.overrides])
    config = next(iter(sweep.specification.configs.values()), None)
    written = OptionTexts(
        constants=given_values(model.constants),
        expressions=dict.fromkeys(model.invariants, "--invariant ...")
        | dict.fromkeys(model.properties, "--property ..."),
        config=config.path if config is not None else None,
        verbatim=config is not None and config.verbatim,
    )
    output = _prints(show) if show is not None else None
    checked = _check(
        sweep, 1, options, listener, written=written, output=output, report=report, cancelled=cancelled
    )
    return replace(checked, config=written.config, filled=sweep.model(sweep.points[0]).filled)


def check_point(
    sweep: Sweep,
    options: SweepOptions,
    *,
    listener: Listener,
    show: Callable[[str], None] | None,
    cancelled: threading.Event | None,
) -> Checked:
    """The result of the one point of a sweep that runs; ``show`` is called with each line of TLC's output.

    ``cancelled`` stops TLC; the result then means nothing. Raises InputError (``usage``) if several points are left,
    and as ``run_sweeps`` does.
    """
    listener.reached(_files(sweep))
    if len(sweep.numbers) > 1:
        problem = f"check runs one point, but {len(sweep.numbers):,} are left"
        raise InputError("usage", problem, hint=f"name one of them: --points {sweep.numbers[0]}")
    [number] = sweep.numbers
    written = sweep.places(sweep.points[number - 1].parameters)
    output = _lines(show) if show is not None else None
    return _check(sweep, number, options, listener, written=written, output=output, cancelled=cancelled)


def _check(
    sweep: Sweep,
    number: int,
    options: SweepOptions,
    listener: Listener,
    *,
    written: SourcePlaces,
    output: Callable[[Path], None] | None,
    report: Callable[[RunProgress], None] | None = None,
    cancelled: threading.Event | None,
) -> Checked:
    """The result of a point, after the checks that a sweep makes: what makes its answers worthless is refused."""
    toolchain = find_toolchain(options.tla2tools)
    sweep, plan, found = checked_plan(sweep, toolchain, listener)
    for finding in found:
        if finding.ignored and finding.severity is Severity.ERROR:
            listener.warned(finding.as_note())
    run = plan.runs[number - 1]
    follow = follow_run(run, report) if report is not None else None

    def watch(stdout: Path, memory_bytes: int) -> None:
        if output is not None:
            output(stdout)
        if follow is not None:
            follow(stdout, memory_bytes)

    toolchain = replace(toolchain, overrides=sweep.specification.classes)
    execution = RunExecution(run, plan.sources, toolchain, cancelled=cancelled, watch=watch)
    with execution.executed() as executed:
        for folder in executed.folders:
            if output is not None:
                output(folder / "stdout.txt")
        origins = Origins(paths=plan.paths, text=plan.sources.__getitem__, written=written)
        plain = PlainCommands(sweep=sweep, libraries=options.libraries, toolchain=toolchain)
        # A check of a module has no sweep file that 'tla2py cfg' could read.
        from_file = sweep.file.path.suffix != ".tla"
        command = (
            plain.of_point(plan.points[number - 1].index, run)
            if from_file
            else plain.of_module(run, plan.sources, plan.paths)
        )
        return Checked(
            record=executed.record,
            result=located(executed.record, executed.result, origins),
            sources=plan.sources,
            command=command,
            planned=(run, sweep.spec(sweep.points[number - 1].parameters), toolchain.jar),
        )


def _files(sweep: Sweep) -> Iterator[Path]:
    """The files that a sweep reads, except Java classes."""
    yield from (config.path for config in sweep.specification.configs.values())
    for spec in sweep.specification.modules.values():
        yield from (module.path for module in spec.modules if module.path is not None)
    for files in sweep.specification.input_files.values():
        yield from (sweep.file.folder / file.path for file in files)
    yield from (sweep.file.folder / log.path for log in sweep.specification.logs.kept)


def _prints(show: Callable[[str], None]) -> Callable[[Path], None]:
    """What shows the values that TLC has printed since its last call."""
    follower = PrintFollower()

    def look(stdout: Path) -> None:
        # Later executions print the same.
        if stdout.parent.name == "1":
            for text in follower.read(stdout):
                show(text)

    return look


# The lines with which TLC frames each message of its ``-tool`` output.
_FRAME = b"@!@!@"


def _lines(show: Callable[[str], None]) -> Callable[[Path], None]:
    """What shows the lines that TLC has written since its last call, without frames and the name of its folder."""
    read: dict[Path, int] = {}

    def look(stdout: Path) -> None:
        folder = f"{stdout.parent / WORK}{os.sep}"
        with stdout.open("rb") as stream:
            stream.seek(read.get(stdout, 0))
            for line in stream:
                if not line.endswith(b"\n"):
                    break
                read[stdout] = read.get(stdout, 0) + len(line)
                if not line.startswith(_FRAME):
                    show(line.decode("utf-8", "replace").replace(folder, ""))

    return look
