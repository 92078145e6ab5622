"""A check: one run of one model, without a store."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tla2py.errors import ExitCode, InputError
from tla2py.execution.execute import execute_run
from tla2py.execution.executor import RunProgress, follow_run
from tla2py.execution.listener import SILENT, Listener, with_readable_logs
from tla2py.execution.options import ModelOptions, SweepOptions, given_files, given_variables
from tla2py.execution.preflight import CheckModel, check_plan, default_model, lint_check, lint_plan
from tla2py.model.model import NO_INPUTS, Inputs
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.run import WORK, Limits, ModuleTexts, Run, RunRecord, RunResult, TlcOptions, module_texts
from tla2py.model.trace import Trace
from tla2py.store import rows
from tla2py.sweep.judge import code_of
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.text import parse_duration, parse_memory
from tla2py.tlc.config.render import default_template, render_config
from tla2py.tlc.config.wrapper import build_config
from tla2py.tlc.output.prints import PrintFollower
from tla2py.tlc.places import OptionTexts, Origins, located
from tla2py.tlc.process.sandbox import check_sandbox
from tla2py.tlc.tools.community import (
    check_classes,
    class_file,
    community_classes,
    override_modules,
    read_override,
)
from tla2py.tlc.tools.jar import check_needs
from tla2py.tlc.tools.pluscal import Translator
from tla2py.tlc.tools.toolchain import Toolchain, check_readable, find_toolchain


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The result of a check: its record and what it means.

    ``config`` is the config that it started from, ``filled`` are the constants that nothing assigns.
    """

    record: RunRecord
    result: RunResult
    config: Path | None = None
    filled: tuple[str, ...] = ()

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
        """One object: the columns of ``runs``, ``traces`` with their ``states``, ``diagnostics``, and the texts of ``prints``."""
        row = {**rows.result_row(self.record, self.result), "point": 1}
        row["prints"] = list(self.result.prints)
        row["traces"] = [
            rows.trace_object(self.record.run_id, number, trace)
            for number, trace in enumerate(self.result.traces, 1)
        ]
        row["diagnostics"] = list(rows.diagnostic_rows(self.record.run_id, self.result))
        return json.dumps(row, ensure_ascii=False, default=str)


