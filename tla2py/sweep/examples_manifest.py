"""A ``manifest.json`` as tlaplus/Examples has them, read as the sweep file that says the same."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Union

import msgspec

from tla2py.config.expect_comment import ConfigExpectation, result_of
from tla2py.config.read import ConfigFile, read_config
from tla2py.errors import InputError, reason_of
from tla2py.lint import check_names
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.run import Mode, TlcOptions
from tla2py.sweep.expectations import told_point
from tla2py.sweep.file import SweepFile, ToldPoint, read_sweep_text
from tla2py.sweep.source import Source
from tla2py.syntax import ModuleGraph, Translate, load_modules

_SEARCH = "exhaustive search"
_HINT = "tlaplus/Examples has one in each folder: modules, each with models, each with path, mode and result"
# Up to 2025 TLC understands \cdot only where it is asked to.
_ACTION_COMPOSITION = "-Dtlc2.tool.impl.Tool.cdot=true"

_MODES: dict[str, Mode] = {"simulate": "simulate", "generate": "generate"}


class ManifestModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model of a module as a manifest has it; ``runtime`` is ``HH:MM:SS`` or unknown."""

    path: str
    mode: Union[str, dict[str, Any]]  # noqa: UP007 - msgspec reads the annotation on Python 3.10 too
    result: str
    runtime: str = "unknown"
    distinct: int | None = msgspec.field(name="distinctStates", default=None)
    generated: int | None = msgspec.field(name="totalStates", default=None)
    workers: Union[int, str] = "auto"  # noqa: UP007 - as above

    @property
    def kind(self) -> str:
        """The mode in one word: exhaustive search, simulate, generate or symbolic."""
        return self.mode if isinstance(self.mode, str) else next(iter(self.mode), "mode")

    @property
    def seconds(self) -> int | None:
        """The recorded runtime in seconds, None where it is not known."""
        parts = self.runtime.split(":")
        if len(parts) != 3 or not all(part.isdigit() for part in parts):
            return None
        hours, minutes, seconds = map(int, parts)
        return hours * 3600 + minutes * 60 + seconds


class ManifestModule(msgspec.Struct, frozen=True, kw_only=True):
    """A module as a manifest has it."""

    path: str
    models: list[ManifestModel] = []
    features: list[str] = []


class _Manifest(msgspec.Struct, frozen=True, kw_only=True):
    modules: list[ManifestModule]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A model of a manifest: the files as the manifest names them, what it says of the model, and where."""

    manifest: Path
    module: str
    said: ManifestModel
    features: tuple[str, ...]
    where: str

    @property
    def why_not(self) -> str:
        """Why TLC has nothing to compare with, "" where it has."""
        if self.said.kind not in (_SEARCH, "simulate", "generate"):
            return self.said.kind
        return "result unknown" if self.said.result == "unknown" else ""

    def options(self, options: TlcOptions) -> TlcOptions:
        """How TLC is to search this model, by what the manifest says of it."""
        if (mode := _MODES.get(self.said.kind)) is not None:
            bounds = self.said.mode["simulate"] if isinstance(self.said.mode, dict) else {}
            count = bounds.get("traceCount") if isinstance(bounds, dict) else None
            options = replace(options, mode=mode, num=int(count) if isinstance(count, (int, float)) else None)
        if isinstance(self.said.workers, int):
            options = replace(options, workers=self.said.workers)
        if "action composition" in self.features:
            options = replace(options, java_options=(*options.java_options, _ACTION_COMPOSITION))
        return options


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A model that could not be read, so that TLC never saw it: what it is and why."""

    entry: Entry
    error: InputError

    @property
    def model(self) -> str:
        """The name of its config."""
        return Path(self.entry.said.path).name

    @property
    def text(self) -> str:
        """What happened, in one line."""
        return f"{self.model} was not run: {self.error.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestSweep:
    """Models of manifests as a sweep file: its sections and its text, modules and configs, and what is expected.

    ``entries`` are by the names of module and config in the file.
    """

    file: SweepFile
    source: Source
    specs: dict[str, ModuleGraph]
    configs: dict[str, ConfigFile]
    told: tuple[ToldPoint, ...]
    entries: dict[tuple[str, str], Entry] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    unread: tuple[Unread, ...] = ()


class _ManifestText(Source):
    """The text of the sweep file; places are those in the manifest."""

    def place(self, *keys: str | int, value: str | None = None) -> str:
        del keys, value
        return str(self.path)


