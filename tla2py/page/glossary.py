"""The definitions of a run's modules, with their comments and texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tla2py.errors import InputError, StoreError
from tla2py.explore.view import StoreView
from tla2py.show.markup import Element, element
from tla2py.syntax.module import Definition, Module
from tla2py.syntax.parse import read_text
from tla2py.trace.trace import Trace


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


def definition_view(modules: Sequence[Module], name: str) -> Element | None:
    """A definition's comment and text; None if the name is not defined."""
    found = definition_of(modules, name)
    if found is None:
        return None
    text = element("details", element("summary", "definition"), element("pre", element("code", found.text)))
    comment = element("p", element("strong", name), f": {found.comment}") if found.comment else None
    return element("div", comment, text)


def comments_view(modules: Sequence[Module], trace: Trace) -> Element | None:
    """The modules' comments on a trace's variables and actions; None if there are none."""
    comments = {v.name: v.comment for m in modules for v in m.variables if v.comment}
    names = trace.states[0].values if trace.states else ()
    variables = {name: comments[name] for name in names if name in comments}
    actions: dict[str, str] = {}
    for state in trace.states:
        if state.action is not None:
            found = definition_of(modules, state.action, state.location.module if state.location else None)
            if found is not None and found.comment:
                actions[state.action] = found.comment
    if not variables and not actions:
        return None
    summary = element("summary", "comments in the specification")
    lists = (_list("Variables", variables), _list("Actions", actions))
    return element("details", summary, *lists, class_="words")


def _list(title: str, comments: Mapping[str, str]) -> Element | None:
    if not comments:
        return None
    entries = [
        piece
        for name, text in comments.items()
        for piece in (element("dt", element("code", name)), element("dd", text))
    ]
    return element("div", element("h4", title), element("dl", *entries))
