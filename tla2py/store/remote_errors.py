"""The errors of remote file systems in the words of a user."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import pyarrow as pa

from tla2py.errors import StoreError

SCHEMES = "file, s3, gs, abfs, hdfs"

# Pattern of the file system's message, error code, message and hint.
_REASONS = (
    (
        r"NO_SUCH_BUCKET|NoSuchBucket|bucket does not exist|ContainerNotFound",
        "bucket-missing",
        "no such bucket: {place}",
        "make the bucket first; where it is not Amazon's, see that the URI or AWS_ENDPOINT_URL names the endpoint",
    ),
    (
        r"NETWORK_CONNECTION|curlCode|[Cc]ould not (?:connect|resolve)|Connection refused|timed out|UNAVAILABLE",
        "store-unreachable",
        "cannot reach the server of {place}: {said}",
        "see that it runs, and that the URI or AWS_ENDPOINT_URL names it: s3://bucket/path?endpoint_override=HOST:PORT",
    ),
    (
        r"(?i)ACCESS_?DENIED|INVALID_?ACCESS_?KEY|SIGNATURE|CLIENT_?TOKEN|EXPIRED_?TOKEN|UNAUTHENTICATED|HTTP [a-z ]+:? 40[13]",
        "store-denied",
        "access to {place} is refused: {said}",
        "credentials are taken from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, from ~/.aws or from the machine's role",
    ),
)


@contextlib.contextmanager
def store_errors(address: str, code: str) -> Iterator[None]:
    """A block whose file system errors are raised as StoreError, with ``code`` unless the message tells more.

    A FileNotFoundError while reading stays as it is.
    """
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        if isinstance(error, FileNotFoundError) and code == "store-unreadable":
            raise
        raise _store_error(address, code, error) from error


def _store_error(address: str, code: str, error: Exception) -> StoreError:
    said = re.sub(r"\s*\(Request ID: [^)]*\)", "", " ".join(str(error).split()))
    if "Unrecognized filesystem type" in said:
        return StoreError(
            "store-scheme", f"no store can be at {address}", hint=f"schemes that are known: {SCHEMES}"
        )
    for pattern, meant, words, hint in _REASONS:
        if re.search(pattern, said):
            # codes: bucket-missing, store-unreachable, store-denied
            return StoreError(meant, words.format(place=address, said=_short(said)), hint=hint)
    what = {"store-unwritable": "cannot write to", "store-unreadable": "cannot read"}
    return StoreError(
        code,  # codes: store-unwritable, store-unreadable, store-scheme
        f"{what.get(code, 'no store can be at')} {address}: {_short(said)}",
        hint="what is recorded stays; the same command executes the rest"
        if code in what
        else f"as in s3://bucket/path; schemes that are known: {SCHEMES}",
    )


def _short(text: str) -> str:
    """The end of a message, which says what went wrong; the beginning says what was tried."""
    found = re.search(r"AWS Error .*", text)
    text = found[0] if found else text
    return text if len(text) <= 160 else f"{text[:160]}..."
