"""The download of one file over HTTP, complete and with the expected digest."""

from __future__ import annotations

import errno
import hashlib
import http.client
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tla2py.errors import ToolchainError

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
    ``report`` gets the bytes so far and the total. Raises OSError for the disk, and ToolchainError:
    ``download-failed``, ``download-cut`` if the size differs from the announced one, ``download-digest``. After an error
    ``target`` may hold a part of the file.
    """
    digest = hashlib.sha256()
    done, total = 0, None
    try:
        request = urllib.request.Request(url, headers={"User-Agent": "tla2py"})  # noqa: S310 - see releases.py
        with closing(urllib.request.urlopen(request, timeout=patience)) as answer, target.open("wb") as sink:  # noqa: S310
            length = answer.headers.get("Content-Length")
            total = int(length) if length and length.isdigit() else None
            report(0, total)
            while chunk := answer.read1(_CHUNK):
                sink.write(chunk)
                digest.update(chunk)
                done += len(chunk)
                report(done, total)
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
