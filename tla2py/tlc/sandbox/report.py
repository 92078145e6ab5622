"""Sentences about the walls around runs."""

from __future__ import annotations

from tla2py.errors import InputError
from tla2py.model.run import Limits, Wall, Walls
from tla2py.tlc.sandbox.sandbox import walls, why_not_bubblewrap

# What TLC can reach without each wall.
_REACHED: dict[Wall, str] = {
    "files": "this account's files",
    "network": "the network",
    "secrets": "the environment and memory of other processes",
    "processes": "other processes by signals, limits and priorities",
    "lifetime": "the time after its run",
    "privileges": "this account's privileges",
}
REMEDY = "install bubblewrap, or run in a container or virtual machine of its own what you do not trust"


def sandbox_text(found: Walls) -> str:
    """What puts the walls up, and which are missing: ``bubblewrap``; ``kernel, without processes``."""
    if found.by == "none":
        return "none"
    name = "Landlock and seccomp" if found.by == "kernel" else found.by
    return f"{name}, without {' and '.join(found.missing)}" if found.missing else name


def reached_text(found: Walls) -> str:
    """What TLC can reach, with the reason; empty if all walls stand."""
    if not found.missing:
        return ""
    reason = why_not_bubblewrap()
    return f"TLC can reach {' and '.join(_REACHED[wall] for wall in found.missing)}" + (
        f" ({reason})" if reason else ""
    )


def missing_walls(limits: Limits) -> str | None:
    """The reason why a run that requires all walls cannot start; None if it can."""
    if limits.sandbox == "auto":
        return None
    if limits.trust:
        return "a trusted run has no sandbox"
    return reached_text(walls()) or None


def check_sandbox(limits: Limits) -> None:
    """Raise InputError (``sandbox-missing``) for a run that requires walls which this machine lacks."""
    if (reason := missing_walls(limits)) is not None:
        raise InputError("sandbox-missing", f"--sandbox require: {reason}", hint=REMEDY)
