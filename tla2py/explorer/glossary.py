"""The definitions of a run's modules, with their comments and texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tla2py.errors import InputError, StoreError
from tla2py.explore.view import StoreView
from tla2py.syntax.module import Definition, Module
from tla2py.syntax.parse import read_text


@dataclass(frozen=True, slots=True)
class Glossary:
    """The parsed modules of a store's runs; each text is parsed once."""

    view: StoreView
    _texts: dict[str, str] = field(default_factory=dict)
    _modules: dict[str, Module] = field(default_factory=dict)

    def modules(self, point: int) -> tuple[Module, ...]:
        """The modules of a point's run, its main module first; none if its record cannot be read."""
        run_id = self.view.points[point].run_id
        try:
            with self.view.store.archive(run_id) as archive:
                record = archive.record
        except (StoreError, InputError):
            return ()
        if not self._texts:
            self._texts.update(self.view.store.sources())
        for _, sha256 in record.modules:
            if sha256 in self._texts and sha256 not in self._modules:
                self._modules[sha256] = read_text(self._texts[sha256])
        ordered = sorted(record.modules, key=lambda entry: entry[0] != f"{record.main}.tla")
        return tuple(self._modules[sha256] for _, sha256 in ordered if sha256 in self._modules)


def definition_of(modules: Sequence[Module], name: str, module: str | None = None) -> Definition | None:
    """A name's definition, preferably the one in ``module``."""
    found = [d for m in modules for d in m.definitions if d.name == name]
    return next((d for d in found if d.module == module), found[0] if found else None)


def definitions_of(view: StoreView) -> dict[str, str]:
    """The texts of what a store's points violate, each after its comment, by name."""
    glossary = Glossary(view)
    found: dict[str, str] = {}
    points = {point.run_id: point.point for point in view.points}
    for row in view.trace_rows:
        if row.name and row.name not in found and row.run_id in points:
            definition = definition_of(glossary.modules(points[row.run_id]), row.name)
            if definition is not None:
                comment = f"\\* {definition.comment}\n" if definition.comment else ""
                found[row.name] = comment + definition.text
    return found
