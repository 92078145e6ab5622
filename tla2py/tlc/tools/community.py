"""Java classes that override definitions of modules: those that the user names, and no others.

A jar or a folder of classes may be exchanged while a sweep goes on. So it is copied and hashed at once, before the first
run, and every run gets the content that its id names.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import IO

import platformdirs

from tla2py.errors import InputError, ToolchainError
from tla2py.files import write_atomically
from tla2py.model.run import ClassFile, TlcOptions
from tla2py.text import listed
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.module import Module, code_matches, line_and_column
from tla2py.tla.parse import SanyAnswer, Translate, load_modules, read_text
from tla2py.tlc.process.sandbox import private_folder
from tla2py.tlc.tools.installed import community_jar, community_modules, official_classes
from tla2py.tlc.tools.jar import Jar
from tla2py.tlc.tools.pluscal import Translator, ask_sany
from tla2py.tlc.tools.toolchain import Override, Toolchain, find_toolchain

_HINT = "give a jar, or a folder of .class files"
# A folder with this file is a store, which grows with every run.
_STORE = "store.json"


def read_override(path: Path, where: str | None = None) -> Override:
    """The override of a jar or a folder of classes, of which a private copy is kept as a jar with the same digest.

    Every file counts, except hidden ones and stores in a folder. Raises InputError (``override-missing``,
    ``override-empty``).
    """
    if not path.exists():
        raise InputError("override-missing", f"no such file: {path}", where=where, hint=_HINT)
    try:
        jar = None if path.is_dir() else path.read_bytes()
        content = {name: file.read_bytes() for name, file in _files(path)} if jar is None else _entries(jar)
    except (OSError, zipfile.BadZipFile) as error:
        raise InputError(
            "override-empty", f"{path} cannot be read: {error}", where=where, hint=_HINT
        ) from error
    if not any(name.endswith(".class") for name in content):
        raise InputError("override-empty", f"{path} has no classes", where=where, hint=_HINT)
    digest = hashlib.sha256()
    for name, data in content.items():
        digest.update(f"{name}\0{len(data)}\0".encode() + data)

    def write(sink: IO[bytes]) -> None:
        if jar is not None:
            sink.write(jar)
            return
        with zipfile.ZipFile(sink, "w") as packed:
            for name, data in content.items():
                packed.writestr(zipfile.ZipInfo(name), data)

    copy = private_folder("overrides") / f"{digest.hexdigest()}.jar"
    if not copy.is_file():
        write_atomically(copy, write)
    official = jar is not None and hashlib.sha256(jar).hexdigest() in official_classes()
    return Override(path=path.resolve(), sha256=digest.hexdigest(), copy=copy, official=official)


def override_modules(override: Override) -> Path:
    """The folder of the modules that the override brings."""
    if override.path.is_dir():
        return override.path
    folder = platformdirs.user_cache_path("tla2py") / "overrides" / override.sha256[:32]
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as scratch:
            new = Path(scratch) / "new"
            new.mkdir()
            for name, data in _entries(override.copy.read_bytes()).items():
                if name.endswith(".tla"):
                    (new / Path(name).name).write_bytes(data)
            # Another process may have been faster.
            with contextlib.suppress(OSError):
                new.rename(folder)
    return folder


def class_file(override: Override) -> ClassFile:
    """An override as it appears in a run's options."""
    return ClassFile(override.path.name, override.sha256)


def planned_overrides(toolchain: Toolchain, options: TlcOptions) -> tuple[Override, ...]:
    """The overrides that a run was planned with. Raises ToolchainError (``override-missing``) if the tools lack one."""
    there = {class_file(override): override for override in toolchain.overrides}
    missing = [each.name for each in options.overrides if each not in there]
    if missing:
        raise ToolchainError(
            "override-missing",
            f"the run needs {', '.join(missing)}, but this machine has other overrides",
            hint="run it again with the same tools, or with --fresh",
        )
    return tuple(there[each] for each in options.overrides)


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files below a folder, as Java sees them, in the order of their names."""
    found, seen = [], set()
    for place, folders, names in os.walk(folder, followlinks=True):
        real = Path(place).resolve()
        if real in seen or (Path(place) != folder and _STORE in names):
            folders.clear()
            continue
        seen.add(real)
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(place) / name for name in names if not name.startswith(".")]
    for file in sorted(found):
        if file.is_file():
            yield file.relative_to(folder).as_posix(), file


def _entries(jar: bytes) -> dict[str, bytes]:
    """The files in a jar, in the order of their names. Raises BadZipFile."""
    with zipfile.ZipFile(io.BytesIO(jar)) as archive:
        return {name: archive.read(name) for name in sorted(archive.namelist()) if not name.endswith("/")}


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

    What tla2py cannot read is as SANY declares it. Raises InputError as ``load_modules`` does.
    """
    library = community_modules() or instead
    find = translate.toolchain if isinstance(translate, Translator) else find_toolchain

    def sany(root: str, modules: Mapping[str, Module]) -> SanyAnswer:
        with contextlib.suppress(ToolchainError):
            return ask_sany(root, modules, find())
        return None

    return load_modules(path, libraries, nearby=nearby, translate=translate, installed=library, sany=sany)


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
    for spec in (each for each in specs if each.installed):
        if not _suits(classes.copy, jar.path):
            needed = listed([each.name for each in spec.installed], 5)
            raise ToolchainError(
                "community-tlc",
                f"{spec.root.name} needs {needed} of the CommunityModules, but {jar.tlc} ({jar.origin}) is too old for "
                "their Java classes",
                hint=f"{jar.newer}; {_TEXT_ALONE}",
            )
        _check_copies(spec, names, library)
    if not trust:
        own = set(library.values())
        for key, text in texts.items():
            for name in code_matches(_PROGRAM, text) if text not in own else ():
                line, column = line_and_column(text, name.start())
                raise InputError(
                    "starts-programs",
                    f"{name[0]} starts a program, whose results the run's id does not cover",
                    where=f"{paths[key]}:{line}:{column}" if key in paths else None,
                    hint="runs with trust are never reused: --trust, or trust = true under [tlc] in a sweep file",
                )


@lru_cache(maxsize=8)
def _contents(classes: Path) -> tuple[frozenset[str], Mapping[str, str]]:
    """The names of the files in a jar of classes, and the texts of its modules."""
    with zipfile.ZipFile(classes) as archive:
        names = frozenset(archive.namelist())
        return names, {name: archive.read(name).decode() for name in names if name.endswith(".tla")}


@lru_cache(maxsize=8)
def _suits(classes: Path, tools: Path) -> bool:
    """Whether a ``tla2tools.jar`` has every class of TLC that a jar of classes refers to."""
    with zipfile.ZipFile(classes) as archive, zipfile.ZipFile(tools) as tlc:
        there = {*archive.namelist(), *tlc.namelist()}
        code = (archive.read(name) for name in archive.namelist() if name.startswith(_CLASSES))
        return all(f"{name.decode()}.class" in there for each in code for name in _REFERENCE.findall(each))


def _check_copies(spec: ModuleGraph, names: frozenset[str], library: Mapping[str, str]) -> None:
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
