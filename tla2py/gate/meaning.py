"""What the checks of a point mean: digests of the definitions that they and the specification reach."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from tla2py.logs.observe import OBSERVED
from tla2py.model.config import Config
from tla2py.model.run import Run
from tla2py.sweep.checks import named_definitions
from tla2py.syntax import ModuleGraph, read_text
from tla2py.syntax.depth import deeply
from tla2py.syntax.reach import closure, digest_assumptions, digest_names

# Ten thousand points have few different definitions in their wrapper modules.
_DEFINITION = re.compile(r"\n\n(?=MC_\w+(?:\(.*\))? ==$)", re.MULTILINE)
_Uses: TypeAlias = tuple[tuple[str, str], ...]
_Replaced: TypeAlias = frozenset[tuple[str, frozenset[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """Digests for a point, over tokens without comments and layout.

    reaches: by check, or other use of a definition, over all definitions that it reaches.
    definitions: of each of these definitions.
    assumptions: of the assumptions of each module.
    """

    reaches: Mapping[str, str]
    definitions: Mapping[str, str]
    assumptions: Mapping[str, str]


class Meanings:
    """The meanings of a sweep's points. Points with the same definitions share one.

    ``sources`` are the module texts by sha256.
    """

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._known: dict[tuple[int, _Uses, _Replaced], Meaning] = {}

    def of(self, run: Run, config: Config, spec: ModuleGraph) -> Meaning:
        """The meaning of a run's config."""
        uses = tuple(named_definitions(config))
        replaced = self._replaced(run, config, spec)
        key = (id(spec), uses, replaced)
        if key not in self._known:
            self._known[key] = _meaning(spec, uses, dict(replaced))
        return self._known[key]

    def _replaced(self, run: Run, config: Config, spec: ModuleGraph) -> _Replaced:
        """The names that the config or the wrapper module gives a definition, each with the names which that uses."""
        found = {name: {by.rpartition(" ")[2]} for name, by in config.substitutions}
        if run.main != spec.root.name:
            [wrapper] = [sha256 for name, sha256 in run.modules if name == f"{run.main}.tla"]
            for definition in _DEFINITION.split(self._sources[wrapper])[1:]:
                found |= _defined(f"---- MODULE Wrapper ----\n{definition}\n====\n")
        # The definitions that follow a log use those of the specification.
        for name, sha256 in run.modules:
            if name == f"{OBSERVED}{spec.root.name}.tla":
                found |= _defined(self._sources[sha256])
        # Model values would make a meaning of its own for each point.
        known = found.keys() | spec.scope.names.keys()
        return frozenset(closure({name: frozenset(names & known) for name, names in found.items()}).items())


def _meaning(spec: ModuleGraph, uses: _Uses, replaced: Mapping[str, frozenset[str]]) -> Meaning:
    assumptions, assumed = digest_assumptions(spec, replaced)
    reached = {f"{kind} {name}": digest_names(spec, [name], replaced) for kind, name in uses}
    definitions = dict(assumed.definitions)
    for each in reached.values():
        definitions |= each.definitions
    return Meaning(
        reaches={use: each.digest for use, each in reached.items()},
        definitions=definitions,
        assumptions=assumptions,
    )


@lru_cache(maxsize=1 << 12)
@deeply
def _defined(module: str) -> dict[str, set[str]]:
    """The definitions of a module that tla2py wrote, each with the names that it uses."""
    return {
        each.name: {part.operator for part in each.body.walk() if part.shape == "apply"}
        for each in read_text(module).definitions
        if each.body is not None
    }
