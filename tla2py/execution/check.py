"""One run of one model, without a store."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tla2py.config.read import ConfigFile, read_config
from tla2py.config.render import default_template, render_config
from tla2py.config.wrapper import build_config
from tla2py.errors import ExitCode, InputError
from tla2py.execution.execute import execute_run
from tla2py.model.config import Config, Substitution
from tla2py.model.model import (
    Model,
    assigned_names,
    constant_values,
    default_specification,
    unnameable,
    without_names,
)
from tla2py.model.modules import ModuleTexts, module_texts
from tla2py.model.outcome import Outcome, Stats, Verdict
from tla2py.model.result import RunResult
from tla2py.model.run import Limits, Run, RunRecord, TlcOptions, make_run
from tla2py.sourcemap import OptionTexts, Origins, located
from tla2py.store.store import ManifestPoint
from tla2py.syntax import ModuleGraph, Translate, load_modules
from tla2py.tables import rows
from tla2py.text import did_you_mean
from tla2py.tlc.output.statistics import latest_progress
from tla2py.toolchain.toolchain import Toolchain
from tla2py.toolchain.unicode import check_readable
from tla2py.trace.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckModel:
    """What ``check`` is to run: the model, and a config file that is given to TLC as it is written.

    ``config`` is the config file that the model starts from, ``given`` are the constants given beside it.
    """

    model: Model
    verbatim: ConfigFile | None
    config: Path | None = None
    given: Mapping[str, str] = field(default_factory=dict)


_EXIT_CODES = {
    Verdict.HOLDS: ExitCode.OK,
    Verdict.VIOLATED: ExitCode.UNEXPECTED,
    Verdict.EXCLUDED: ExitCode.UNEXPECTED,
    Verdict.BROKEN: ExitCode.NOT_RUN,
    Verdict.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The result of a check: the record and its reading; ``config`` is the config that it started from."""

    record: RunRecord
    result: RunResult
    config: Path | None = None

    @property
    def outcome(self) -> Outcome:
        """The outcome in TLC's own words."""
        return self.result.outcome

    @property
    def verdict(self) -> Verdict:
        """The verdict on the model."""
        return self.result.verdict

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of a command that ran this check."""
        return _EXIT_CODES[self.verdict]

    @property
    def traces(self) -> tuple[Trace, ...]:
        """The counterexamples, in the order that TLC found them."""
        return self.result.traces

    def to_json(self) -> str:
        """One object: the columns of ``runs``; ``traces``, each a row of that table with its ``states``; ``diagnostics``."""
        point = ManifestPoint(point=1, run_id=self.record.run_id, parameters={})
        row = rows.run_row(point, (), self.record, self.result)
        row["traces"] = [
            rows.trace_object(self.record.run_id, number, trace)
            for number, trace in enumerate(self.result.traces, 1)
        ]
        row["diagnostics"] = list(rows.diagnostic_rows(self.record.run_id, self.result))
        return json.dumps(row, ensure_ascii=False, default=str)


def default_model(
    module: Path,
    libraries: Sequence[Path],
    *,
    config_file: Path | None = None,
    constants: Sequence[str] = (),
    invariants: Sequence[str] = (),
    properties: Sequence[str] = (),
    specification: str | None = None,
    init: str | None = None,
    next_: str | None = None,
    check_deadlock: bool | None = None,
    translate: Translate | None = None,
) -> CheckModel:
    """The model of a module: what a config beside it or named says, and on top of it what is given here.

    Raises InputError as ``load_modules`` and ``read_config`` do, and ``constant-syntax``, ``unknown-constant``,
    ``unknown-definition``, ``instance-name``, ``unassigned``, ``no-specification``, ``usage``.
    """
    spec = load_modules(module, libraries, translate=translate)
    beside = module.with_suffix(".cfg")
    file = read_config(config_file or beside) if config_file is not None or beside.is_file() else None
    given = dict(_split(text) for text in constants)
    behaviour = tuple(name for name in (specification, init, next_) if name)
    if specification and (init or next_):
        raise InputError(
            "usage", "--specification says it all", hint="leave --init and --next out, or give them alone"
        )
    _check_given(spec, given, (*invariants, *properties, *behaviour))
    said = file.config if file is not None else Config()
    if check_deadlock is not None:
        said = replace(said, check_deadlock=check_deadlock)
    if file is not None and not (given or invariants or properties or behaviour):
        return CheckModel(model=Model(spec=spec, config=said), verbatim=file, config=file.path)
    config = without_names(said, given)
    names = {c.name for c in spec.constants}
    if specification:
        config = replace(config, specification=specification, init=None, next=None)
    elif init or next_:
        config = replace(config, specification=None, init=init or config.init, next=next_ or config.next)
        if not (config.init and config.next):
            raise InputError(
                "usage", "--init and --next go together", hint=f"give --{'next' if init else 'init'} NAME too"
            )
    elif (spec.variables or invariants or properties) and not (
        config.specification or config.init or config.next
    ):
        config = replace(config, specification=default_specification(spec, str(module), _option))
    model = Model(
        spec=spec,
        config=replace(
            config,
            invariants=(*config.invariants, *(n for n in invariants if n not in config.invariants)),
            properties=(*config.properties, *(n for n in properties if n not in config.properties)),
        ),
        constants=constant_values(spec, given, assigned_names(config), str(module), _assignment),
        replacements=tuple(Substitution(name, text) for name, text in given.items() if name not in names),
    )
    return CheckModel(model=model, verbatim=None, config=file.path if file else None, given=given)


def plan_check(
    check: CheckModel, options: TlcOptions, limits: Limits, jar_sha256: str
) -> tuple[Run, ModuleTexts]:
    """The run of a model, and what TLC is given of its modules."""
    config, main, wrapper = build_config(check.model, lambda name, _: f"-c {name}")
    text = render_config(config, default_template())
    spec = check.model.spec
    if check.verbatim is not None:
        text, main, wrapper = check.verbatim.text, spec.root.name, None
    given = module_texts(spec, main, wrapper, text)
    options = replace(options, check_deadlock=check.model.config.check_deadlock)
    run = make_run(
        main,
        given.modules,
        config,
        text,
        template=default_template(),
        options=options,
        limits=limits,
        jar_sha256=jar_sha256,
        originals=given.originals,
    )
    return run, given


def check_model(
    check: CheckModel,
    options: TlcOptions,
    limits: Limits,
    toolchain: Toolchain,
    report: Callable[[str], None] | None = None,
) -> Checked:
    """Run TLC on a model; ``report`` hears of progress in words."""
    run, given = plan_check(check, options, limits, toolchain.jar.sha256)
    check_readable(given.texts, given.paths, toolchain)

    def watch(stdout: Path) -> None:
        stats = _progress(stdout)
        if report is not None and stats is not None:
            report(f"running TLC: {stats.generated:,} states generated, {stats.distinct:,} distinct")

    with execute_run(run, given.texts, toolchain, watch=watch) as executed:
        written = OptionTexts(constants=check.given, config=check.config, verbatim=check.verbatim is not None)
        origins = Origins(paths=given.paths, text=given.texts.__getitem__, written=written)
        result = located(executed.record, executed.result, origins)
        return Checked(record=executed.record, result=result, config=check.config)


def _progress(stdout: Path) -> Stats | None:
    """The counts of the last progress line that TLC has printed."""
    with stdout.open("rb") as stream:
        stream.seek(max(stdout.stat().st_size - 8192, 0))
        found = [stats for line in stream if (stats := latest_progress(line)) is not None]
    return found[-1] if found else None


def _assignment(name: str, value: str) -> str:
    return f"-c {shlex.quote(f'{name}={value}')}"


def _option(key: str, name: str) -> str:
    return f"--{key} {name}"


def _split(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip() or not value.strip():
        raise InputError(
            "constant-syntax", f"-c {text!r} is not NAME=VALUE", hint='for example -c "Replicas={b1, b2}"'
        )
    return name.strip(), value.strip()


def _check_given(spec: ModuleGraph, given: dict[str, str], names: Sequence[str]) -> None:
    constants = [c.name for c in spec.constants]
    for name, known in (
        *((name, [*constants, *spec.definitions]) for name in given),
        *((name, list(spec.definitions)) for name in names),
    ):
        if name not in known:
            raise InputError(
                "unknown-constant" if name in given else "unknown-definition",
                f"{spec.root.name} has no {'constant' if name in given else 'definition'} {name}",
                hint=did_you_mean(name, known, "'tla2py inspect' lists what a module declares"),
            )
    for name in names:
        if error := unnameable(name, spec.definitions, None):
            raise error
