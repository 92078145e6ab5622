"""What lets a sweep file or a project put its own program in the place of TLC: refused unless it is trusted."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from tla2py.errors import InputError
from tla2py.sweep.file import SweepFile, files_below, folder_file, read_folder_file, read_sweep_file
from tla2py.tlc.tools.installed import COMMUNITY, JAR_DIGESTS, installed_releases, official_classes
from tla2py.tlc.tools.jar import Jar, bundled_jar

# Options that set sizes, switches and numbers; others name programs, agents and classes.
_HARMLESS = re.compile(
    r"-X(?:ss|mx|ms|mn|int|batch)(?:\d+[kKmMgG]?)?|-XX:(?:[+-]\w+|\w+=\d+[kKmMgG]?)|-D(?P<name>[^=]+)(?:=.*)?"
)
_OF_JAVA = re.compile(r"(?:java|javax|jdk|sun|com\.sun)\.")
_OF_SYSTEM = re.compile(r"(?:LD_|DYLD_|GLIBC_|GCONV_|NLSPATH|LOCPATH|PATH\Z|HOME\Z|TMPDIR\Z)")

Power = Literal["java_options", "java_properties", "environment"]


def check_powers(file: SweepFile) -> None:
    """Raise InputError (``needs-trust``) for classes, options and variables that could forge TLC's answers."""
    for name in file.sections.tlc.overrides:
        classes = file.folder / name
        if not classes.is_file() or _sha256(classes) not in official_classes():
            raise _needs_trust(f"the Java classes {name}", file.place("tlc", "overrides", value=name))
    for option in file.sections.tlc.java_options:
        if may_forge("java_options", option):
            where = file.place("tlc", "java_options", value=option)
            raise _needs_trust(f"the option {option} of Java", where)
    kinds: tuple[Power, ...] = ("java_properties", "environment")
    for kind in kinds:
        start = f"{kind}."
        swept = [name.removeprefix(start) for name in file.sections.parameters if name.startswith(start)]
        for name in (*getattr(file.sections, kind), *swept):
            if may_forge(kind, name):
                keys = ("parameters", start + name) if name in swept else (kind, name)
                raise _needs_trust(f"setting {name}", file.place(*keys))


def may_forge(kind: Power, text: str) -> bool:
    """Whether an option of Java, or the name of a variable, could forge TLC's answers."""
    if kind == "java_options":
        found = _HARMLESS.fullmatch(text)
        return found is None or bool(_OF_JAVA.match(found["name"] or ""))
    return bool((_OF_JAVA if kind == "java_properties" else _OF_SYSTEM).match(text))


def check_jar(jar: Jar) -> None:
    """Raise InputError (``needs-trust``) for a jar in a project, unless it is a known release or installed here."""
    if jar.project is None or not (jar.project.file.parent / jar.project.named).is_file():
        return
    known = {*JAR_DIGESTS, *(_sha256(path) for _, path in installed_releases()), _sha256(bundled_jar())}
    if jar.sha256 not in known:
        raise _needs_trust(f"the jar {jar.project.named}", str(jar.project.file))


def _needs_trust(what: str, where: str) -> InputError:
    hint = "--trust allows it, if you trust everyone who can change the repository"
    return InputError("needs-trust", f"{what} can replace TLC's answers", where=where, hint=hint)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def repository_of(path: Path) -> Path:
    """The repository of a file: the nearest folder above it with ``.git``, else the file's folder."""
    folder = Path(os.path.abspath(path)).parent  # noqa: PTH100 - links are resolved later
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)


def check_inside(path: Path, owner: Path, where: str | None = None) -> None:
    """Raise InputError (``outside-repository``) for a path outside the repository of ``owner``, a sweep file."""
    root = os.path.realpath(repository_of(owner))
    if not Path(os.path.realpath(path)).is_relative_to(root):
        text = f"{path} leads out of the repository {root}"
        hint = "copy it into the repository; without --no-trust a sweep file may name any file"
        raise InputError("outside-repository", text, where=where or str(owner), hint=hint)


def check_untrusted(path: Path) -> None:
    """Check what an untrusted sweep file or folder names, before anything else reads it.

    Raises InputError: ``outside-repository``, ``needs-trust``, and as ``read_sweep_file`` does.
    """
    check_inside(path, path)
    if (own := folder_file(path)) is not None:
        for each in files_below(own.parent):
            if each.suffix.lower() in (".cfg", ".tla") or each == own:
                check_inside(each, own)
        check_named(read_folder_file(own))
        return
    check_named(read_sweep_file(path))