def plan_check(
    check: CheckModel, options: TlcOptions, limits: Limits, jar_sha256: str, inputs: Inputs = NO_INPUTS
) -> tuple[Run, ModuleTexts]:
    """The run of a model, and the modules that TLC gets."""
    config, main, wrapper = build_config(check.model, lambda name, _: f"-c {name}")
    text = render_config(config, default_template())
    spec = check.model.spec
    if check.verbatim is not None:
        text, main, wrapper = check.verbatim.text, spec.root.name, None
    given = module_texts(spec, main, wrapper, text)
    options = replace(options, check_deadlock=check.model.config.check_deadlock)
    run = Run(
        main=main,
        modules=given.modules,
        config=config,
        config_text=text,
        template=default_template(),
        options=options,
        limits=limits,
        jar_sha256=jar_sha256,
        originals=given.originals,
        inputs=inputs.without(name for name, _ in given.modules),
    )
    return run, given


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

    Raises InputError as ``SweepOptions.check_tools``, ``default_model``, ``lint_check``, ``given_variables``,
    ``given_files``, ``check_sandbox``, ``check_classes`` and ``check_model`` do, and ToolchainError as ``find_toolchain``
    and ``check_classes`` do.
    """
    options.check_tools()
    overrides = tuple(read_override(path) for path in model.overrides)
    toolchain = find_toolchain(options.tla2tools)
    libraries = (*options.libraries, *map(override_modules, overrides))
    translate = Translator(lambda: toolchain, listener.warned) if options.translate else None
    check = default_model(module, model, libraries, translate=translate, no_lint=options.no_lint)
    modules = (module.path for module in check.model.spec.modules if module.path is not None)
    listener.reached([*modules, *model.inputs, *model.overrides])
    lint_check(check, toolchain.jar, listener.warned, no_lint=options.no_lint)
    limits = Limits(
        timeout_seconds=parse_duration(options.timeout or "10m", "--timeout"),
        memory_bytes=parse_memory(options.memory or "2GiB", "--memory"),
        trust=bool(options.trust),
        sandbox=options.sandbox,
    )
    check_sandbox(limits)
    community = community_classes([check.model.spec])
    if community is not None:
        overrides = (*overrides, community)
        texts = {module.where(): module.text for module in check.model.spec.modules}
        texts |= {f"-c {name}": value for name, value in check.given.items()}
        places = {place: place for place in texts}
        specs = [check.model.spec]
        check_classes(community, specs, toolchain.jar, texts, places, trust=limits.trust)
    tlc = TlcOptions(workers=options.workers or 1, overrides=tuple(map(class_file, overrides)))
    check_needs([check.model.spec], tlc, toolchain.jar)
    inputs = Inputs(environment=given_variables(model.environment), files=given_files(model.inputs))
    return check_model(
        check, tlc, limits, replace(toolchain, overrides=overrides), report, show, inputs, cancelled
    )


def check_model(
    check: CheckModel,
    options: TlcOptions,
    limits: Limits,
    toolchain: Toolchain,
    report: Callable[[RunProgress], None] | None,
    show: Callable[[str], None] | None,
    inputs: Inputs,
    cancelled: threading.Event | None,
) -> Checked:
    """The result of TLC on a model; the callables and ``cancelled`` are those of ``run_check``."""
    run, given = plan_check(check, options, limits, toolchain.jar.sha256, inputs)
    check_readable(given.texts, given.paths, toolchain)

    prints = PrintFollower()
    follow = follow_run(run, report) if report is not None else None

    def show_prints(stdout: Path) -> None:
        # Later executions print the same.
        if show is not None and stdout.parent.name == "1":
            for text in prints.read(stdout):
                show(text)

    def watch(stdout: Path, memory_bytes: int) -> None:
        show_prints(stdout)
        if follow is not None:
            follow(stdout, memory_bytes)

    with execute_run(run, given.texts, toolchain, cancelled=cancelled, watch=watch) as executed:
        for folder in executed.folders[:1]:
            show_prints(folder / "stdout.txt")
        written = OptionTexts(constants=check.given, config=check.config, verbatim=check.verbatim is not None)
        origins = Origins(paths=given.paths, text=given.texts.__getitem__, written=written)
        result = located(executed.record, executed.result, origins)
        return Checked(record=executed.record, result=result, config=check.config, filled=check.model.filled)


# The lines with which TLC frames each message of its ``-tool`` output.
_FRAME = b"@!@!@"


def check_point(
    file: Path,
    number: int,
    options: SweepOptions,
    *,
    listener: Listener,
    show: Callable[[str], None] | None,
    cancelled: threading.Event | None,
) -> Checked:
    """The result of one point of a sweep file, numbered from 1; ``show`` is called with each line of TLC's output.

    ``cancelled`` stops TLC; the result then means nothing.

    Raises InputError (``no-point``), and as ``run_sweeps`` does.
    """
    [sweep] = options.load([file], listener=listener)
    listener.reached(_files(sweep))
    toolchain = find_toolchain(options.tla2tools)
    if not 1 <= number <= len(sweep.points):
        raise InputError(
            "no-point", f"no point {number} in {sweep.path}", hint=f"points: 1 to {len(sweep.points)}"
        )
    point = sweep.points[number - 1]
    sweep = with_readable_logs(sweep, toolchain.jar)
    plan = plan_sweep(sweep, toolchain.jar.sha256)
    # What makes an answer of the sweep worthless makes that of its point worthless too.
    lint_plan(sweep, plan, toolchain.jar, listener.warned)
    check_plan(sweep, plan, toolchain)
    toolchain = replace(toolchain, overrides=sweep.classes)
    output = _Output(show) if show is not None else None
    with execute_run(
        plan.runs[number - 1], plan.sources, toolchain, cancelled=cancelled, watch=output
    ) as executed:
        for folder in executed.folders:
            if output is not None:
                output(folder / "stdout.txt")
        written = sweep.places(point.parameters)
        origins = Origins(paths=plan.paths, text=plan.sources.__getitem__, written=written)
        return Checked(record=executed.record, result=located(executed.record, executed.result, origins))


def _files(sweep: Sweep) -> Iterator[Path]:
    """The files that a sweep reads, except Java classes."""
    yield from (config.path for config in sweep.configs.values())
    for spec in sweep.specs.values():
        yield from (module.path for module in spec.modules if module.path is not None)
    for files in sweep.input_files.values():
        yield from (sweep.path.parent / file.path for file in files)
    yield from (sweep.path.parent / log.path for log in sweep.logs.kept)


class _Output:
    """Shows the lines that TLC has written since the last call, without frames and the name of its folder."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._read: dict[Path, int] = {}

    def __call__(self, stdout: Path, _: int = 0) -> None:
        folder = f"{stdout.parent / WORK}{os.sep}"
        with stdout.open("rb") as stream:
            stream.seek(self._read.get(stdout, 0))
            for line in stream:
                if not line.endswith(b"\n"):
                    break
                self._read[stdout] = self._read.get(stdout, 0) + len(line)
                if not line.startswith(_FRAME):
                    self._show(line.decode("utf-8", "replace").replace(folder, ""))
