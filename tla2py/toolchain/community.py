"""The installed CommunityModules: the last place that modules come from, and the Java classes that come with them.

A run that gets a module from here also gets the classes, as ``TlcOptions.overrides``. TLC applies a class to every module
of its name.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from tla2py.errors import InputError, ToolchainError
from tla2py.model.run import TlcOptions
from tla2py.syntax import ModuleGraph, Translate, load_modules, read_text
from tla2py.syntax.offsets import code_matches, line_and_column
from tla2py.toolchain.installed import community_jar, community_modules
from tla2py.toolchain.jar import Jar
from tla2py.toolchain.overrides import read_override
from tla2py.toolchain.toolchain import Override

# Its programs differ from those of a JVM that runs share.
IO_UTILS = "IOUtils.tla"
_CLASSES = "tlc2/overrides/"
_TEXT_ALONE = 'or use their TLA+ definitions alone: -L community-modules, libraries = ["community-modules"] in a sweep file'
_REFERENCE = re.compile(rb"tlc2/[\w/$]+")
_PROGRAM = r"\bIO(?:Env)?Exec(?:Template)?\b"


def load_specification(
    path: Path,
    libraries: Sequence[Path] = (),
    *,
    nearby: bool = False,
    translate: Translate | None = None,
    instead: Path | None = None,
) -> ModuleGraph:
    """A module with all it needs, from the installed CommunityModules too, or a folder ``instead`` if there are none.

    Raises InputError as ``load_modules`` does.
    """
    library = community_modules() or instead
    return load_modules(path, libraries, nearby=nearby, translate=translate, installed=library)


def community_classes(specs: Iterable[ModuleGraph]) -> Override | None:
    """The classes of the installed CommunityModules, None if no specification has a module from there."""
    jar = community_jar()
    return read_override(jar) if jar is not None and any(spec.installed for spec in specs) else None


def recorded_classes(options: TlcOptions, jar: Jar) -> tuple[Override, ...]:
    """The classes of the installed CommunityModules if they suit ``jar`` and a run with these options had them."""
    path = community_jar()
    if path is None or not options.overrides or not community_suits(jar):
        return ()
    classes = read_override(path)
    return (classes,) if any(each.sha256 == classes.sha256 for each in options.overrides) else ()


def community_suits(jar: Jar) -> bool:
    """Whether the TLC of a jar has what the classes of the installed CommunityModules need, or none are installed."""
    path = community_jar()
    return path is None or _suits(path, jar.path)


def check_classes(
    classes: Override | None,
    specs: Iterable[ModuleGraph],
    jar: Jar,
    texts: Mapping[str, str],
    paths: Mapping[str, str],
    *,
    trust: bool,
) -> None:
    """Check that runs with the classes of the CommunityModules mean what their modules say.

    ``texts`` are the texts of the modules, ``paths`` their files by the same keys. Raises ToolchainError
    (``community-tlc``) if the TLC of ``jar`` lacks what the classes need, and InputError: ``community-copy`` if a class
    could replace another definition of a module that comes from elsewhere, ``starts-programs``.
    """
    if classes is None:
        return
    names, library = _contents(classes.copy)
    for spec in specs:
        _check_jar(spec, classes, jar)
        _check_copies(spec, names, library)
    if not trust:
        own = set(library.values())
        for key, text in texts.items():
            if text not in own:
                _check_programs(text, paths.get(key))


@lru_cache(maxsize=8)
def _contents(classes: Path) -> tuple[frozenset[str], Mapping[str, str]]:
    """The names of the files in a jar of classes, and the texts of its modules."""
    with zipfile.ZipFile(classes) as archive:
        names = frozenset(archive.namelist())
        return names, {name: archive.read(name).decode() for name in names if name.endswith(".tla")}


def _check_jar(spec: ModuleGraph, classes: Override, jar: Jar) -> None:
    if spec.installed and not _suits(classes.copy, jar.path):
        raise ToolchainError(
            "community-tlc",
            f"{spec.root.name} needs {_named(spec)} of the CommunityModules, but {jar.tlc} ({jar.origin}) is "
            "too old for their Java classes",
            hint=f"{jar.newer}; {_TEXT_ALONE}",
        )


def _named(spec: ModuleGraph) -> str:
    """The installed modules that the specification names itself, or one that those need."""
    own = {
        each.module for module in spec.modules if module not in spec.installed for each in module.references
    }
    return ", ".join(each.name for each in spec.installed if each.name in own)


@lru_cache(maxsize=8)
def _suits(classes: Path, tools: Path) -> bool:
    """Whether a ``tla2tools.jar`` has every class of TLC that a jar of classes refers to."""
    with zipfile.ZipFile(classes) as archive, zipfile.ZipFile(tools) as tlc:
        there = {*archive.namelist(), *tlc.namelist()}
        code = (archive.read(name) for name in archive.namelist() if name.startswith(_CLASSES))
        return all(f"{name.decode()}.class" in there for each in code for name in _REFERENCE.findall(each))


def _check_copies(spec: ModuleGraph, names: frozenset[str], library: Mapping[str, str]) -> None:
    if not spec.installed:
        return
    from_library = {module.name for module in spec.installed}
    for module in spec.modules:
        text = library.get(f"{module.name}.tla")
        if f"{_CLASSES}{module.name}.class" not in names or module.name in from_library or text is None:
            continue
        known = {each.name: each.digest for each in read_text(text).definitions}
        for each in module.definitions:
            # TLC replaces those that the class implements.
            if known.get(each.name, each.digest) != each.digest:
                raise InputError(
                    "community-copy",
                    f"{each.name} differs from the CommunityModules' definition, whose Java class would replace it",
                    where=module.where(each.span),
                    hint=f"rename or remove the module {module.name}; {_TEXT_ALONE}",
                )


def _check_programs(text: str, path: str | None) -> None:
    """Raise InputError (``starts-programs``) for a module that starts a program with IOUtils."""
    for name in code_matches(_PROGRAM, text):
        line, column = line_and_column(text, name.start())
        raise InputError(
            "starts-programs",
            f"{name[0]} starts a program, whose results the run's id does not cover",
            where=f"{path}:{line}:{column}" if path is not None else None,
            hint="runs with trust are never reused: --trust, or trust = true under [tlc] in a sweep file",
        )
