"""The releases installed in the user's cache.

::

    CACHE/tools/1.7.4/tla2tools.jar
    CACHE/tools/community-modules/CommunityModules-deps.jar, and its modules in modules/
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import platformdirs

from tla2py.errors import InputError, ToolchainError
from tla2py.toolchain.jar import read_jar
from tla2py.toolchain.releases import COMMUNITY, COMMUNITY_DIGESTS, COMMUNITY_JAR, Release, release

_JAR = "tla2tools.jar"
# Beside a downloaded jar of the CommunityModules: its sha256.
_DOWNLOADED = "downloaded.sha256"


def tools_folder() -> Path:
    """The folder of installed releases, which may not exist."""
    return platformdirs.user_cache_path("tla2py") / "tools"


def installed_jar(name: str) -> Path | None:
    """The jar of an installed release of the tools, None if it is not installed."""
    if not re.fullmatch(r"[\w.-]+", name):
        return None
    jar = tools_folder() / name.removeprefix("v") / _JAR
    return jar if jar.is_file() else None


def installed(wanted: Release) -> Path | None:
    """The jar of a release, or the folder of the CommunityModules; None if not installed."""
    return community_modules() if wanted.name == COMMUNITY else installed_jar(wanted.name)


def installed_path(name: str) -> Path:
    """The jar of a release, or the folder of the CommunityModules.

    Raises InputError as ``release`` does, and ToolchainError (``not-installed``).
    """
    wanted = release(name)
    found = installed(wanted)
    if found is None:
        raise ToolchainError(
            "not-installed", f"{wanted.name} is not installed", hint=f"tla2py tools install {wanted.name}"
        )
    return found


def installed_releases() -> list[tuple[str, Path]]:
    """The names and jars of the installed releases of the tools."""
    return [(jar.parent.name, jar) for jar in sorted(tools_folder().glob(f"*/{_JAR}"))]


def community_modules() -> Path | None:
    """The folder of the installed CommunityModules, None if not installed."""
    folder = tools_folder() / COMMUNITY / "modules"
    return folder if folder.is_dir() else None


def community_jar() -> Path | None:
    """The jar of the installed CommunityModules, None if not installed."""
    jar = tools_folder() / COMMUNITY / COMMUNITY_JAR
    return jar if jar.is_file() and community_modules() is not None else None


def official_classes() -> frozenset[str]:
    """The sha256 of every jar of the CommunityModules that is known to be official: listed, or downloaded on this machine."""
    record = tools_folder() / COMMUNITY / _DOWNLOADED
    downloaded = record.read_text("ascii").split() if record.is_file() else ()
    return COMMUNITY_DIGESTS.union(downloaded)


def module_folder(named: Path) -> Path:
    """The folder of an option ``-L``; ``community-modules`` is the installed one unless a folder has this name.

    Raises ToolchainError (``not-installed``).
    """
    if str(named) != COMMUNITY or named.is_dir():
        return named
    found = community_modules()
    if found is None:
        raise ToolchainError(
            "not-installed",
            "the CommunityModules are not installed",
            hint=f"tla2py tools install {COMMUNITY}; without a network, add --from-file JAR",
        )
    return found


def install(
    wanted: Release,
    *,
    file: Path | None = None,
    sha256: str | None = None,
    patience: float = 30.0,
    report: Callable[[int, int | None], None] = lambda _done, _total: None,
) -> Path:
    """The jar of a release, installed from its address or from ``file``; replaces an installed one.

    An error leaves everything unchanged. Raises ToolchainError: ``jar-missing``, and as ``download`` and ``read_jar`` do; and
    InputError (``cache-unwritable``).
    """
    base = tools_folder()
    place = base / wanted.name
    try:
        base.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=base, prefix=".tmp-", ignore_cleanup_errors=True) as scratch:
            fresh = Path(scratch) / "release"
            fresh.mkdir()
            expected = sha256 or wanted.sha256
            address = wanted.url
            if file is not None:
                if not file.is_file():
                    raise ToolchainError(
                        "jar-missing", f"no such file: {file}", hint="--from-file takes a jar"
                    )
                address = file.resolve().as_uri()
            # Imported on use, as few commands need an HTTP client.
            from tla2py.toolchain.download import download

            download(address, fresh / wanted.file, sha256=expected, patience=patience, report=report)
            if wanted.name != COMMUNITY:
                read_jar(fresh / wanted.file, "the download")
            else:
                _check_modules(fresh / wanted.file)
                _unpack_modules(fresh / wanted.file, fresh / "modules")
                if file is None:
                    digest = hashlib.sha256((fresh / wanted.file).read_bytes()).hexdigest()
                    (fresh / _DOWNLOADED).write_text(f"{digest}\n", "ascii")
            _put(fresh, place, Path(scratch) / "old")
    except OSError as error:
        raise InputError(
            "cache-unwritable",
            f"cannot write to {base}: {error.strerror or error}",
            hint="set XDG_CACHE_HOME to a writable folder",
        ) from error
    return place / wanted.file


def _check_modules(path: Path) -> None:
    """Check that a file is the jar of the CommunityModules. Raises ToolchainError (``jar-corrupt``)."""
    try:
        with zipfile.ZipFile(path) as jar:
            found = "SequencesExt.tla" in jar.namelist() and jar.testzip() is None
    except (zipfile.BadZipFile, OSError, EOFError):
        found = False
    if not found:
        raise ToolchainError(
            "jar-corrupt",
            f"{path.name} is not the jar of the CommunityModules",
            hint="use CommunityModules-deps.jar",
        )


def _unpack_modules(jar: Path, folder: Path) -> None:
    folder.mkdir()
    with zipfile.ZipFile(jar) as archive:
        for name in archive.namelist():
            # Only modules at the top level.
            if re.fullmatch(r"\w+\.tla", name) and len(PurePosixPath(name).parts) == 1:
                (folder / name).write_bytes(archive.read(name))


def _put(fresh: Path, place: Path, aside: Path) -> None:
    """Rename a folder into its place, and the old one aside; of two processes that do this at once, one wins."""
    if place.exists():
        place.replace(aside)
    try:
        fresh.replace(place)
    except OSError:
        if not (place.is_dir() and any(place.iterdir())):
            raise
        shutil.rmtree(fresh, ignore_errors=True)
