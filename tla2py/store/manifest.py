"""The manifest of a store: what its runs were made from, and where its newest tables are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from tla2py.errors import StoreError
from tla2py.model.search import Search
from tla2py.store.storage import Storage, damaged

# Raised when the layout of the store or the meaning of a column changes; other stores are refused.
STORE_VERSION = 2
FILE = "store.json"


class ManifestParameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter: its name in the sweep, and its column in ``runs`` with the column's type."""

    name: str
    kind: str
    column: str
    type: Annotated[str, msgspec.Meta(pattern=r"^(integer|boolean|text)\Z")]


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The input of a store's runs."""

    format: str = "tla2py-store"
    version: int = STORE_VERSION
    tla2py_version: str
    name: str
    modules: list[str]
    sweep: str
    parameters: list[ManifestParameter]
    # The file of the points table; empty until it is written.
    points: Annotated[str, msgspec.Meta(pattern=r"^(points/\w+\.parquet)?\Z")] = ""
    # The file of the table ``mutants``; empty if the store has none.
    mutants: Annotated[str, msgspec.Meta(pattern=r"^(tables/mutants/\w+\.parquet)?\Z")] = ""
    # The file of the table ``because``; empty if nothing was asked.
    because: Annotated[str, msgspec.Meta(pattern=r"^(tables/because/\w+\.parquet)?\Z")] = ""
    # The run and the trace of each violation that is asked about again: a fault ended the last attempt to explain it.
    unanswered: list[tuple[str, int | None]] = []
    # The sweep file as the user named it; None if the store was not made from one.
    sweep_file: str | None = None
    files: dict[str, str] = {}  # paths of the user's files by the sha256 of their texts
    # The sha256 of the jar of the last sweep, and of the texts of its configs by their names in the sweep.
    jar: str = ""
    configs: dict[str, str] = {}
    # Values that the sweep file does not have, each NAME=VALUE: the store is of another grid.
    settings: list[str] = []
    search: Search | None = None  # the last one for laws


def is_store(folder: Path) -> bool:
    """Whether a folder has a store's manifest, or what is left of a store without it."""
    return (folder / FILE).exists() or all((folder / name).is_dir() for name in ("records", "sources"))


def read_manifest(storage: Storage) -> Manifest:
    """A store's manifest.

    Raises StoreError: ``store-missing``, ``store-unreadable``, ``not-a-store``, ``store-too-new``, ``store-too-old``.
    """
    try:
        with storage.open(FILE) as source:
            data = msgspec.json.decode(source.read())
    except (FileNotFoundError, NotADirectoryError) as error:
        if not storage.exists():
            problem, hint = f"no such store: {storage.address}", "'tla2py sweep SWEEP.toml' creates one"
            raise StoreError("store-missing", problem, hint=hint) from error
        data = None
    except OSError as error:
        raise StoreError(
            "store-unreadable",
            f"cannot read {FILE} of {storage.address}: {error.strerror}",
            hint="check that you may read all files of the store",
        ) from error
    except ValueError:  # not JSON, or not a text
        data = None
    if not isinstance(data, dict) or data.get("format") != "tla2py-store":
        raise StoreError(
            "not-a-store",
            f"{storage.address} is not a tla2py store",
            hint=f"a store is a folder with a {FILE}",
        )
    version = data.get("version")
    if isinstance(version, int) and version > STORE_VERSION:
        writer = data.get("tla2py_version")
        raise StoreError(
            "store-too-new",
            f"{storage.address} was written by tla2py {writer}, store version {version}; "
            f"this one reads up to {STORE_VERSION}",
            hint="update tla2py, or sweep into another store with -o",
        )
    if version == 1:
        sweep_file = data.get("sweep_file") or "SWEEP.toml"
        raise StoreError(
            "store-too-old",
            f"{storage.address} has store version 1; this tla2py reads version {STORE_VERSION}",
            hint=f"make it anew: tla2py sweep {sweep_file} -o STORE, into a folder that does not exist yet",
        )
    try:
        return msgspec.convert(data, Manifest)
    except msgspec.ValidationError as error:
        raise damaged(storage, FILE, error) from error
