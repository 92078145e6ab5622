"""A note on what a model of the Toolbox says and the config beside it does not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from tla2py.errors import InputError, Place
from tla2py.lint.subject import finding
from tla2py.model.finding import Finding, Severity
from tla2py.model.model import Config
from tla2py.tlc.config.launch import LaunchSettings, enabled_formulas, launch_of, read_launch

_LAUNCH_SETTINGS = "launch-settings"


def missing_launch_settings(path: Path, config: Config) -> Iterator[Finding]:
    """Yield a note on the settings in the Toolbox model of an ``MC.cfg`` that ``config`` lacks.

    ``config`` is what TLC reads: that of the file ``path``, or what a sweep made of it.
    """
    launch = launch_of(path)
    if launch is None:
        return
    try:
        settings = read_launch(launch)
    except InputError:
        return
    missing = list(_missing_settings(settings, config))
    if not missing:
        return
    shown = os.path.normpath(launch)
    message = f"the Toolbox model {shown} has settings that the config lacks: {', '.join(missing)}"
    hint = f"to copy them into a sweep file: tla2py init {_module_of(launch, settings)} --launch {shown}"
    yield finding(_LAUNCH_SETTINGS, Place(file=str(path)), message, hint, None, Severity.NOTE)


def _missing_settings(settings: LaunchSettings, config: Config) -> Iterator[str]:
    if settings.get("modelCorrectnessCheckDeadlock") == "false" and config.check_deadlock:
        yield "deadlock checking is off"
    constraint = str(settings.get("modelParameterContraint") or "").strip()
    if constraint and not config.constraints:
        yield f"the constraint {_shorten(constraint)}"
    constraint = str(settings.get("modelParameterActionConstraint") or "").strip()
    if constraint and not config.action_constraints:
        yield f"the action constraint {_shorten(constraint)}"
    for formula in enabled_formulas(settings, "modelCorrectnessInvariants") if not config.invariants else ():
        yield f"the invariant {_shorten(formula)}"
    for formula in enabled_formulas(settings, "modelCorrectnessProperties") if not config.properties else ():
        yield f"the property {_shorten(formula)}"


def _shorten(formula: str) -> str:
    """Return a formula on one line, cut after 60 characters."""
    line = " ".join(formula.split())
    return line if len(line) <= 60 else f"{line[:57]}..."


def _module_of(launch: Path, settings: LaunchSettings) -> str:
    """Return the path of the module that a model of the Toolbox is about, as ``init`` takes it."""
    name = f"{settings['specName']}.tla"
    for folder in (launch.parent, launch.parent / ".."):
        if (folder / name).is_file():
            return os.path.normpath(folder / name)
    return name
