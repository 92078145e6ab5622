"""Errors of remote file systems as StoreErrors with messages for users."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import pyarrow as pa

from tla2py.errors import StoreError

SCHEMES = "file, s3, gs, abfs, hdfs"

# Pattern of the file system's message; error code, message and hint.
_REASONS = (
    (
        r"NO_SUCH_BUCKET|NoSuchBucket|bucket does not exist|ContainerNotFound",
        "bucket-missing",
        "no such bucket: {address}",
        "create the bucket first; unless it is on AWS, check that the URI or AWS_ENDPOINT_URL names the endpoint",
    ),
    (
        r"NETWORK_CONNECTION|curlCode|[Cc]ould not (?:connect|resolve)|Connection refused|timed out|UNAVAILABLE",
        "store-unreachable",
        "cannot reach the server of {address}: {reason}",
        "check that it runs, and that the URI or AWS_ENDPOINT_URL names it: s3://bucket/path?endpoint_override=HOST:PORT",
    ),
    (
        r"(?i)ACCESS_?DENIED|INVALID_?ACCESS_?KEY|SIGNATURE|CLIENT_?TOKEN|EXPIRED_?TOKEN|UNAUTHENTICATED|HTTP [a-z ]+:? 40[13]",
        "store-denied",
        "access denied to {address}: {reason}",
        "credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, from ~/.aws or from the machine's role",
    ),
)


@contextlib.contextmanager
def store_errors(address: str, code: str) -> Iterator[None]:
    """Raise the block's file system errors as StoreError, with ``code`` unless the message implies a better one.

    A FileNotFoundError while reading stays as it is.
    """
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        if isinstance(error, FileNotFoundError) and code == "store-unreadable":
            raise
        raise _store_error(address, code, error) from error


def _store_error(address: str, code: str, error: Exception) -> StoreError:
    reason = re.sub(r"\s*\(Request ID: [^)]*\)", "", " ".join(str(error).split()))
    if "Unrecognized filesystem type" in reason:
        return StoreError(
            "store-scheme", f"unsupported store address: {address}", hint=f"supported schemes: {SCHEMES}"
        )
    for pattern, known, message, hint in _REASONS:
        if re.search(pattern, reason):
            # codes: bucket-missing, store-unreachable, store-denied
            return StoreError(known, message.format(address=address, reason=_short(reason)), hint=hint)
    problems = {"store-unwritable": "cannot write to", "store-unreadable": "cannot read"}
    return StoreError(
        code,  # codes: store-unwritable, store-unreadable, store-scheme
        f"{problems.get(code, 'unsupported store address')} {address}: {_short(reason)}",
        hint="recorded runs are kept; the same command executes the rest"
        if code in problems
        else f"as in s3://bucket/path; supported schemes: {SCHEMES}",
    )


def _short(text: str) -> str:
    """The end of a message, which gives the reason; the beginning gives the request."""
    found = re.search(r"AWS Error .*", text)
    text = found[0] if found else text
    return text if len(text) <= 160 else f"{text[:160]}..."
