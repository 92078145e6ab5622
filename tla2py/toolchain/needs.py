"""What modules and options need of TLC, checked before anything runs."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tla2py.config.wrapper import WRITTEN
from tla2py.errors import InputError
from tla2py.model.run import TlcOptions
from tla2py.syntax import ModuleGraph
from tla2py.syntax.offsets import code_matches, line_and_column
from tla2py.syntax.standard import STANDARD_MODULES
from tla2py.text import did_you_mean
from tla2py.toolchain.jar import Jar, class_constant

_MODULES = "tla2sany/StandardModules/"
_OPTIONS = "tlc2/TLC.class"
# Registers moved to a class of their own after 1.7.4.
_REGISTERS = ("tlc2/module/TLC.class", "tlc2/module/TLCGetSet.class")
# Options that TLC got after 1.7.4, in lower case.
_NEWER_OPTIONS = frozenset(
    [
        "-debugger",
        "-dumptrace",
        "-generate",
        "-inv",
        "-invlevel",
        "-loadtrace",
        "-messagesaserrors",
        "-nogeneratespecte",
        "-nogeneratespectebin",
        "-note",
        "-notebin",
        "-postcondition",
        "-suppressmessages",
        "-tespecoutdir",
    ]
)
# Registers of TLCGet that TLC got after 1.7.4.
_NEWER_REGISTERS = "action|all|all:named|behavior|config|coverage|generated|install|revision|spec|stats"
_REGISTER = rf'\bTLCGet\s*\(\s*"(?P<register>{_NEWER_REGISTERS})"\s*\)'


@dataclass(frozen=True, slots=True, kw_only=True)
class _Abilities:
    """What a jar has: the names of its standard modules, and the classes that read options and registers."""

    modules: frozenset[str]
    options: bytes
    registers: bytes

    def knows_option(self, option: str) -> bool:
        """Whether TLC knows an option, in which upper and lower case may not matter."""
        return class_constant(option.lower()) in self.options


@lru_cache(maxsize=16)
def _abilities(jar: Path) -> _Abilities:
    with zipfile.ZipFile(jar) as archive:
        names = archive.namelist()
        return _Abilities(
            modules=frozenset(Path(name).stem for name in names if name.startswith(_MODULES)),
            options=archive.read(_OPTIONS).lower(),
            registers=b"".join(archive.read(name) for name in _REGISTERS if name in names),
        )


def check_needs(
    specs: Iterable[ModuleGraph],
    options: TlcOptions,
    jar: Jar,
    place: Callable[[str, str], str | None] = lambda _key, _option: None,
) -> None:
    """Check that a TLC has what modules and options need; ``place`` is that of an option under a key of ``[tlc]``.

    Raises InputError (``tlc-lacks``) with the command that brings a TLC that has it.
    """
    has = _abilities(jar.path)
    for option in options.options:
        if re.match(r"-[A-Za-z]", option) and not has.knows_option(option):
            raise _option_error(option, jar, place("options", option))
    if options.mode == "generate" and not has.knows_option("-generate"):
        raise _lacks('mode = "generate"', jar, place("mode", options.mode))
    for spec in specs:
        _check_modules(spec, has, jar)


def check_wrappers(texts: Iterable[str], jar: Jar, where: Path) -> None:
    """Check that a TLC has the standard modules that the values of a sweep file need: those that wrapper modules extend.

    Raises InputError (``tlc-lacks``).
    """
    for text in texts:
        extended = re.search(r"^EXTENDS (.*)$", text, re.MULTILINE) if WRITTEN in text[:200] else None
        for name in extended[1].split(", ") if extended else ():
            if name in STANDARD_MODULES - _abilities(jar.path).modules:
                raise _lacks(f"module {name}", jar, str(where))


def _lacks(what: str, jar: Jar, where: str | None) -> InputError:
    """The error for something that a jar lacks and newer ones have."""
    return InputError(
        "tlc-lacks", f"{what} needs a newer TLC than {jar.tlc} ({jar.origin})", where=where, hint=jar.newer
    )


def _option_error(option: str, jar: Jar, where: str | None) -> InputError:
    if option.lower() in _NEWER_OPTIONS:
        return _lacks(option, jar, where)
    return InputError(
        "tlc-lacks",
        f"{jar.tlc} has no option {option}",
        where=where,
        hint=did_you_mean(option, sorted(_NEWER_OPTIONS), "'java -cp JAR tlc2.TLC -help' lists its options"),
    )


def _check_modules(spec: ModuleGraph, has: _Abilities, jar: Jar) -> None:
    lacking = set(spec.standard) - has.modules
    for module in spec.modules:
        for reference in module.references:
            if reference.module in lacking:
                raise _lacks(f"module {reference.module}", jar, module.where(reference.span))
        for read in code_matches(_REGISTER, module.text) if "TLCGet" in module.text else ():
            if class_constant(read["register"]) not in has.registers:
                line, column = line_and_column(module.text, read.start())
                raise _lacks(f'TLCGet("{read["register"]}")', jar, f"{module.where()}:{line}:{column}")
