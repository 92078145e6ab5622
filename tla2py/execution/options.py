"""Options of runs; None leaves what the sweep file or the config says."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tla2py.errors import InputError
from tla2py.execution.listener import SILENT, Listener, without_refused
from tla2py.model.model import GivenVariable, InputFile, is_inside
from tla2py.model.run import SandboxNeed
from tla2py.sweep.file import sweep_file_of
from tla2py.sweep.load import configs_sections, load_sweep, relative_name, sweep_of_configs
from tla2py.sweep.repository import check_jar, check_named, check_untrusted
from tla2py.sweep.sweep import Sweep
from tla2py.text import parse_duration, parse_memory
from tla2py.tlc.process.command import check_path, check_variable, kept_file
from tla2py.tlc.process.sandbox import check_sandbox
from tla2py.tlc.tools.pluscal import Translator
from tla2py.tlc.tools.toolchain import find_jar, find_toolchain


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepOptions:
    """Options that override a sweep file.

    ``timeout`` and ``memory`` are written as in a sweep file, such as ``90s`` and ``2GiB``. ``libraries`` are further
    module folders of a folder, or of a module with configs.
    """

    libraries: tuple[Path, ...] = ()
    tla2tools: Path | None = None
    translate: bool = True
    timeout: str | None = None
    memory: str | None = None
    workers: int | None = None
    trust: bool | None = None
    sandbox: SandboxNeed = "auto"
    no_lint: bool = False

    def load(
        self, files: Sequence[Path], configs: str | None = None, *, listener: Listener = SILENT
    ) -> list[Sweep]:
        """The sweeps of files, with PlusCal translated; with ``configs`` the files are modules, see ``sweep_of_configs``.

        With ``trust`` False the files are those of strangers. Raises InputError as ``load_sweep`` and
        ``sweep_of_configs`` do, and then also as ``check_untrusted`` and ``check_jar`` do.
        """
        if self.trust is False:
            self.check_tools()
            for file in files:
                if configs is None:
                    check_untrusted(file)
                else:
                    check_named(file, *sweep_file_of(configs_sections(file, configs, ()), file))
        translate = self.translator(listener)
        found = (
            load_sweep(file, self.libraries, translate=translate, no_lint=self.no_lint)
            if configs is None
            else sweep_of_configs(file, configs, self.libraries, translate=translate, no_lint=self.no_lint)
            for file in files
        )
        sweeps = []
        for sweep in found:
            if self.trust is False and sweep.limits.trust:
                listener.distrusted(sweep.source.place("tlc", "trust"))
            sweeps.append(self.apply(sweep))
        return sweeps

    def translator(self, listener: Listener) -> Translator | None:
        """What translates PlusCal, unless that is not wanted."""
        return Translator(lambda: find_toolchain(self.tla2tools), listener.warned) if self.translate else None

    def check_tools(self) -> None:
        """Raise InputError (``needs-trust``) for a project's own jar, unless trust is given or not refused."""
        if self.trust is False:
            check_jar(find_jar(self.tla2tools))

    def apply(self, sweep: Sweep) -> Sweep:
        """The sweep with these limits and workers at every point.

        A folder's sweep loses the points that may not run, see ``without_refused``. Raises InputError (``sandbox-missing``),
        and as ``without_refused`` and ``find_jar`` do.
        """
        limits, options = sweep.limits, sweep.options
        if self.timeout is not None:
            limits = replace(limits, timeout_seconds=parse_duration(self.timeout, "--timeout"))
        if self.memory is not None:
            limits = replace(limits, memory_bytes=parse_memory(self.memory, "--memory"))
        if self.trust is not None:
            limits = replace(limits, trust=self.trust)
        limits = replace(limits, sandbox=self.sandbox)
        check_sandbox(limits)
        if self.workers is not None:
            options = replace(options, workers=self.workers)
        sweep = replace(sweep, limits=limits, options=options)
        refusable = sweep.of_folder and sweep.community is not None
        return without_refused(sweep, find_jar(self.tla2tools)) if refusable else sweep


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


def given_files(names: Iterable[Path], module: Path | None = None) -> tuple[InputFile, ...]:
    """The files of ``--input``, copied and hashed, at their paths in the run's folder, see ``_path_in_run``.

    Raises InputError: ``input-missing``, ``input-path``, also for two files that would have one path.
    """
    found: dict[str, Path] = {}
    for name in names:
        path = _path_in_run(name, module)
        check_path(path, None)
        if found.setdefault(path, name).resolve() != name.resolve():
            raise InputError(
                "input-path",
                f"{found[path]} and {name} would both be {path} in the run's folder",
                hint="rename one of them",
            )
    return tuple(InputFile(path, kept_file(file)) for path, file in sorted(found.items()))


def _path_in_run(file: Path, module: Path | None) -> str:
    """Where a run sees a file: as below the folder of ``module``, or else below the current one, or else by its bare name."""
    names = [relative_name(file, module)] if module is not None else []
    return next((name for name in (*names, file.as_posix()) if is_inside(name)), file.name)


def with_named_files(
    model: ModelOptions, texts: Sequence[str], module: Path | None = None, *, say: Callable[[str], None]
) -> ModelOptions:
    """The options of a command with the files that its variables name as inputs; ``say`` is told of each.

    A value that has a slash or an ending and is the path of a file becomes the file's path in the run's folder, as
    ``given_files`` chooses it. The variables ``texts`` keep their values.
    """
    inputs, variables = [*model.inputs], list[str]()
    given = {_path_in_run(file, module) for file in inputs}
    for text in model.environment:
        name, _, value = text.partition("=")
        path = _path_in_run(Path(value), module)
        named = "/" in value or Path(value).suffix
        # False for a text too long for a path, at which Path.is_file fails.
        if named and value not in given and os.path.isfile(value):  # noqa: PTH113
            inputs.append(Path(value))
            say(f"{name}: the run gets a copy of {value} as {path}; --env-text gives the text alone")
            variables.append(f"{name}={path}")
        else:
            variables.append(text)
    return replace(model, environment=(*variables, *texts), inputs=tuple(inputs))


def given_constants(texts: Sequence[str]) -> dict[str, str]:
    """The values of ``-c NAME=VALUE``, by name. Raises InputError (``constant-syntax``)."""
    found = {}
    for text in texts:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not (sign and name and value):
            raise InputError(
                "constant-syntax", f"-c {text!r} is not NAME=VALUE", hint='example: -c "Replicas={b1, b2}"'
            )
        found[name] = value
    return found


def given_variables(texts: Sequence[str]) -> tuple[GivenVariable, ...]:
    """The variables of ``--env NAME=VALUE``. Raises InputError (``variable-name``)."""
    found = {}
    for text in texts:
        name, _, value = text.partition("=")
        if "=" not in text:
            raise InputError(
                "variable-name", f"not NAME=VALUE: {text!r}", hint="example: --env LOG=log.ndjson"
            )
        check_variable("environment", name, None)
        found[name] = value
    return tuple(sorted(GivenVariable(*pair) for pair in found.items()))
