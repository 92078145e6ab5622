"""A ``manifest.json`` of tlaplus/Examples, read as an equivalent sweep file."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from tla2py.config.expect_comment import ConfigExpectation, result_of
from tla2py.config.read import ConfigFile, read_config
from tla2py.errors import InputError, reason_of
from tla2py.lint.configs import check_config_names
from tla2py.model.outcome import Outcome, Verdict
from tla2py.sweep.entries import SEARCH, Entry, ManifestModel, Unread
from tla2py.sweep.expectations import external_row
from tla2py.sweep.file import read_sweep_text
from tla2py.sweep.sections import ExternalExpectation, SweepFile
from tla2py.sweep.sweep_text import SweepText
from tla2py.syntax import ModuleGraph, Translate
from tla2py.toolchain.community import load_specification

_HINT = "expected the manifest.json format of tlaplus/Examples: modules with models; each model has path, mode and result"


class ManifestModule(msgspec.Struct, frozen=True, kw_only=True):
    """A module in a manifest."""

    path: str
    models: list[ManifestModel] = []
    features: list[str] = []


class _Manifest(msgspec.Struct, frozen=True, kw_only=True):
    modules: list[ManifestModule]


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestSweep:
    """Models of manifests as a sweep file, with its modules, configs and expectations.

    ``entries`` are by the names of module and config in the file.
    """

    file: SweepFile
    source: SweepText
    specs: dict[str, ModuleGraph]
    configs: dict[str, ConfigFile]
    expectations: tuple[ExternalExpectation, ...]
    entries: dict[tuple[str, str], Entry] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    unread: tuple[Unread, ...] = ()


class _ManifestText(SweepText):
    """The text of the sweep file; every place is the manifest."""

    def place(self, *keys: str | int, value: str | None = None) -> str:
        del keys, value
        return str(self.path)


def read_manifest(path: Path) -> tuple[Entry, ...]:
    """The models of a manifest. Raises InputError (``manifest``) if it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
        manifest = msgspec.json.decode(text, type=_Manifest)
    except FileNotFoundError as error:
        raise InputError("manifest", f"no such manifest: {path}", hint=_HINT) from error
    except (OSError, UnicodeDecodeError, msgspec.DecodeError) as error:
        raise InputError(
            "manifest", f"not a manifest: {reason_of(error)}", where=str(path), hint=_HINT
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
                    model=model,
                    features=tuple(module.features),
                    where=where,
                )
            )
    return tuple(entries)


def manifest_sweep(
    path: Path,
    entries: Sequence[Entry],
    libraries: Sequence[Path],
    *,
    translate: Translate | None,
    text: str | None = None,
) -> ManifestSweep:
    """The models of manifests that TLC can run as points of a sweep, with the recorded results as expectations.

    ``path`` is where the sweep file would be, ``text`` what it says besides modules and configs. Models that cannot be read go to ``unread``. The recorded depth is not
    expected: it comes from TLC with several workers and varies.

    Raises InputError: ``manifest`` if TLC can run no model, and the first model's error if none can be read.
    """
    base = path.parent
    taken = [each for each in entries if not each.skip_reason]
    left_out = tuple(
        f"{Path(each.model.path).name} ({each.skip_reason})" for each in entries if each.skip_reason
    )
    if not taken:
        raise InputError("manifest", "the manifest has no TLC model", where=str(path), hint=_HINT)
    specs: dict[str, ModuleGraph] = {}
    configs: dict[str, ConfigFile] = {}
    good: dict[tuple[str, str], Entry] = {}
    unread = []
    for entry in taken:
        try:
            module = _beside(entry, entry.module, "module", base)
            config = _beside(entry, entry.model.path, "config", base)
            spec = specs.get(module) or load_specification(base / module, libraries, translate=translate)
            read = configs.get(config) or read_config(base / config)
            check_config_names(read, {Path(module).name: spec})
        except InputError as error:
            unread.append(Unread(entry=entry, error=error))
            continue
        specs[module], configs[config], good[module, config] = spec, read, entry
    if not good:
        raise unread[0].error
    given = {
        "name": path.resolve().parent.name,
        "module": [module for module, _ in good],
        "config": [config for _, config in good],
        "libraries": [Path(os.path.relpath(folder, base)).as_posix() for folder in libraries],
    }
    file, source = read_sweep_text(text or "", path, given)
    if text is None:
        listed = (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in given.items())
        source = _ManifestText(path, "\n".join(listed))
    grid = msgspec.structs.replace(
        file.grid,
        zip=[["module", "config"], *file.grid.zip],
        # Such a row is about the models, which have been left out.
        exclude=[row for row in file.grid.exclude if [*row] != ["config"]],
    )
    return ManifestSweep(
        file=msgspec.structs.replace(file, grid=grid),
        source=source,
        specs=specs,
        configs=configs,
        expectations=tuple(
            _expectation(entry, module, config)
            for (module, config), entry in good.items()
            if entry.model.result
        ),
        entries=good,
        left_out=left_out,
        unread=tuple(unread),
    )


def manifest_file(entry: Entry, written: str) -> Path | None:
    """The file of a path in a manifest, which starts at the repository's root; None if there is none."""
    here = entry.manifest.parent.resolve()
    files = (root / written for root in (here, *here.parents))
    return next((file for file in files if file.is_file()), None)


def _beside(entry: Entry, written: str, what: str, base: Path) -> str:
    """A path of a manifest relative to the sweep file."""
    found = manifest_file(entry, written)
    if found is not None:
        return Path(os.path.relpath(found, base.resolve())).as_posix()
    raise InputError(
        "module-missing" if what == "module" else "config-missing",
        f"no such {what}: {written}",
        where=entry.where,
        hint="paths in a manifest start at the root of its repository",
    )


def _expectation(entry: Entry, module: str, config: str) -> ExternalExpectation:
    result = result_of(entry.model.result)
    if result is Verdict.HOLDS and entry.model.kind != SEARCH:
        result = Outcome.BOUNDED_SUCCESS
    assert result is not None
    return external_row(
        {"module": module, "config": config},
        ConfigExpectation(result=result, violates=(), where=entry.where),
        distinct=entry.model.distinct,
        generated=entry.model.generated,
    )
