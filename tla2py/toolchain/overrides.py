"""Java classes that override definitions of modules: those that the user names, and no others.

A jar or a folder of classes may be exchanged while a sweep goes on. So it is copied and hashed at once, before the first
run, and every run gets the content that its id names.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import platformdirs

from tla2py.errors import InputError, ToolchainError
from tla2py.model.run import ClassFile, TlcOptions
from tla2py.tlc.sandbox.private import private_folder
from tla2py.toolchain.installed import official_classes
from tla2py.toolchain.toolchain import Override, Toolchain

_HINT = "give a jar, or a folder of .class files"
# A folder with this file is a store, which grows with every run.
_STORE = "store.json"


def read_override(path: Path, where: str | None = None) -> Override:
    """The override of a jar or a folder of classes, of which a private copy is kept.

    Every file counts, except hidden ones and stores in a folder. Raises InputError (``override-missing``,
    ``override-empty``).
    """
    if not path.exists():
        raise InputError("override-missing", f"no such file: {path}", where=where, hint=_HINT)
    name = "" if path.is_dir() else "classes.jar"
    try:
        if name:
            files = {name: path.read_bytes()}
            content = _entries(files[name])
        else:
            files = content = {entry: file.read_bytes() for entry, file in _files(path)}
    except (OSError, zipfile.BadZipFile) as error:
        raise InputError(
            "override-empty", f"{path} cannot be read: {error}", where=where, hint=_HINT
        ) from error
    if not any(name.endswith(".class") for name in content):
        raise InputError("override-empty", f"{path} has no classes", where=where, hint=_HINT)
    digest = hashlib.sha256()
    for entry, data in content.items():
        digest.update(f"{entry}\0{len(data)}\0".encode() + data)
    folder = _kept(files, private_folder("overrides") / f"{digest.hexdigest()}{name}")
    official = bool(name) and hashlib.sha256(files[name]).hexdigest() in official_classes()
    return Override(path=path.resolve(), sha256=digest.hexdigest(), copy=folder / name, official=official)


def override_modules(override: Override) -> Path:
    """The folder of the modules that the override brings."""
    if override.path.is_dir():
        return override.path
    folder = platformdirs.user_cache_path("tla2py") / "overrides" / override.sha256[:32]
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        content = _entries(override.copy.read_bytes())
        _kept({Path(name).name: data for name, data in content.items() if name.endswith(".tla")}, folder)
    return folder


def pack_override(override: Override, target: Path) -> None:
    """Write an override as one jar with the same digest. Raises OSError."""
    if override.copy.is_file():
        shutil.copyfile(override.copy, target)
        return
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as jar:
        for name, file in _files(override.copy):
            jar.writestr(zipfile.ZipInfo(name), file.read_bytes())


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


def _kept(files: Mapping[str, bytes], folder: Path) -> Path:
    """A folder that holds these files, written whole or not at all. Raises OSError."""
    if not folder.is_dir():
        with tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as scratch:
            new = Path(scratch) / "new"
            new.mkdir()
            for name, data in files.items():
                (new / name).parent.mkdir(parents=True, exist_ok=True)
                (new / name).write_bytes(data)
            # Another process may have been faster.
            with contextlib.suppress(OSError):
                new.rename(folder)
    return folder
