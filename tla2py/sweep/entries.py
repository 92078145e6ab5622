"""The models that a manifest or a folder has: each a module with a config."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Union

import msgspec

from tla2py.errors import Tla2pyError
from tla2py.model.run import Mode, TlcOptions

SEARCH = "exhaustive search"
# Until 2025 TLC supports \cdot only with this option.
_ACTION_COMPOSITION = "-Dtlc2.tool.impl.Tool.cdot=true"

_MODES: dict[str, Mode] = {"simulate": "simulate", "generate": "generate"}


class ManifestModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model in a manifest; ``runtime`` is ``HH:MM:SS`` or unknown."""

    path: str
    mode: Union[str, dict[str, Any]]  # noqa: UP007 - msgspec reads the annotation on Python 3.10 too
    result: str
    runtime: str = "unknown"
    distinct: int | None = msgspec.field(name="distinctStates", default=None)
    generated: int | None = msgspec.field(name="totalStates", default=None)
    workers: Union[int, str] = "auto"  # noqa: UP007 - as above

    @property
    def kind(self) -> str:
        """The mode: exhaustive search, simulate, generate or symbolic."""
        return self.mode if isinstance(self.mode, str) else next(iter(self.mode), "mode")

    @property
    def seconds(self) -> int | None:
        """The recorded runtime in seconds, if known."""
        parts = self.runtime.split(":")
        if len(parts) != 3 or not all(part.isdigit() for part in parts):
            return None
        hours, minutes, seconds = map(int, parts)
        return hours * 3600 + minutes * 60 + seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A model of a manifest: its files as the manifest names them, and its place there."""

    manifest: Path
    module: str
    model: ManifestModel
    features: tuple[str, ...]
    where: str

    @property
    def skip_reason(self) -> str:
        """Why TLC's result cannot be compared, "" if it can."""
        if self.model.kind not in (SEARCH, "simulate", "generate"):
            return self.model.kind
        return "result unknown" if self.model.result == "unknown" else ""

    def options(self, options: TlcOptions) -> TlcOptions:
        """The options with which TLC searches this model, based on a sweep's options."""
        if (mode := _MODES.get(self.model.kind)) is not None:
            bounds = self.model.mode["simulate"] if isinstance(self.model.mode, dict) else {}
            count = bounds.get("traceCount") if isinstance(bounds, dict) else None
            options = replace(options, mode=mode, num=int(count) if isinstance(count, (int, float)) else None)
        if isinstance(self.model.workers, int):
            options = replace(options, workers=self.model.workers)
        if "action composition" in self.features:
            options = replace(options, java_options=(*options.java_options, _ACTION_COMPOSITION))
        return options


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A model that could not be read, and why; TLC never saw it."""

    entry: Entry
    error: Tla2pyError

    @property
    def model(self) -> str:
        """The name of its config."""
        return Path(self.entry.model.path).name

    def __str__(self) -> str:
        return f"{self.model} was not run: {self.error.line}"
