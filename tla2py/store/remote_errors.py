"""Errors of remote file systems as StoreErrors with messages for users."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import pyarrow as pa

from tla2py.errors import StoreError

SCHEMES = "file, s3, gs, abfs, hdfs"

_NO_BUCKET = re.compile(r"NO_SUCH_BUCKET|NoSuchBucket|bucket does not exist|ContainerNotFound")
_NO_CONNECTION = re.compile(
    r"NETWORK_CONNECTION|curlCode|[Cc]ould not (?:connect|resolve)|Connection refused|timed out|UNAVAILABLE"
)
_NO_ACCESS = re.compile(
    r"ACCESS_?DENIED|INVALID_?ACCESS_?KEY|SIGNATURE|CLIENT_?TOKEN|EXPIRED_?TOKEN|UNAUTHENTICATED|HTTP [a-z ]+:? 40[13]",
    re.IGNORECASE,
)
_KEPT = "recorded runs are kept; the same command executes the rest"


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
    message = re.sub(r"\s*\(Request ID: [^)]*\)", "", " ".join(str(error).split()))
    reason = _short(message)
    if "Unrecognized filesystem type" in message:
        return StoreError(
            "store-scheme", f"unsupported store address: {address}", hint=f"supported schemes: {SCHEMES}"
        )
    if "Unable to load lib" in message:
        return StoreError(
            "store-scheme",
            f"the client of HDFS cannot be loaded: {reason}",
            hint="set JAVA_HOME, HADOOP_HOME, whose lib/native has libhdfs.so, and CLASSPATH, "
            "which hadoop classpath --glob prints",
        )
    if _NO_BUCKET.search(message):
        return StoreError(
            "bucket-missing",
            f"no such bucket: {address}",
            hint="create the bucket first; unless it is on AWS, check that the URI or AWS_ENDPOINT_URL names the endpoint",
        )
    if _NO_CONNECTION.search(message):
        return StoreError(
            "store-unreachable",
            f"cannot reach the server of {address}: {reason}",
            hint="check that it runs, and that the URI or AWS_ENDPOINT_URL names it: "
            "s3://bucket/path?endpoint_override=HOST:PORT",
        )
    if _NO_ACCESS.search(message):
        return StoreError(
            "store-denied",
            f"access denied to {address}: {reason}",
            hint="credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, from ~/.aws or from the machine's role",
        )
    if code == "store-unwritable":
        return StoreError("store-unwritable", f"cannot write to {address}: {reason}", hint=_KEPT)
    if code == "store-unreadable":
        return StoreError("store-unreadable", f"cannot read {address}: {reason}", hint=_KEPT)
    return StoreError(
        "store-scheme",
        f"unsupported store address {address}: {reason}",
        hint=f"as in s3://bucket/path; supported schemes: {SCHEMES}",
    )


def _short(text: str) -> str:
    """The end of a message, which gives the reason; the beginning gives the request."""
    found = re.search(r"AWS Error .*", text)
    text = found[0] if found else text
    return text if len(text) <= 160 else f"{text[:160]}..."
