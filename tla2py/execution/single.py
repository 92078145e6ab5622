"""A single check of one model: what ``tla2py check`` and ``tla2py.check`` share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tla2py.execution.check import Checked, check_model, default_model
from tla2py.execution.listener import SILENT, Listener
from tla2py.execution.preflight import lint_check
from tla2py.execution.sweeps import SweepOptions
from tla2py.model.run import Limits, TlcOptions
from tla2py.text import parse_duration, parse_memory
from tla2py.toolchain.overrides import option_overrides, override_modules, read_override
from tla2py.toolchain.pluscal import Translator
from tla2py.toolchain.toolchain import find_toolchain


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions(SweepOptions):
    """Options of a check, and the parts of its model that go before what a config says; None leaves the config's.

    ``constants`` are written ``NAME=VALUE``; ``overrides`` are jars or folders of Java classes.
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

    @property
    def names_model(self) -> bool:
        """Whether they name any part of a model."""
        parts = (self.config, self.constants, self.invariants, self.properties, self.specification)
        return any((*parts, self.init, self.next, self.overrides)) or self.check_deadlock is not None


def run_check(
    module: Path,
    options: CheckOptions,
    *,
    listener: Listener = SILENT,
    report: Callable[[str], None] | None = None,
) -> Checked:
    """The result of one run of TLC on a module; ``report`` hears of its progress in words.

    Raises InputError as ``default_model``, ``lint_check`` and ``check_model`` do, and ToolchainError as
    ``find_toolchain`` does.
    """
    overrides = tuple(read_override(path) for path in options.overrides)
    toolchain = replace(find_toolchain(options.tla2tools), overrides=overrides)
    model = default_model(
        module,
        [*options.libraries, *map(override_modules, overrides)],
        config_file=options.config,
        constants=options.constants,
        invariants=options.invariants,
        properties=options.properties,
        specification=options.specification,
        init=options.init,
        next_=options.next,
        check_deadlock=options.check_deadlock,
        translate=Translator(lambda: toolchain, listener.translated) if options.translate else None,
    )
    lint_check(model, options.config or module.with_suffix(".cfg"), toolchain.jar, listener.warned)
    limits = Limits(
        timeout_seconds=parse_duration(options.timeout or "10m", "--timeout"),
        memory_bytes=parse_memory(options.memory or "2GiB", "--memory"),
        trust=bool(options.trust),
    )
    tlc = TlcOptions(workers=options.workers or 1, overrides=option_overrides(overrides))
    return check_model(model, tlc, limits, toolchain, report)
