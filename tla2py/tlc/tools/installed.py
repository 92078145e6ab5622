"""The official releases: their addresses, their download, and the folder where they are installed."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from tla2py.errors import InputError, ToolchainError
from tla2py.tlc.tools.jar import Jar, read_jar

COMMUNITY = "community-modules"
ROLLING = "rolling"
# TLA2PY_MIRROR may name a copy with the same paths.
_HOST = "https://github.com"
_TOOLS = "tlaplus/tlaplus/releases/download/{tag}/tla2tools.jar"
COMMUNITY_JAR = "CommunityModules-deps.jar"
_MODULES = f"tlaplus/CommunityModules/releases/latest/download/{COMMUNITY_JAR}"
# The project republishes its newest build under this version after every change.
_MOVING = "1.8.0"
# The CommunityModules do not suit the TLC of releases that begin so.
_OLD = ("0.", "1.0.", "1.1.", "1.2.", "1.3.", "1.4.", "1.5.", "1.6.", "1.7.")

# The releases of versions of TLC; builds since February 2026 have the version that they are named by.
_RELEASES = {"2.17": "1.7.2", "2.18": "1.7.3", "2.19": "1.7.4", "2.20": ROLLING}

_DIGESTS = {"1.7.4": "936a262061c914694dfd669a543be24573c45d5aa0ff20a8b96b23d01e050e88"}
JAR_DIGESTS = frozenset(_DIGESTS.values())
# Official builds of the CommunityModules: CommunityModules.jar of 2025-08-29.
COMMUNITY_DIGESTS = frozenset({"9afc49218556d82a5e378f04061d7f71403d19c9b1808624a1caf8863023caa4"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A release: its name, the address and file name of its jar, and the jar's sha256 if it never changes."""

    name: str
    url: str
    file: str
    sha256: str | None

    @property
    def brings_community(self) -> bool:
        """Whether the CommunityModules are installed with it, because they suit its TLC."""
        return self.name == ROLLING or (self.name != COMMUNITY and not self.name.startswith(_OLD))

    def built(self, jar: Jar) -> bool:
        """Whether the build of a jar says that it is this release; ``rolling`` is any that is no release with a number."""
        if self.name == ROLLING:
            return jar.tag == _MOVING or not re.fullmatch(r"\d+\.\d+\.\d+", jar.tag)
        return jar.tag == self.name or (jar.version.startswith(self.name) and self.name.startswith("20"))


def release_of(version: str) -> str:
    """The release that has a version of TLC, or the name itself."""
    return _RELEASES.get(version, version)


def release(name: str) -> Release:
    """The release with a name: a tag such as 1.7.4 or 2026.04.29.170100, ``rolling`` (or 1.8.0), or ``community-modules``.

    Raises InputError (``unknown-release``, ``mirror``).
    """
    host = os.environ.get("TLA2PY_MIRROR", "").rstrip("/") or _HOST
    if not re.match(r"https?://", host):
        raise InputError(
            "mirror", f"TLA2PY_MIRROR is not an address: {host}", hint="give one with http or https"
        )
    if name == COMMUNITY:
        return Release(name=name, url=f"{host}/{_MODULES}", file=COMMUNITY_JAR, sha256=None)
    version = _MOVING if name == ROLLING else name.removeprefix("v")
    calendar = re.fullmatch(r"20\d\d\.\d\d\.\d\d(\.\d+)?", version) is not None
    if not calendar and not re.fullmatch(r"\d+\.\d+\.\d+", version):
        hint = f"the names are {ROLLING}, versions such as 1.7.4 and 2026.04.29.170100, and {COMMUNITY}"
        if (found := release_of(version)) != version:
            hint = f"TLC {version} comes with {found}: tla2py tools install {found}"
            if found == ROLLING:
                hint += "; its builds since February 2026 are newer: an older jar with --from-file JAR"
        raise InputError("unknown-release", f"no release is named {name}", hint=hint)
    return Release(
        name=ROLLING if version == _MOVING else version,
        url=f"{host}/{_TOOLS.format(tag=version if calendar else f'v{version}')}",
        file="tla2tools.jar",
        sha256=_DIGESTS.get(version),
    )


_CHUNK = 1 << 16
# Errors of the disk, not of the network.
_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


