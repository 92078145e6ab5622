"""Errors in writing to a store."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

from tla2py.errors import StoreError


@contextlib.contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Raise what the operating system refuses as StoreError (``store-unwritable``)."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            "store-unwritable",
            f"cannot write to {path}: {error.strerror or error}",
            hint=_remedy(error),
        ) from error


def _remedy(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "free some space, or name another store with -o; recorded runs are kept; the same command executes the rest"
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return (
            "use another store with -o, or a copy of this one; if its tables exist, "
            "'tla2py trace STORE' and 'tla2py gate STORE' only read it"
        )
    return "name another store with -o; recorded runs are kept"