def check_named(file: SweepFile) -> None:
    """Check what the text of a sweep file names. Raises InputError: ``outside-repository``, ``needs-trust``."""
    check_powers(file)
    for each, where in _named_places(file):
        check_inside(each, file.path, where)


def _named_places(file: SweepFile) -> Iterator[tuple[Path, str]]:
    """What a sweep file names, and the modules that those read, each with the place that names it."""
    for named, where in _list_named_files(file):
        for each in _matching(file.folder, named):
            yield each, where
    yield from _module_files(file)


def files_read(path: Path) -> Iterator[Path]:
    """What a command may read that is given a module, a config, a sweep file or a folder of these.

    Of the modules beside a module only those that are named in it, or in one that is named, are read; a link from a
    folder to another one elsewhere is not followed.
    """
    if path.is_dir():
        found: Iterable[Path] = files_below(path)
    elif path.suffix.lower() == ".tla":
        found = (*_named_modules([path], path.parent.glob("*.tla")), path.with_suffix(".cfg"))
    elif path.suffix.lower() == ".cfg":
        found = (path, *path.parent.glob("*.tla"))
    else:
        # Below, what a sweep file names.
        found = (path,)
    for each in found:
        if not each.is_dir() and each.suffix.lower() in (".cfg", ".tla", ".toml"):
            yield each
        if each.suffix.lower() == ".toml":
            with contextlib.suppress(InputError):
                own = folder_file(each)
                read = read_sweep_file(each) if own is None else read_folder_file(own)
                yield from (named for named, _ in _named_places(read))


def _named_modules(modules: Iterable[Path], others: Iterable[Path]) -> Iterator[Path]:
    """Yield the modules, and each of the others whose name occurs in the text of one of those."""
    by_name: dict[str, list[Path]] = {}
    for module in others:
        by_name.setdefault(module.stem, []).append(module)
    waiting, seen = [*modules], set[Path]()
    while waiting:
        module = waiting.pop()
        if module in seen:
            continue
        seen.add(module)
        yield module
        try:
            words = set(re.findall(r"\w+", module.read_text(encoding="utf-8", errors="replace")))
        except OSError:
            continue
        for name in sorted(words & by_name.keys()):
            waiting += by_name[name]


def named_files(path: Path) -> Iterator[Path]:
    """The files that a sweep file names, also if it cannot be read as one."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        text = path.read_text(encoding="utf-8")
        for written in re.findall(r"""["']([^"'\n]+)["']""", text):
            yield from (root / written for root in (path.parent, *path.parent.parents))
    with contextlib.suppress(InputError):
        for named, _ in _list_named_files(read_sweep_file(path)):
            yield from _matching(path.parent, named)


def _list_named_files(file: SweepFile) -> Iterator[tuple[str, str]]:
    """Yield the files and patterns that a sweep file names, each with its place."""
    for key, value in (
        ("module", file.sections.module),
        ("config", file.sections.config),
        ("template", file.sections.template),
    ):
        for name in [value] if isinstance(value, str) else value or ():
            yield name, file.place(key, value=name)
    logs = [name for each in file.sections.logs.files for name in ([each] if isinstance(each, str) else each)]
    for section, names in (("inputs", file.sections.inputs.files), ("logs", logs)):
        for name in names:
            yield name, file.place(section, "files", value=name)
    for name in logs:  # a folder has the logs of one run
        yield f"{name}/*", file.place("logs", "files", value=name)


def _module_files(file: SweepFile) -> Iterator[tuple[Path, str]]:
    """The folders in which modules are searched and the modules there that are read, each with the place that names it."""
    modules = [file.sections.module] if isinstance(file.sections.module, str) else file.sections.module
    folders = [((file.folder / name).parent, file.place("module", value=name)) for name in modules]
    for name in file.sections.libraries:
        if name != COMMUNITY or (file.folder / name).exists():
            folders.append((file.folder / name, file.place("libraries", value=name)))
    places: dict[Path, str] = {}
    for folder, where in folders:
        yield folder, where
        for module in sorted(folder.glob("*.tla")):
            places.setdefault(module, where)
    for module in _named_modules([file.folder / name for name in modules], places):
        yield module, places.get(module, str(file.place("module")))


def _matching(base: Path, pattern: str) -> Iterator[Path]:
    """A path and what matches it as a pattern, in which parameters in braces stand for any text."""
    yield base / os.path.normpath(pattern)
    pattern = re.sub(r"\{[^{}]*\}", "*", pattern)
    if glob.has_magic(pattern):
        # Path.glob refuses patterns that begin at the root.
        for found in glob.glob(pattern, root_dir=base, recursive=True):  # noqa: PTH207
            yield base / found
