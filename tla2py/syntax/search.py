"""Loading a module with all modules that it needs through EXTENDS and INSTANCE."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from tla2py.errors import InputError
from tla2py.syntax.module import Module, Reference
from tla2py.syntax.module_graph import ModuleGraph
from tla2py.syntax.parse import raise_mistake, read_appended, read_module
from tla2py.syntax.standard import APALACHE_MODULES, COMMUNITY_MODULES, PROOF_MODULES, STANDARD_MODULES
from tla2py.text import did_you_mean

# Returns the module to read in place of one that contains PlusCal.
Translate: TypeAlias = Callable[[Module], Module]


def load_modules(
    path: Path | str,
    libraries: Sequence[Path] = (),
    *,
    nearby: bool = False,
    translate: Translate | None = None,
    installed: Path | None = None,
) -> ModuleGraph:
    """A module with all it extends and instantiates.

    Like TLC it searches the folder of the root module, then the libraries in their order, and last the modules after
    the root in its own file. What is missing then comes from ``installed``, the folder of an installed library. With
    ``nearby`` it also takes a module from a folder beside the root's, if exactly one has it. Standard modules need no
    file, and those of the proof system come from ``PROOFS``. Without ``translate`` PlusCal is left as it is.

    Raises ``InputError``: those of ``parse_module``, ``module-missing`` and ``module-cycle``.
    """
    search = _Search([Path(path).parent, *libraries], nearby=nearby, translate=translate, installed=installed)
    root = search.read(Path(path))
    search.appended = read_appended(root)
    search.follow(root, (root.name,))
    return ModuleGraph(
        root=root,
        modules=tuple(search.found.values()),
        standard=tuple(sorted(search.standard)),
        installed=tuple(search.from_library),
    )


def load_texts(main: str, modules: Mapping[str, str]) -> ModuleGraph:
    """A module, given with the others that it needs as texts by file name. Raises as ``load_modules`` does."""
    with tempfile.TemporaryDirectory(prefix="tla2py-") as folder:
        for name, text in modules.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        return load_modules(Path(folder) / f"{main}.tla")


_COMMUNITY_ADVICE = (
    "it is one of the CommunityModules: tla2py tools install rolling installs them with a TLC that they work with; "
    "tla2py tools install community-modules installs only them"
)
_PROOF_ADVICE = (
    "it belongs to the library of the TLA+ proof system: "
    "get the folder library of https://github.com/tlaplus/tlapm, then -L THAT-FOLDER"
)

# The definitions of the TLA+ proof system's library, for modules with proofs without that library.
PROOFS = Path(__file__).parent / "proofs"


class _Search:
    def __init__(
        self,
        folders: Sequence[Path],
        *,
        nearby: bool,
        translate: Translate | None,
        installed: Path | None,
    ) -> None:
        self._folders = folders
        self._nearby = nearby
        self._translate = translate
        self._installed = [installed] if installed is not None else []
        self.found: dict[str, Module] = {}
        self.from_library: list[Module] = []
        self.standard: set[str] = set()
        self.appended: dict[str, Module] = {}

    def read(self, path: Path) -> Module:
        module = read_module(path)
        if module.has_pluscal and self._translate is not None:
            module = self._translate(module)
        return self._add(module)

    def _add(self, module: Module) -> Module:
        raise_mistake(module)
        self.found[module.name] = module
        return module

    def follow(self, module: Module, trail: tuple[str, ...]) -> None:
        for reference in _references(module, frozenset()):
            name = reference.module
            if name in trail:
                circle = [*trail[trail.index(name) :], name]
                raise InputError(
                    "module-cycle",
                    f"module {name} depends on itself: {' needs '.join(circle)}",
                    where=module.where(reference.span),
                    hint="EXTENDS and INSTANCE must not form a cycle",
                )
            if name in self.found:
                continue
            file = _first_file(name, self._folders)
            if file is None and name in STANDARD_MODULES:
                self.standard.add(name)
            elif file is None and name in self.appended:
                self.follow(self._add(self.appended[name]), (*trail, name))
            elif file is None and (library := _first_file(name, self._installed)):
                self.from_library.append(self.read(library))
                self.follow(self.found[name], (*trail, name))
            elif file := file or self._elsewhere(name):
                self.follow(self.read(file), (*trail, name))
            else:
                raise self._missing(module, reference)

    def _elsewhere(self, name: str) -> Path | None:
        """The file of a module outside the folders."""
        beside = self._beside(name) if self._nearby else []
        return _first_file(name, [*beside, PROOFS] if len(beside) == 1 else [PROOFS])

    def _beside(self, name: str) -> list[Path]:
        """The folders beside the root's that have a module."""
        outer = Path(os.path.normpath(self._folders[0] / ".."))
        return sorted(file.parent for file in outer.glob(f"*/{name}.tla") if file.is_file())

    def _missing(self, module: Module, reference: Reference) -> InputError:
        searched = ", ".join(dict.fromkeys(str(folder) for folder in self._folders))
        beside = self._beside(reference.module)
        if beside:
            advice = f"{beside[0]} has one: add -L {beside[0]}"
        elif reference.module in COMMUNITY_MODULES:
            advice = _COMMUNITY_ADVICE
        elif reference.module in PROOF_MODULES:
            advice = _PROOF_ADVICE
        elif reference.module in APALACHE_MODULES:
            advice = "it belongs to Apalache: copy it, or add its folder with -L"
        else:
            there = {
                file.stem for folder in self._folders if folder.is_dir() for file in folder.glob("*.tla")
            }
            advice = did_you_mean(
                reference.module, sorted(there | STANDARD_MODULES), "add its folder with -L"
            )
        return InputError(
            "module-missing",
            f"module {reference.module} not found",
            where=module.where(reference.span),
            hint=f"looked in {searched}; {advice}",
        )


def _first_file(name: str, folders: Sequence[Path]) -> Path | None:
    files = (folder / f"{name}.tla" for folder in folders)
    return next((file for file in files if file.is_file()), None)


def _references(module: Module, known: frozenset[str]) -> Iterator[Reference]:
    """The references in a file to modules that are not nested in it."""
    known = known | {each.name for each in module.nested}
    for reference in module.references:
        if reference.module not in known:
            yield reference
    for nested in module.nested:
        yield from _references(nested, known)
