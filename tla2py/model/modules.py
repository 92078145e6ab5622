"""The module texts of a run: those of the user, or changed copies where TLC needs them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from tla2py.model.run import ModuleText, digest_text
from tla2py.syntax import Module, ModuleGraph

_WORD = re.compile(r"\w+")
# Ten thousand points share their modules.
_digest = lru_cache(maxsize=256)(digest_text)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleTexts:
    """The modules of a run.

    originals: the user's own texts of the changed modules.
    texts: every text by its sha256.
    paths: the user's files by the sha256 of their texts.
    """

    modules: tuple[ModuleText, ...]
    originals: tuple[ModuleText, ...]
    texts: dict[str, str]
    paths: dict[str, str]


def module_texts(
    spec: ModuleGraph,
    main: str,
    wrapper: str | None,
    config_text: str,
    added: Mapping[str, str] = MappingProxyType({}),
) -> ModuleTexts:
    """The run's modules; root definitions that the wrapper module ``main`` uses lose their LOCAL.

    ``added`` are the texts of further modules by file name, or of those to use instead.
    """
    modules: list[ModuleText] = []
    originals: list[ModuleText] = []
    texts: dict[str, str] = {}
    paths: dict[str, str] = {}
    if wrapper is not None:
        for name, text in ((f"{main}.tla", wrapper), *added.items()):
            modules.append(ModuleText(name, _digest(text)))
            texts[modules[-1].sha256] = text
    for module in spec.modules:
        if f"{module.name}.tla" in added:
            continue
        text, own = module.text, module.original or module.text
        if wrapper is not None and module is spec.root:
            text = without_local(spec, frozenset(_WORD.findall(f"{config_text}\n{wrapper}")))
        name, sha256 = f"{module.name}.tla", _digest(text)
        modules.append(ModuleText(name, sha256))
        texts[sha256] = text
        if text != own:
            originals.append(ModuleText(name, _digest(own)))
            texts[_digest(own)] = own
        if module.path is not None:
            paths.setdefault(_digest(own), str(module.path))
    return ModuleTexts(modules=tuple(modules), originals=tuple(originals), texts=texts, paths=paths)


def without_local(spec: ModuleGraph, names: frozenset[str]) -> str:
    """The text of the root with LOCAL blanked out before the definitions with these names.

    TLC sees LOCAL definitions of the module it starts on, but not those of a module that it extends.
    """
    root = spec.root
    lines = root.text.split("\n")
    begins = [d.span for d in root.definitions if d.local and d.name in names]
    files = {module.name: module for module in spec.modules}
    for instance in root.instances:
        if instance.local and instance.name is None and names & _defined(instance.module, files):
            begins.append(instance.span)
    if not begins:
        return root.text
    for span in begins:
        _blank(lines, span.begin_line, span.begin_column)
    return "\n".join(lines)


def _defined(name: str, files: dict[str, Module]) -> set[str]:
    module = files.get(name)
    return {definition.name for definition in module.definitions} if module is not None else set()


def _blank(lines: list[str], line: int, column: int) -> None:
    """Blank out the LOCAL at a place or the last one before it; columns stay the same."""
    for number in range(line - 1, -1, -1):
        before = lines[number] if number < line - 1 else lines[number][: column - 1 + len("LOCAL")]
        found = [*re.finditer(r"\bLOCAL\b", before)]
        if found:
            begin, end = found[-1].span()
            lines[number] = lines[number][:begin] + " " * (end - begin) + lines[number][end:]
            return
