"""From a module's file to all modules it needs: EXTENDS and INSTANCE followed through the folders."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from tla2py.errors import InputError
from tla2py.syntax.module import Module, Reference
from tla2py.syntax.module_graph import ModuleGraph
from tla2py.syntax.parse import raise_problem, read_appended, read_module
from tla2py.syntax.standard import APALACHE_MODULES, COMMUNITY_MODULES, PROOF_MODULES, STANDARD_MODULES

# Returns the module to read in place of one that contains PlusCal.
Translate: TypeAlias = Callable[[Module], Module]


def load_modules(
    path: Path | str,
    libraries: Sequence[Path] = (),
    *,
    strict: bool = True,
    nearby: bool = False,
    translate: Translate | None = None,
) -> ModuleGraph:
    """Return a module with all it extends and instantiates.

    Modules are looked for in the folder of the first one, then in the libraries in their order, as TLC does, and last
    behind the first module in its file; the standard modules need not be found, and of those that proofs name
    most are in ``PROOFS``. Raises ``InputError``: those of ``parse_module``, ``module-missing`` where
    a module is named that cannot be found, ``module-cycle`` where one comes back to itself. Without ``strict``
    text that cannot be read is left to TLC to judge. With ``nearby`` a module that is in none of these folders is
    taken from a folder beside the first module's, if just one has it. Without ``translate`` PlusCal is left as it is.
    """
    search = _Search([Path(path).parent, *libraries], strict=strict, nearby=nearby, translate=translate)
    root = search.read(Path(path))
    search.appended = read_appended(root)
    search.follow(root, (root.name,))
    return ModuleGraph(
        root=root, modules=tuple(search.found.values()), standard=tuple(sorted(search.standard))
    )


_COMMUNITY_ADVICE = (
    "it is one of the CommunityModules: tla2py tools install community-modules, "
    'then -L community-modules, or libraries = ["community-modules"] in a sweep file'
)
_PROOF_ADVICE = (
    "it belongs to the library of the TLA+ proof system, which no command here installs: "
    "get the folder library of https://github.com/tlaplus/tlapm, then -L THAT-FOLDER"
)

# The names of the library of the TLA+ proof system, for modules with proofs where that is not installed.
PROOFS = Path(__file__).parent / "proofs"


class _Search:
    def __init__(
        self, folders: Sequence[Path], *, strict: bool, nearby: bool, translate: Translate | None
    ) -> None:
        self._folders = folders
        self._strict = strict
        self._nearby = nearby
        self._translate = translate
        self.found: dict[str, Module] = {}
        self.standard: set[str] = set()
        self.appended: dict[str, Module] = {}

    def read(self, path: Path) -> Module:
        module = read_module(path)
        if module.has_pluscal and self._translate is not None:
            module = self._translate(module)
        return self._add(module)

    def _add(self, module: Module) -> Module:
        if self._strict:
            raise_problem(module)
        self.found[module.name] = module
        return module

    def follow(self, module: Module, trail: tuple[str, ...]) -> None:
        for reference in _references(module, frozenset()):
            if reference.module in trail:
                circle = [*trail[trail.index(reference.module) :], reference.module]
                raise InputError(
                    "module-cycle",
                    f"module {reference.module} needs itself: {' needs '.join(circle)}",
                    where=module.where(reference.span),
                    hint="EXTENDS and INSTANCE must not come back to a module they started from",
                )
            if reference.module in self.found:
                continue
            file = self._locate(reference.module)
            if file is not None:
                self.follow(self.read(file), (*trail, reference.module))
            elif reference.module in STANDARD_MODULES:
                self.standard.add(reference.module)
            elif reference.module in self.appended:
                self.follow(self._add(self.appended[reference.module]), (*trail, reference.module))
            elif self._nearby and len(beside := self._beside(reference.module)) == 1:
                found = beside[0] / f"{reference.module}.tla"
                self.follow(self.read(found), (*trail, reference.module))
            elif (names := PROOFS / f"{reference.module}.tla").is_file():
                self.follow(self.read(names), (*trail, reference.module))
            else:
                raise self._missing(module, reference)

    def _locate(self, name: str) -> Path | None:
        files = (folder / f"{name}.tla" for folder in self._folders)
        return next((file for file in files if file.is_file()), None)

    def _beside(self, name: str) -> list[Path]:
        """Return the folders beside the first module's that have a module."""
        outer = Path(os.path.normpath(self._folders[0] / ".."))
        return sorted(file.parent for file in outer.glob(f"*/{name}.tla") if file.is_file())

    def _missing(self, module: Module, reference: Reference) -> InputError:
        searched = ", ".join(dict.fromkeys(str(folder) for folder in self._folders))
        beside = self._beside(reference.module)
        if beside:
            advice = f"there is one in {beside[0]}: add -L {beside[0]}"
        elif reference.module in COMMUNITY_MODULES:
            advice = _COMMUNITY_ADVICE
        elif reference.module in PROOF_MODULES:
            advice = _PROOF_ADVICE
        elif reference.module in APALACHE_MODULES:
            advice = "it belongs to Apalache: copy it there, or add its folder with -L"
        else:
            there = {
                file.stem for folder in self._folders if folder.is_dir() for file in folder.glob("*.tla")
            }
            near = difflib.get_close_matches(reference.module, sorted(there | STANDARD_MODULES), n=3)
            advice = f"did you mean {' or '.join(near)}?" if near else "add its folder with -L"
        return InputError(
            "module-missing",
            f"module {reference.module} is not found",
            where=module.where(reference.span),
            hint=f"looked in {searched}; {advice}",
        )


def _references(module: Module, known: frozenset[str]) -> Iterator[Reference]:
    """Yield the modules named in a file that are not modules nested in it."""
    known = known | {each.name for each in module.nested}
    for reference in module.references:
        if reference.module not in known:
            yield reference
    for nested in module.nested:
        yield from _references(nested, known)
