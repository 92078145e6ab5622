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
from tla2py.syntax.offsets import line_and_column
from tla2py.syntax.standard import STANDARD_MODULES
from tla2py.text import did_you_mean
from tla2py.toolchain.jar import Jar

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
_TOKEN = re.compile(
    rf'\\\*[^\n]*|(\(\*)|(\*\))|\bTLCGet\s*\(\s*"(?P<register>{_NEWER_REGISTERS})"\s*\)|"(?:[^"\\\n]|\\.)*"'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Abilities:
    """What a jar has: the names of its standard modules, and the classes that read options and registers."""

    modules: frozenset[str]
    options: bytes
    registers: bytes

    def knows_option(self, option: str) -> bool:
        """Whether TLC knows an option, in which upper and lower case may not matter."""
        return _constant(option) in self.options


@lru_cache(maxsize=16)
def _abilities(jar: Path) -> _Abilities:
    with zipfile.ZipFile(jar) as archive:
        names = archive.namelist()
        return _Abilities(
            modules=frozenset(Path(name).stem for name in names if name.startswith(_MODULES)),
            options=archive.read(_OPTIONS).lower(),
            registers=b"".join(archive.read(name) for name in _REGISTERS if name in names),
        )


def _constant(text: str) -> bytes:
    """A text in the constant pool of a class: its length in two bytes, then its bytes."""
    return len(text).to_bytes(2, "big") + text.encode().lower()


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
        raise lacks('mode = "generate"', jar, place("mode", options.mode))
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
                raise lacks(f"module {name}", jar, str(where))


def lacks(what: str, jar: Jar, where: str | None = None, otherwise: str = "") -> InputError:
    """The error for something that a jar lacks and newer ones have; ``otherwise`` is another way out."""
    hint = f"{jar.newer}; {otherwise}" if otherwise else jar.newer
    return InputError(
        "tlc-lacks", f"{what} needs a newer TLC than {jar.tlc} ({jar.origin})", where=where, hint=hint
    )


def _option_error(option: str, jar: Jar, where: str | None) -> InputError:
    if option.lower() in _NEWER_OPTIONS:
        return lacks(option, jar, where)
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
                raise lacks(f"module {reference.module}", jar, module.where(reference.span))
        for name, offset in _registers(module.text):
            if len(name).to_bytes(2, "big") + name.encode() not in has.registers:
                line, column = line_and_column(module.text, offset)
                raise lacks(f'TLCGet("{name}")', jar, f"{module.where()}:{line}:{column}")


def _registers(text: str) -> Iterable[tuple[str, int]]:
    """The newer registers that a module reads, outside comments, with their offsets."""
    if "TLCGet" not in text:
        return
    depth = 0
    for token in _TOKEN.finditer(text):
        depth = max(depth + bool(token[1]) - bool(token[2]), 0)
        if token["register"] and not depth:
            yield token["register"], token.start()
