"""A ``manifest.json`` of tlaplus/Examples, read as an equivalent sweep file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from tla2py import toml
from tla2py.errors import InputError, Tla2pyError, reason_of
from tla2py.lint.rules import check_config_names, module_of
from tla2py.model.outcome import Outcome, Verdict
from tla2py.sweep.file import SweepText, convert_sections, read_sweep_text
from tla2py.sweep.sections import ExternalExpectation, SweepFile
from tla2py.sweep.sweep import SEARCH, Entry, ManifestModel, Unread, external_row
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.parse import Translate
from tla2py.tlc.config.read import ConfigExpectation, ConfigFile, read_config, result_of
from tla2py.tlc.tools.community import load_specification
from tla2py.toml import document

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
    if text is not None:
        file, source = read_sweep_text(text, path, given)
    else:
        source = _ManifestText(path, document(given))
        file = convert_sections(given, source)
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


FOLDER_FILE = "models.toml"
_MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderModels:
    """The models below a folder, the configs that have no module, and what is not a model."""

    entries: tuple[Entry, ...]
    unread: tuple[Unread, ...]
    left_out: tuple[str, ...]


def folder_file(path: Path) -> Path | None:
    """The ``models.toml`` of a folder, whether or not it exists; None for a path to something else.

    A file of that name with a module is an ordinary sweep file. Raises InputError (``folder-file``) for the folder of one.
    """
    own = path / FOLDER_FILE if path.is_dir() else path
    if own.name != FOLDER_FILE or not own.parent.is_dir():
        return None
    if not _names_module(own):
        return own
    if own == path:
        return None
    raise InputError(
        "folder-file",
        f"{own} names a module, so it is a sweep file and not about its folder",
        hint=f"rename it; in a {FOLDER_FILE} tla2py finds the modules and configs itself",
    )


def folder_text(path: Path) -> str:
    """The text of a folder's ``models.toml``, "" without one."""
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def folder_models(path: Path, libraries: Sequence[Path]) -> FolderModels:
    """The models below the folder of a ``models.toml``.

    A config in a ``manifest.json`` has the module and the result that the manifest names. Any other belongs to the module
    of its name, beside it or above, see ``module_of``; where that is not clear, to the only one that has the names in it.

    Raises InputError (``config-missing``) if there is no config with a module.
    """
    return _Search(path, libraries).models()


def files_below(folder: Path) -> Iterator[Path]:
    """The files below a folder, ordered by path, except hidden ones."""
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(here) / name for name in sorted(names) if not name.startswith("."))


def _names_module(path: Path) -> bool:
    try:
        return "module" in toml.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False


@dataclass(slots=True)
class _Search:
    path: Path
    libraries: Sequence[Path]
    _specs: dict[Path, ModuleGraph | None] = field(default_factory=dict)

    def models(self) -> FolderModels:
        files = list(files_below(self.path.parent))
        recorded, left_out = self._recorded([each for each in files if each.name == _MANIFEST])
        entries, unread = [], []
        for config in (each for each in files if each.suffix == ".cfg"):
            if (entry := recorded.get(config.resolve())) is not None:
                entries.append(entry)
            elif not any(self._levels(config)):
                left_out.append(f"{self._shown(config)} (no module beside it or above)")
            elif (module := self._module(config)) is not None:
                entries.append(self._entry(config, module))
            else:
                unread.append(Unread(entry=self._entry(config, config), error=self._unclear(config)))
        if not entries:
            raise self._nothing(unread)
        return FolderModels(entries=tuple(entries), unread=tuple(unread), left_out=tuple(left_out))

    def _recorded(self, manifests: Sequence[Path]) -> tuple[dict[Path, Entry], list[str]]:
        """The models of manifests by their configs, and the files of that name that are something else."""
        found, others = {}, []
        for manifest in manifests:
            try:
                entries = read_manifest(manifest)
            except InputError:
                others.append(f"{self._shown(manifest)} (not a manifest of models)")
                continue
            for entry in entries:
                if (config := manifest_file(entry, entry.model.path)) is not None:
                    found[config.resolve()] = entry
        return found, others

    def _levels(self, config: Path) -> Iterator[list[Path]]:
        """The modules beside a config, and those of each folder above it up to that of the search."""
        for folder in (config.parent, *config.parent.parents):
            if modules := sorted(folder.glob("*.tla")):
                yield modules
            if folder == self.path.parent.parent:
                return

    def _module(self, config: Path) -> Path | None:
        named = module_of(config, self.libraries)
        if named is not None and (named.stem == config.stem or self._fits(config, named)):
            return named
        for modules in self._levels(config):
            fitting = [each for each in modules if self._fits(config, each)]
            below = {
                module.name
                for each in fitting
                if (spec := self._specs[each]) is not None
                for module in spec.modules
                if module.name != spec.root.name
            }
            if len(roots := [each for each in fitting if each.stem not in below]) == 1:
                return roots[0]
        return named

    def _fits(self, config: Path, module: Path) -> bool:
        """Whether a module has the names in a config."""
        try:
            if module not in self._specs:
                self._specs[module] = None
                self._specs[module] = load_specification(module, self.libraries)
            spec = self._specs[module]
            if spec is None:
                return False
            check_config_names(read_config(config), {module.name: spec})
        except InputError:
            return False
        return True

    def _entry(self, config: Path, module: Path) -> Entry:
        return Entry(
            manifest=self.path,
            module=self._shown(module),
            model=ManifestModel(path=self._shown(config), mode=SEARCH, result=""),
            features=(),
            where=str(config),
        )

    def _shown(self, file: Path) -> str:
        return Path(os.path.relpath(file, self.path.parent)).as_posix()

    def _unclear(self, config: Path) -> InputError:
        try:
            read_config(config)
        except InputError as error:
            return error
        left_out = f'[grid] exclude = [{{ config = "{self._shown(config)}" }}]'
        return InputError(
            "module-missing",
            "no single module has its names",
            where=str(config),
            hint=f"name it after its module, as in Spec_small.cfg for Spec.tla, or leave it out in {FOLDER_FILE}: {left_out}",
        )

    def _nothing(self, unread: Sequence[Unread]) -> Tla2pyError:
        if unread:
            return unread[0].error
        return InputError(
            "config-missing",
            f"no config with a module below {self.path.parent}",
            hint="name a sweep file, a store, or a folder with configs such as Spec.cfg beside Spec.tla",
        )
