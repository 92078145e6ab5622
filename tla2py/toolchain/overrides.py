"""Java classes that override definitions of modules: those that the user names, and no others.

The manifest of ``tla2tools.jar`` names further jars (CommunityModules), which Java silently loads if they lie beside it.
In that case runs use a copy of the jar in another folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import platformdirs

from tla2py.errors import InputError, ToolchainError
from tla2py.model.run import ClassFile, TlcOptions
from tla2py.toolchain.toolchain import Jar, Override, Toolchain, copied_jar

_HINT = "give a jar, or a folder of .class files"


def read_override(path: Path, where: str | None = None) -> Override:
    """The override of a jar or a folder of classes. Raises InputError (``override-missing``, ``override-empty``)."""
    if not path.exists():
        raise InputError("override-missing", f"no such file: {path}", where=where, hint=_HINT)
    digest, has_classes = hashlib.sha256(), False
    try:
        for name, data in _files(path):
            digest.update(f"{name}\0{len(data)}\0".encode() + data)
            has_classes |= name.endswith(".class")
    except (OSError, zipfile.BadZipFile) as error:
        raise InputError(
            "override-empty", f"{path} cannot be read: {error}", where=where, hint=_HINT
        ) from error
    if not has_classes:
        raise InputError("override-empty", f"{path} has no classes", where=where, hint=_HINT)
    return Override(path=path.resolve(), sha256=digest.hexdigest())


def override_modules(override: Override) -> Path:
    """The folder of the modules that the override brings."""
    if override.path.is_dir():
        return override.path
    folder = platformdirs.user_cache_path("tla2py") / "overrides" / override.sha256[:32]
    if not folder.is_dir():
        new = folder.with_suffix(f".{os.getpid()}")
        new.mkdir(parents=True, exist_ok=True)
        for name, data in _files(override.path):
            if name.endswith(".tla"):
                (new / Path(name).name).write_bytes(data)
        with contextlib.suppress(OSError):
            new.rename(folder)
        shutil.rmtree(new, ignore_errors=True)
    return folder


def pack_override(override: Override, target: Path) -> None:
    """Write the classes and modules of an override as one jar with the same digest. Raises OSError."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as jar:
        for name, data in _files(override.path):
            jar.writestr(zipfile.ZipInfo(name), data)


def option_overrides(overrides: Iterable[Override]) -> tuple[ClassFile, ...]:
    """The overrides as they appear in a run's options."""
    return tuple(ClassFile(override.path.name, override.sha256) for override in overrides)


def with_overrides(toolchain: Toolchain, options: TlcOptions) -> Toolchain:
    """The tools for a run, with a jar that loads no other overrides.

    Raises ToolchainError (``override-missing``) if they lack the overrides that the run was planned with.
    """
    if option_overrides(toolchain.overrides) != options.overrides:
        names = ", ".join(name for name, _ in options.overrides) or "no overrides"
        raise ToolchainError(
            "override-missing",
            f"the run needs {names}, but this machine has other overrides",
            hint="run it again with the same tools, or with --fresh",
        )
    return replace(toolchain, jar=_isolated(toolchain.jar))


@lru_cache(maxsize=8)
def _isolated(jar: Jar) -> Jar:
    """The jar, or a copy if a jar that its manifest names lies beside it."""
    try:
        with zipfile.ZipFile(jar.path) as archive:
            manifest = archive.read("META-INF/MANIFEST.MF").decode("utf-8", "replace").replace("\r", "")
    except (OSError, KeyError, zipfile.BadZipFile):
        return jar
    named = re.search(r"^Class-Path: (.*(?:\n .*)*)", manifest, re.MULTILINE)
    names = named[1].replace("\n ", "").split() if named is not None else []
    beside = any((jar.path.parent / name).exists() for name in names)
    return copied_jar(jar) if beside else jar


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    """The classes and modules of a jar or a folder, in the order of their names."""
    wanted = (".class", ".tla")
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            if file.suffix in wanted and file.is_file():
                yield file.relative_to(path).as_posix(), file.read_bytes()
        return
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(wanted):
                yield name, archive.read(name)
