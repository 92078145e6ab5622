"""The inputs of a store's runs, by sha256: written once, and fetched by each process that executes runs."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from tla2py.errors import StoreError
from tla2py.store.storage import Storage, below
from tla2py.tlc.inputs import input_path, keep_stream


def write_inputs(storage: Storage, digests: Iterable[str]) -> None:
    """Write the inputs, by sha256, that the store lacks. Raises StoreError (``store-unwritable``)."""
    stored = storage.stamps("inputs")
    missing = [
        sha256
        for sha256 in dict.fromkeys(digests)
        if sha256 not in stored or stored[sha256].size != input_path(sha256).stat().st_size
    ]
    if missing:
        storage.make(("inputs",))
        with storage.staging("inputs") as folder:
            for sha256 in missing:
                shutil.copyfile(input_path(sha256), folder / sha256)


def input_file(storage: Storage, sha256: str) -> Path:
    """This process's copy of an input. Raises StoreError (``input-lost``)."""
    copy, found = input_path(sha256), sha256
    if not copy.is_file():
        try:
            with storage.open(f"inputs/{sha256}") as source:
                found = keep_stream(source)
        except OSError:
            found = ""
    if found != sha256:
        raise StoreError(
            "input-lost",
            f"{below(storage.address, 'inputs')}/{sha256} is missing or has changed",
            hint="run the sweep again; it copies its input files into the store",
        )
    return copy
