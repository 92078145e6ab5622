"""ITF states as JSON text, put together from the texts of their variables.

In many states few variables have a value that no other state has. Writing each value once and joining texts takes a
hundredth of the time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tla2py.values.canonical import MODEL_VALUE, STRING, canonical, scalar_forms
from tla2py.values.itf import form_to_itf, state_to_itf
from tla2py.values.value import Value

# The most combinations of variables whose ending is remembered.
_REMEMBERED = 1 << 16


class VariableText(NamedTuple):
    """A variable and its value as part of a JSON object, and the number of its kind, see ``StateWriter``."""

    text: str
    kind: int


class _Kind(NamedTuple):
    """What decides how a variable combines with others: its name, and the names and strings in its value."""

    name: str
    model_values: frozenset[str]
    strings: frozenset[str]


class StateWriter:
    """A writer of states from texts of variables; it numbers the kinds of variables and remembers their combinations."""

    def __init__(self) -> None:
        self._numbers: dict[_Kind, int] = {}
        self._kinds: list[_Kind] = []
        self._endings: dict[tuple[int, ...], str | None] = {}

    def variable(self, name: str, value: Value) -> VariableText:
        """The text of a variable, for states of this writer."""
        form = canonical(value)
        found: dict[int, set[str]] = {MODEL_VALUE: set(), STRING: set()}
        for rank, content in scalar_forms([form]):
            if rank in found:
                found[rank].add(content)
        kind = _Kind(name, *map(frozenset, found.values()))
        text = json_text({name: form_to_itf(form, kind.model_values)})[1:-1]
        number = self._numbers.setdefault(kind, len(self._kinds))
        if number == len(self._kinds):
            self._kinds.append(kind)
        return VariableText(text, number)

    def state(self, variables: Iterable[VariableText]) -> str | None:
        """The state of these variables, as ``state_text`` writes it.

        None if a variable is repeated, or if a string is the name of a model value: such a state has to be written
        as a whole.
        """
        texts, kinds = zip(*variables, strict=True)
        try:
            ending = self._endings[kinds]
        except KeyError:
            if len(self._endings) >= _REMEMBERED:
                self._endings.clear()
            ending = self._endings[kinds] = self._ending(kinds)
        return None if ending is None else "{" + ",".join(texts) + ending

    def _ending(self, numbers: tuple[int, ...]) -> str | None:
        kinds = [self._kinds[number] for number in numbers]
        names = frozenset[str]().union(*(kind.model_values for kind in kinds))
        strings = frozenset[str]().union(*(kind.strings for kind in kinds))
        if len({kind.name for kind in kinds}) < len(kinds) or names & strings:
            return None
        return f',"#meta":{json_text({"modelValues": sorted(names)})}}}' if names else "}"


def state_text(values: Mapping[str, Value]) -> str:
    """The JSON text of a state in ITF."""
    return json_text(state_to_itf(values))


def json_text(value: object) -> str:
    """The JSON text of a value, as the tables have it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
