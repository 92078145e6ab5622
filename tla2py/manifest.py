"""A ``manifest.json`` as tlaplus/Examples has them, read as the sweep file that says the same."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

import msgspec

from tla2py.cfg.expected import Told, result_of
from tla2py.errors import InputError
from tla2py.sweepfile import SweepFile, ToldPoint, read_sweep_text
from tla2py.sweeptext import Source
from tla2py.told import told_point

_SEARCH = "exhaustive search"


class _Model(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    mode: Union[str, dict[str, Any]]  # noqa: UP007 - msgspec reads the annotation on Python 3.10 too
    result: str
    distinct: int | None = msgspec.field(name="distinctStates", default=None)
    generated: int | None = msgspec.field(name="totalStates", default=None)


class _Module(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    models: list[_Model] = []


class _Manifest(msgspec.Struct, frozen=True, kw_only=True):
    modules: list[_Module]


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestSweep:
    """A manifest as a sweep file: its sections, its text, what it expects, and the models it leaves out, with why."""

    file: SweepFile
    source: Source
    told: tuple[ToldPoint, ...]
    left_out: tuple[str, ...]


class _ManifestText(Source):
    """The text of the sweep file; places are those in the manifest."""

    def __init__(self, path: Path, text: str, manifest: str) -> None:
        super().__init__(path, text)
        self._manifest = manifest.splitlines()

    def place(self, *keys: str | int, value: str | None = None) -> str:
        del keys
        return str(self.path) if value is None else self.model(value)

    def model(self, name: str) -> str:
        """The line that names a model or a module."""
        lines = (n for n, line in enumerate(self._manifest, 1) if f'{name}"' in line)
        return f"{self.path}:{next(lines, 1)}"


def read_manifest(path: Path, libraries: Sequence[Path] = ()) -> ManifestSweep:
    """The models of a manifest that TLC searches, each as a point of a sweep, with result and counts as recorded.

    The depth is left out: TLC with several workers, which made the record, does not always find the same.

    Raises InputError: ``manifest``, where it is none or has no such model, ``module-missing`` and ``config-missing``.
    """
    try:
        text = path.read_text(encoding="utf-8")
        manifest = msgspec.json.decode(text, type=_Manifest)
    except FileNotFoundError as error:
        raise InputError("manifest", f"no such manifest: {path}") from error
    except (OSError, UnicodeDecodeError, msgspec.DecodeError) as error:
        raise InputError(
            "manifest", f"not a manifest of specifications: {error}", where=str(path), hint=_HINT
        ) from error
    models = [(module, model) for module in manifest.modules for model in module.models]
    reasons = {id(model): _why_not(model) for _, model in models}
    gated = [(module, model) for module, model in models if not reasons[id(model)]]
    left_out = tuple(f"{Path(m.path).name} ({reasons[id(m)]})" for _, m in models if reasons[id(m)])
    if not gated:
        raise InputError("manifest", "no model that TLC searches is in it", where=str(path), hint=_HINT)
    base = path.parent
    modules = [_beside(base, module.path, path, "module") for module, _ in gated]
    configs = [_beside(base, model.path, path, "config") for _, model in gated]
    folders = [Path(os.path.relpath(folder, base)).as_posix() for folder in libraries]
    said = "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n"
        for key, value in (
            ("name", path.resolve().parent.name),
            ("module", modules),
            ("config", configs),
            ("libraries", folders),
        )
    )
    file, _ = read_sweep_text(f'{said}[grid]\nzip = [["module", "config"]]\n', path)
    source = _ManifestText(path, f'{said}[grid]\nzip = [["module", "config"]]\n', text)
    return ManifestSweep(
        file=file, source=source, told=tuple(_told(gated, modules, configs, source)), left_out=left_out
    )


_HINT = "tlaplus/Examples has one in each folder: modules, each with models, each with path, mode and result"


def _why_not(model: _Model) -> str:
    if model.mode != _SEARCH:
        return model.mode if isinstance(model.mode, str) else next(iter(model.mode), "mode")
    return "result unknown" if model.result == "unknown" else ""


def _beside(base: Path, written: str, manifest: Path, what: str) -> str:
    """A path of a manifest, which counts from the repository's root, as one from the manifest's folder."""
    here = base.resolve()
    for root in (here, *here.parents):
        found = root / written
        if found.is_file():
            up = "../" * len(here.relative_to(root).parts) if not found.is_relative_to(here) else ""
            return up + found.relative_to(root if up else here).as_posix()
    raise InputError(f"{what}-missing", f"no such {what}: {written}", where=str(manifest))


def _told(
    gated: list[tuple[_Module, _Model]], modules: list[str], configs: list[str], source: _ManifestText
) -> Iterator[ToldPoint]:
    for (_, model), module, config in zip(gated, modules, configs, strict=True):
        where = source.model(model.path)
        result = result_of(model.result)
        if result is None:
            raise InputError("manifest", f"{model.result!r} is no result of TLC", where=where)
        yield told_point(
            {"module": module, "config": config},
            Told(result=result, violates=(), where=where),
            distinct=model.distinct,
            generated=model.generated,
        )