def download(
    url: str,
    target: Path,
    *,
    sha256: str | None = None,
    patience: float = 30.0,
    report: Callable[[int, int | None], None] = lambda _done, _total: None,
) -> None:
    """Download ``url`` into the file ``target``, through the proxy of the environment.

    ``sha256`` is the digest that the file must have; ``patience`` is how many seconds the server may be silent;
    ``report`` gets the bytes so far and the total, which is None until the end if the server does not announce it. Raises OSError for the disk, and ToolchainError:
    ``download-failed``, ``download-cut`` if the size differs from the announced one, ``download-digest``. After an error
    ``target`` may hold a part of the file.
    """
    digest = hashlib.sha256()
    done, total = 0, None
    # Imported on use: few commands download.
    import http.client
    import urllib.error
    import urllib.request

    try:
        request = urllib.request.Request(url, headers={"User-Agent": "tla2py"})  # noqa: S310 - ``release`` checks it
        with urllib.request.urlopen(request, timeout=patience) as answer, target.open("wb") as sink:  # noqa: S310
            length = answer.headers.get("Content-Length")
            total = int(length) if length and length.isdigit() else None
            report(0, total)
            while chunk := answer.read1(_CHUNK):
                sink.write(chunk)
                digest.update(chunk)
                done += len(chunk)
                report(done, total)
        if total is None:
            report(done, done)
    except urllib.error.HTTPError as error:
        error.close()
        hint = "tla2py tools install -h lists the releases" if error.code == 404 else OFFLINE
        raise ToolchainError(
            "download-failed", f"{url} answers {error.code} {error.reason}", hint=hint
        ) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        if isinstance(error, OSError) and error.errno in _DISK:
            raise
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(reason, TimeoutError):
            reason = f"no data for {patience:g} s"
        raise ToolchainError(
            "download-failed", f"cannot fetch {url}: {reason or type(error).__name__}", hint=OFFLINE
        ) from error
    if total is not None and done != total:
        raise ToolchainError(
            "download-cut",
            f"{url} ended after {done:,} of {total:,} bytes",
            hint="nothing was installed; run the same command to try again",
        )
    if sha256 is not None and digest.hexdigest() != sha256.lower():
        raise ToolchainError(
            "download-digest",
            f"{url} has the sha256 {digest.hexdigest()}, not {sha256.lower()}",
            hint="nothing was installed; try again; if the digest is still wrong, the server's file has changed",
        )


OFFLINE = (
    "without a network: download the file elsewhere and pass it with --from-file FILE; "
    "behind a proxy: set https_proxy; with a mirror: set TLA2PY_MIRROR"
)
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
    if (found := installed(wanted)) is None:
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
    if (found := community_modules()) is None:
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

    An error leaves everything unchanged. Raises ToolchainError: ``jar-missing``, ``jar-other-release`` for a file, and as ``download`` and ``read_jar`` do; and
    InputError (``cache-unwritable``).
    """
    base = tools_folder()
    place = base / wanted.name
    try:
        base.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=base, prefix=".tmp-", ignore_cleanup_errors=True) as scratch:
            fresh = Path(scratch) / "release"
            fresh.mkdir()
            if file is not None and not file.is_file():
                raise ToolchainError("jar-missing", f"no such file: {file}", hint="--from-file takes a jar")
            address = wanted.url if file is None else file.resolve().as_uri()
            expected = sha256 or wanted.sha256
            download(address, fresh / wanted.file, sha256=expected, patience=patience, report=report)
            if wanted.name != COMMUNITY:
                jar = read_jar(fresh / wanted.file, "the download")
                if file is not None and not wanted.built(jar):
                    raise ToolchainError(
                        "jar-other-release",
                        f"{file} is not {wanted.name}: its build says {jar.tag or 'no tag'}, {jar.tlc} of {jar.date}",
                        hint="install it under the name that it has, or use it as it is: --tla2tools FILE",
                    )
            else:
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


def _unpack_modules(jar: Path, folder: Path) -> None:
    """Write the modules of the CommunityModules' jar into a folder. Raises OSError and ToolchainError (``jar-corrupt``)."""
    folder.mkdir()
    with contextlib.suppress(zipfile.BadZipFile, EOFError), zipfile.ZipFile(jar) as archive:
        for name in archive.namelist() if archive.testzip() is None else ():
            # Only modules at the top level.
            if re.fullmatch(r"\w+\.tla", name):
                (folder / name).write_bytes(archive.read(name))
    if not (folder / "SequencesExt.tla").is_file():
        raise ToolchainError(
            "jar-corrupt",
            f"{jar.name} is not the jar of the CommunityModules",
            hint="use CommunityModules-deps.jar",
        )


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
