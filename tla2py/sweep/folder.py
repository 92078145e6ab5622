"""A folder as a sweep: the configs below it, each with its module."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tla2py import toml
from tla2py.errors import InputError, Tla2pyError
from tla2py.lint.rules import check_config_names, module_of
from tla2py.sweep.sweep import Unread
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.parse import Translate
from tla2py.tlc.config.read import ConfigFile, embedded_names, read_config
from tla2py.tlc.tools.community import load_specification

FOLDER_FILE = "models.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderModels:
    """The configs below a folder: ``models`` are those with a module, by config."""

    models: dict[str, str]
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

    A config belongs to the module of its name, beside it or above, see ``module_of``; where that is not clear, to the only
    one that has the names in it.

    Raises InputError (``config-missing``) if there is no config with a module.
    """
    return _Search(path, libraries).models()


def files_below(folder: Path) -> Iterator[Path]:
    """The files below a folder, ordered by path, except hidden ones, and last each link to a folder outside of it.

    Links to other folders are followed, so that each folder comes once, without a link in its path where there is such a path.
    """
    root, seen, links = folder.resolve(), set[Path](), [folder]
    for link in links:
        # Nothing below a folder that has been seen, or is outside, is looked at.
        for here, folders, names in os.walk(link) if link.resolve().is_relative_to(root) else ():
            if (real := Path(here).resolve()) in seen:
                folders.clear()
                continue
            seen.add(real)
            visible = [Path(here, name) for name in sorted(folders) if not name.startswith(".")]
            links += filter(Path.is_symlink, visible)
            folders[:] = [each.name for each in visible if not each.is_symlink()]
            yield from (Path(here, name) for name in sorted(names) if not name.startswith("."))
    yield from (link for link in links if not link.resolve().is_relative_to(root))


def _names_module(path: Path) -> bool:
    try:
        return "module" in toml.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False


def read_models(
    base: Path, models: Mapping[str, str], libraries: Sequence[Path], translate: Translate | None
) -> tuple[dict[str, ModuleGraph], dict[str, ConfigFile], list[Unread]]:
    """The modules of configs, the configs, both by their names below ``base``, and the configs that cannot be read.

    ``models`` are the modules by config. A config counts as unread with its module too, and where names in it are not the module's.
    """
    specs: dict[str, ModuleGraph] = {}
    configs: dict[str, ConfigFile] = {}
    unread = []
    for config, module in models.items():
        try:
            spec = specs.get(module) or load_specification(base / module, libraries, translate=translate)
            read = read_config(base / config)
            check_config_names(read, {Path(module).name: spec})
        except InputError as error:
            unread.append(Unread(config=config, error=error))
            continue
        specs[module], configs[config] = spec, read
    return specs, configs, unread


@dataclass(slots=True)
class _Search:
    path: Path
    libraries: Sequence[Path]
    _specs: dict[Path, ModuleGraph | None] = field(default_factory=dict)

    def models(self) -> FolderModels:
        models, unread, left_out = {}, [], []
        for config in files_below(self.path.parent):
            name = self._shown(config)
            if config.is_dir():
                unread.append(Unread(config=name, error=self._outside(config)))
            elif config.suffix == ".tla":
                for inside in embedded_names(config):
                    if inside == config.stem:
                        models[name] = name
                    else:
                        left_out.append(f"{name} CONFIG {inside} (TLC reads CONFIG {config.stem} there)")
            elif config.suffix.lower() != ".cfg":
                continue
            elif not any(self._levels(config)):
                left_out.append(f"{name} (no module beside it or above)")
            elif (module := self._module(config)) is not None:
                models[name] = self._shown(module)
            else:
                unread.append(Unread(config=name, error=self._unclear(config)))
        if not models:
            raise self._nothing(unread)
        return FolderModels(models=models, unread=tuple(unread), left_out=tuple(left_out))

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

    def _shown(self, file: Path) -> str:
        return Path(os.path.relpath(file, self.path.parent)).as_posix()

    def _outside(self, link: Path) -> InputError:
        return InputError(
            "outside-folder",
            f"the link leads out of the folder, to {os.path.realpath(link)}, and is not followed",
            where=str(link),
            hint=f'leave it out in {FOLDER_FILE}: [grid] exclude = [{{ config = "{self._shown(link)}" }}]',
        )

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