def read_manifest(path: Path) -> tuple[Entry, ...]:
    """The models of a manifest. Raises InputError (``manifest``) where it is none."""
    try:
        text = path.read_text(encoding="utf-8")
        manifest = msgspec.json.decode(text, type=_Manifest)
    except FileNotFoundError as error:
        raise InputError("manifest", f"no such manifest: {path}", hint=_HINT) from error
    except (OSError, UnicodeDecodeError, msgspec.DecodeError) as error:
        raise InputError(
            "manifest", f"not a manifest of specifications: {reason_of(error)}", where=str(path), hint=_HINT
        ) from error
    lines = text.splitlines()
    entries = []
    for module in manifest.modules:
        for model in module.models:
            line = next((n for n, each in enumerate(lines, 1) if f'{model.path}"' in each), 1)
            where = f"{path}:{line}"
            if model.result != "unknown" and result_of(model.result) is None:
                raise InputError(
                    "manifest",
                    f"{model.result!r} is not a result of TLC",
                    where=where,
                    hint='write "success", "safety failure", "liveness failure", "deadlock failure" or "unknown"',
                )
            entries.append(
                Entry(
                    manifest=path,
                    module=module.path,
                    said=model,
                    features=tuple(module.features),
                    where=where,
                )
            )
    return tuple(entries)


def manifest_sweep(
    path: Path,
    entries: Sequence[Entry],
    libraries: Sequence[Path] = (),
    *,
    translate: Translate | None = None,
) -> ManifestSweep:
    """The models of manifests that TLC runs, each as a point of a sweep, with result and counts as recorded.

    ``path`` is where the sweep file would be. A model that cannot be read goes to ``unread`` and stops no other. The
    depth is left out: TLC with several workers, which made the record, does not always find the same.

    Raises InputError (``manifest``) where no model is left, and what stops the only one.
    """
    base = path.parent
    taken = [each for each in entries if not each.why_not]
    left_out = tuple(f"{Path(each.said.path).name} ({each.why_not})" for each in entries if each.why_not)
    if not taken:
        raise InputError("manifest", "no model that TLC searches is in it", where=str(path), hint=_HINT)
    specs: dict[str, ModuleGraph] = {}
    configs: dict[str, ConfigFile] = {}
    good: dict[tuple[str, str], Entry] = {}
    unread = []
    for entry in taken:
        try:
            module = _beside(entry, entry.module, "module", base)
            config = _beside(entry, entry.said.path, "config", base)
            spec = specs.get(module) or load_modules(base / module, libraries, translate=translate)
            read = configs.get(config) or read_config(base / config)
            check_names(read, {Path(module).name: spec}, undeclared=True)
        except InputError as error:
            unread.append(Unread(entry=entry, error=error))
            continue
        specs[module], configs[config], good[module, config] = spec, read, entry
    if not good:
        raise unread[0].error
    said = "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n"
        for key, value in (
            ("name", path.resolve().parent.name),
            ("module", [module for module, _ in good]),
            ("config", [config for _, config in good]),
            ("libraries", [Path(os.path.relpath(folder, base)).as_posix() for folder in libraries]),
        )
    )
    text = f'{said}[grid]\nzip = [["module", "config"]]\n'
    file, _ = read_sweep_text(text, path)
    return ManifestSweep(
        file=file,
        source=_ManifestText(path, text),
        specs=specs,
        configs=configs,
        told=tuple(_told(entry, module, config) for (module, config), entry in good.items()),
        entries=good,
        left_out=left_out,
        unread=tuple(unread),
    )


def _beside(entry: Entry, written: str, what: str, base: Path) -> str:
    """A path of a manifest, which counts from the repository's root, as one from the folder of the sweep file."""
    here = entry.manifest.parent.resolve()
    for root in (here, *here.parents):
        found = root / written
        if found.is_file():
            return Path(os.path.relpath(found, base.resolve())).as_posix()
    raise InputError(
        "module-missing" if what == "module" else "config-missing",
        f"no such {what}: {written}",
        where=entry.where,
        hint="paths in a manifest count from the root of the repository that it is in",
    )


def _told(entry: Entry, module: str, config: str) -> ToldPoint:
    result = result_of(entry.said.result)
    if result is Verdict.HOLDS and entry.said.kind != _SEARCH:
        result = Outcome.BOUNDED_SUCCESS
    assert result is not None
    return told_point(
        {"module": module, "config": config},
        ConfigExpectation(result=result, violates=(), where=entry.where),
        distinct=entry.said.distinct,
        generated=entry.said.generated,
    )
