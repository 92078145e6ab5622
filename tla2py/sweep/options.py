"""TLC options and limits from the section ``[tlc]`` of a sweep file."""

from __future__ import annotations

from collections.abc import Sequence

from tla2py.errors import InputError
from tla2py.model.run import Limits, TlcOptions
from tla2py.sweep.sections import SweepFile
from tla2py.sweep.sweep_text import SweepText
from tla2py.text import parse_duration, parse_memory, parse_size
from tla2py.toolchain.overrides import option_overrides
from tla2py.toolchain.toolchain import Override

# Options with a key of their own: passed as options they would contradict what tla2py reports.
_OWN = {
    "-config": 'write config = "FILE.cfg" beside module',
    "-coverage": "write coverage = true",
    "-depth": "write depth = 50",
    "-generate": 'write mode = "generate"',
    "-metadir": "remove it: each run has its own folder",
    "-recover": "remove it: each run starts afresh",
    "-seed": "write seed = 1",
    "-simulate": 'write mode = "simulate"',
    "-workers": "write workers = 2",
}


def search_options(file: SweepFile, source: SweepText, overrides: Sequence[Override]) -> TlcOptions:
    """The TLC options of all points.

    Raises InputError: ``wrong-mode`` for a key of the other mode, ``wrong-type``, and ``own-option`` for an option that
    has a key of its own.
    """
    _check_mode(file, source)
    for option in file.tlc.options:
        if option in _OWN:
            raise InputError(
                "own-option",
                f"{option} does not belong in options",
                where=source.place("tlc", "options", value=option),
                hint=_OWN[option],
            )
    if file.tlc.workers < 1:
        raise InputError(
            "wrong-type",
            "workers must be 1 or more",
            where=source.place("tlc", "workers"),
            hint="write workers = 1, or remove it",
        )
    return TlcOptions(
        mode=file.tlc.mode,
        find=file.tlc.find,
        workers=file.tlc.workers,
        seed=file.tlc.seed,
        num=file.tlc.num,
        depth=file.tlc.depth,
        coverage=file.tlc.coverage,
        graph=file.tlc.graph,
        behaviours=file.tlc.behaviours,
        options=tuple(file.tlc.options),
        overrides=option_overrides(overrides),
        java_options=tuple(file.tlc.java_options),
    )


def search_limits(file: SweepFile, source: SweepText) -> Limits:
    """The limits of a run. Raises InputError: ``duration``, ``memory``, ``disk``."""
    tlc = file.tlc
    return Limits(
        timeout_seconds=parse_duration(tlc.timeout, source.place("tlc", "timeout")),
        memory_bytes=parse_memory(tlc.memory, source.place("tlc", "memory")),
        disk_bytes=None if tlc.disk is None else parse_size(tlc.disk, source.place("tlc", "disk")),
        trust=tlc.trust,
    )


def _check_mode(file: SweepFile, source: SweepText) -> None:
    checking = file.tlc.mode == "check"
    other = "simulate" if checking else "check"
    for key in ("num", "depth", "behaviours") if checking else ("graph",):
        if getattr(file.tlc, key):
            raise InputError(
                "wrong-mode",
                f'{key} is for mode = "{other}"',
                where=source.place("tlc", key),
                hint=f'set mode = "{other}" in [tlc], or remove {key}',
            )
