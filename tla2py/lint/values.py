"""Names in a config's values that the module declares, though TLC makes model values of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tla2py.config.literal import literal_names
from tla2py.syntax import ModuleGraph

# An unbounded CHOOSE, which TLC cannot evaluate; comments may precede it.
_CHOSEN = re.compile(r"(?:\s|\\\*[^\n]*|\(\*.*?\*\))*CHOOSE\s+\w+\s*:", re.DOTALL)


def mistaken_names(assignments: Sequence[tuple[str, str]], spec: ModuleGraph) -> Iterator[tuple[str, str]]:
    """Each (constant, name) where TLC makes a model value of a definition's or another constant's name."""
    for constant, text in assignments:
        for name in sorted(literal_names(text) or ()):
            if _defined(name, constant, spec) or _other_constant(name, constant, assignments, spec):
                yield constant, name


def _defined(name: str, constant: str, spec: ModuleGraph) -> bool:
    """Whether a name is a definition, other than one that needs a value: ``None == CHOOSE n : ...``."""
    definition = spec.definitions.get(name)
    if definition is None:
        return False
    chosen = _CHOSEN.match(definition.text.partition("==")[2])
    return name != constant or chosen is None


def _other_constant(
    name: str, constant: str, assignments: Sequence[tuple[str, str]], spec: ModuleGraph
) -> bool:
    """Whether a name is another constant, other than one assigned itself (``n = n``)."""
    declared = any(each.name == name for each in spec.constants)
    return declared and name != constant and (name, name) not in assignments
