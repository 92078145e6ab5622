"""Stores as older versions wrote them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec

from tla2py.store.store import Store


def as_version_1(store: Store) -> None:
    """Write a store's manifest as version 1 did, with the points in it; its records have to be loose."""
    assert not store.record_ids()
    path = Path(store.path)
    points = msgspec.to_builtins([*store.points()])
    manifest = msgspec.to_builtins(store.manifest()) | {"version": 1, "points": points}
    (path / "store.json").write_text(json.dumps(manifest, indent=1))
    shutil.rmtree(path / "points")
