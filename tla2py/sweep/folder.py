"""The models below a folder: which of its configs belongs to which module."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tla2py.errors import InputError
from tla2py.lint.rules import check_config_names, module_of
from tla2py.sweep.file import FOLDER_FILE, MARK, SweepFile, files_below
from tla2py.sweep.selection import Unread
from tla2py.text import listed
from tla2py.tla.graph import ModuleGraph
from tla2py.tlc.config.read import embedded_names, read_config, read_config_text
from tla2py.tlc.tools.community import load_specification

# TLC 2.20 writes a counterexample beside its module, as a model of its own.
_TRACE = re.compile(r"_TTrace_\d+$")
# A section's header, perhaps below comments; no config of TLC begins so.
_INI_HEADER = re.compile(r"(?:\s*[#;][^\n]*\n)*\s*\[")
NO_MODULE = "no module beside it or above"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutConfig:
    """A config below a folder that is no model of it, with the reason."""

    config: str
    reason: str

    def __str__(self) -> str:
        return f"{self.config} ({self.reason})"


@dataclass(slots=True)
class FolderModels:
    """The models below a folder. Every path is relative to the folder.

    ``modules`` has the module of each config; a module with a config in its own file stands for both. ``unread`` are the
    configs whose module is not clear, and links out of the folder.
    """

    modules: dict[str, str] = field(default_factory=dict)
    unread: list[Unread] = field(default_factory=list)
    left_out: list[LeftOutConfig] = field(default_factory=list)

    def error(self, folder: Path) -> InputError:
        """Return the error of a folder without a model: that of its first unread config, or ``config-missing``."""
        if self.unread:
            error = self.unread[0].error
            assert isinstance(error, InputError)
            return error
        text = f"no config with a module below {folder}"
        hint = "name a folder with configs such as Spec.cfg beside Spec.tla; 'tla2py init Spec.tla' writes a sweep file"
        return InputError("config-missing", text, hint=hint)


def excluded_configs(file: SweepFile) -> set[str]:
    """Return the configs that the ``models.toml`` of a folder excludes by name."""
    return {str(row["config"]) for row in file.sections.grid.exclude if [*row] == ["config"]}


def find_models(folder: Path, libraries: Sequence[Path] = ()) -> FolderModels:
    """Return the models below a folder, as every command that takes a folder reads it."""
    return _Search(folder, libraries).models()


def module_of_config(config: Path, libraries: Sequence[Path] = ()) -> Path | None:
    """Return the module of one config, found as in the folder that has the config; None if it is not clear."""
    return _Search(config.parent, libraries).module(config)


def _is_ini_file(config: Path) -> bool:
    """Return whether a file is an INI file, as the setup.cfg of a Python project is, and no config of TLC."""
    try:
        return _INI_HEADER.match(read_config_text(config)) is not None
    except InputError:
        return False


@dataclass(slots=True)
class _Search:
    """The search for the models below a folder.

    A config belongs to the module of its name, beside it or above, see ``module_of``; where that is not clear, to the
    only one that has the names in it.
    """

    folder: Path
    libraries: Sequence[Path]
    _specs: dict[Path, ModuleGraph | None] = field(default_factory=dict)

    def models(self) -> FolderModels:
        """Return the models."""
        found = FolderModels()
        root = self.folder.resolve()
        for path in files_below(self.folder):
            is_config = path.suffix.lower() == ".cfg"
            if path.is_dir() or (is_config and not path.resolve().is_relative_to(root)):
                found.unread.append(Unread(config=self._relative(path), error=self._outside(path)))
            elif path.name == MARK and path.parent != self.folder:
                folder = self._relative(path.parent)
                found.left_out.append(LeftOutConfig(config=folder, reason="written by tla2py cfg"))
            elif path.suffix == ".tla":
                self._add_embedded(path, found)
            elif is_config:
                self._add_config(path, found)
        return found

    def _add_embedded(self, module: Path, found: FolderModels) -> None:
        """Add the configs in a module's file, of which TLC reads the one with the module's name."""
        name = self._relative(module)
        for config in embedded_names(module):
            if _TRACE.search(module.stem):
                found.left_out.append(LeftOutConfig(config=name, reason="a counterexample that TLC wrote"))
            elif config == module.stem:
                found.modules[name] = name
            else:
                reason = f"TLC reads CONFIG {module.stem} there"
                found.left_out.append(LeftOutConfig(config=f"{name} CONFIG {config}", reason=reason))

    def _add_config(self, config: Path, found: FolderModels) -> None:
        name = self._relative(config)
        module = self.module(config)
        if module is not None:
            found.modules[name] = self._relative(module)
        elif not any(self._levels(config)):
            found.left_out.append(LeftOutConfig(config=name, reason=NO_MODULE))
        elif _is_ini_file(config):
            found.left_out.append(LeftOutConfig(config=name, reason="not a config of TLC"))
        else:
            found.unread.append(Unread(config=name, error=self._unclear(config)))

    def module(self, config: Path) -> Path | None:
        """Return the module of a config, None if it is not clear."""
        named = module_of(config, self.libraries)
        if named is not None:
            is_unreadable = self._spec(named) is None
            if named.stem == config.stem or is_unreadable or self._fits(config, named):
                return named
        if _is_ini_file(config):
            return named
        for modules in self._levels(config):
            fitting = [module for module in modules if self._fits(config, module)]
            used = set[str]()
            for module in fitting:
                used |= self._used_modules(module)
            roots = [module for module in fitting if module.stem not in used]
            if fitting:
                return roots[0] if len(roots) == 1 else named
        return named

    def _levels(self, config: Path) -> Iterator[list[Path]]:
        """Yield the modules beside a config, and those of each folder above it up to the one above the searched folder."""
        depth = len(config.parent.relative_to(self.folder).parts)
        for level in range(depth + 2):
            folder = Path(os.path.normpath(config.parent / ("../" * level)))
            if modules := sorted(folder.glob("*.tla")):
                yield modules

    def _used_modules(self, module: Path) -> set[str]:
        """Return the names of the modules that a module extends or instantiates, and those that these do."""
        spec = self._specs[module]
        if spec is None:
            return set()
        return {used.name for used in spec.modules if used.name != spec.root.name}

    def _spec(self, module: Path) -> ModuleGraph | None:
        """Return a module with those that it uses, None if one of them cannot be read."""
        if module not in self._specs:
            self._specs[module] = None
            with suppress(InputError):
                self._specs[module] = load_specification(module, self.libraries)
        return self._specs[module]

    def _fits(self, config: Path, module: Path) -> bool:
        """Return whether a module has the names in a config."""
        spec = self._spec(module)
        if spec is None:
            return False
        try:
            check_config_names(read_config(config), {module.name: spec})
        except InputError:
            return False
        return True

    def _relative(self, file: Path) -> str:
        return Path(os.path.relpath(file, self.folder)).as_posix()

    def _outside(self, link: Path) -> InputError:
        text = f"the link leads out of the folder, to {os.path.realpath(link)}, and is not followed"
        hint = (
            f'leave it out in {FOLDER_FILE}: exclude = [{{ config = "{self._relative(link)}" }}] under [grid]'
        )
        return InputError("outside-folder", text, where=str(link), hint=hint)

    def _unclear(self, config: Path) -> InputError:
        try:
            read_config(config)
        except InputError as error:
            return error
        left_out = f'exclude = [{{ config = "{self._relative(config)}" }}] under [grid]'
        named = f"tla2py sweep --configs {config} MODULE.tla"
        fitting = []
        for modules in self._levels(config):
            fitting += [self._relative(module) for module in modules if self._fits(config, module)]
        several = f"several modules have its names: {listed(fitting, 10)}"
        return InputError(
            "module-missing",
            several if fitting else "no module beside it or above has its names",
            where=str(config),
            hint="name it after its module, as in Spec_small.cfg for Spec.tla; "
            f"name the module: {named}; or leave it out in {FOLDER_FILE}: {left_out}",
        )
