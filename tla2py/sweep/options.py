"""How TLC is to search and what a run may take: the section ``[tlc]`` of a sweep file."""

from __future__ import annotations

from collections.abc import Sequence

from tla2py.errors import InputError
from tla2py.model.run import Limits, TlcOptions
from tla2py.sweep.file import SweepFile
from tla2py.sweep.source import Source
from tla2py.text import parse_duration, parse_memory, parse_size
from tla2py.toolchain.overrides import option_overrides
from tla2py.toolchain.toolchain import Override

# What is to be said in words of its own: beside them another model would be checked than the one that is told.
_OWN = {
    "-config": 'write config = "FILE.cfg" beside module',
    "-coverage": "write coverage = true",
    "-depth": "write depth = 50",
    "-generate": 'write mode = "generate"',
    "-metadir": "leave it out: a run has a folder of its own",
    "-recover": "leave it out: a run starts anew",
    "-seed": "write seed = 1",
    "-simulate": 'write mode = "simulate"',
    "-workers": "write workers = 2",
}


def search_options(file: SweepFile, source: Source, overrides: Sequence[Override]) -> TlcOptions:
    """The options of TLC that hold for all points.

    Raises InputError: ``wrong-mode`` for a key that the other mode alone understands, ``wrong-type``, and
    ``own-option`` for an option that is a key of the sweep file.
    """
    _check_mode(file, source)
    for option in file.tlc.options:
        if option in _OWN:
            raise InputError(
                "own-option",
                f"{option} is not for options",
                where=source.place("tlc", "options", value=option),
                hint=_OWN[option],
            )
    return TlcOptions(
        mode=file.tlc.mode,
        find=file.tlc.find,
        workers=_positive(file.tlc.workers, source, "workers"),
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


def search_limits(file: SweepFile, source: Source) -> Limits:
    """What a run may take. Raises InputError: ``duration``, ``memory``, ``disk``."""
    said = file.tlc
    disk = None if said.disk is None else parse_size(said.disk, source.place("tlc", "disk"))
    return Limits(
        timeout_seconds=parse_duration(said.timeout, source.place("tlc", "timeout")),
        memory_bytes=parse_memory(said.memory, source.place("tlc", "memory")),
        disk_bytes=disk,
        trust=said.trust,
    )


def _positive(number: int, source: Source, key: str) -> int:
    if number < 1:
        raise InputError(
            "wrong-type",
            f"{key} must be 1 or more",
            where=source.place("tlc", key),
            hint=f"write {key} = 1, or leave it out",
        )
    return number


def _check_mode(file: SweepFile, source: Source) -> None:
    """No key is given that the other mode alone understands."""
    checking = file.tlc.mode == "check"
    other = "simulate" if checking else "check"
    for key in ("num", "depth", "behaviours") if checking else ("graph",):
        if getattr(file.tlc, key):
            raise InputError(
                "wrong-mode",
                f'{key} is for mode = "{other}"',
                where=source.place("tlc", key),
                hint=f'set mode = "{other}" in [tlc], or leave {key} out',
            )
