"""The manifest of a store: the input of its runs.

The points are a table of their own, which the manifest names: they may be very many.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from tla2py.errors import StoreError
from tla2py.store.storage import Storage

# Raised when the layout of the store or the meaning of a column changes; newer stores are refused.
# In version 1 the manifest holds the points, no record is packed, and each table is one file.
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
    # The file of the points table; empty in a manifest of version 1.
    points: Annotated[str, msgspec.Meta(pattern=r"^(points/\w+\.parquet)?\Z")] = ""
    # The sweep file as the user named it; None in older stores.
    sweep_file: str | None = None
    # Paths of the user's files by the sha256 of their texts.
    files: dict[str, str] = {}
    # The sha256 of the texts of the sweep's configs, by their names in the sweep.
    configs: dict[str, str] = {}


def is_store(folder: Path) -> bool:
    """Whether a folder has a store's manifest, or what is left of a store without it."""
    return (folder / FILE).exists() or all((folder / name).is_dir() for name in ("records", "sources"))


def read_manifest(storage: Storage) -> tuple[Manifest, list[object]]:
    """A store's manifest, and the points in it if it is of version 1.

    Raises StoreError: ``store-missing``, ``store-unreadable``, ``not-a-store``, ``store-too-new``.
    """
    try:
        with storage.open(FILE) as source:
            data = msgspec.json.decode(source.read())
    except (FileNotFoundError, NotADirectoryError) as error:
        if not storage.exists():
            raise StoreError(
                "store-missing",
                f"no such store: {storage.address}",
                hint="'tla2py sweep SWEEP.toml' creates one",
            ) from error
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
    points = data.get("points")
    try:
        if version == 1:
            return msgspec.convert({**data, "points": ""}, Manifest), msgspec.convert(points, list)
        return msgspec.convert(data, Manifest), []
    except msgspec.ValidationError as error:
        raise damaged(storage, FILE, error) from error


def damaged(storage: Storage, name: str, problem: object) -> StoreError:
    """The error for a damaged file that a sweep writes anew."""
    return StoreError(
        "not-a-store",
        f"{name} of {storage.address} is damaged: {problem}",
        hint="run the sweep again; it rewrites the file",
    )
