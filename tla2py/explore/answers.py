"""The points of a store by property: where it was checked, and with what answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tla2py.explore.view import StoreView
from tla2py.model.outcome import Verdict

# What a point checks says what was asked; what it specifies gets laws of its own.
_SCOPES = ("specification",)
_MODELS = ("module", "config")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A point with an answer: its number, its parameters' texts, and whether the property is violated there."""

    point: int
    parameters: Mapping[str, str]
    violated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The answers to one property: points with one, points that checked it without one, and excluded points."""

    name: str
    answered: tuple[Answered, ...]
    unanswered: tuple[int, ...]
    excluded: tuple[int, ...]

    def at(self, parameter: str, value: str) -> Answers:
        """The answers at the points where a parameter has a value."""
        those = tuple(each for each in self.answered if each.parameters[parameter] == value)
        return Answers(name=self.name, answered=those, unanswered=(), excluded=())


def property_answers(view: StoreView) -> list[Answers]:
    """The answers to each property that a run checked or violated, in the order of the points."""
    parameters = {point.point: point.parameters for point in view.points}
    answered: dict[str, list[Answered]] = {}
    unanswered: dict[str, list[int]] = {}
    excluded = []
    for row in view.run_rows:
        if row.verdict is Verdict.EXCLUDED:
            excluded.append(row.point)
            continue
        for name in dict.fromkeys((*row.checked, *row.violated_names)):
            here = answered.setdefault(name, [])
            if name in row.violated_names or name in row.held:
                violated = name in row.violated_names
                here.append(Answered(point=row.point, parameters=parameters[row.point], violated=violated))
            else:
                unanswered.setdefault(name, []).append(row.point)
    return [
        Answers(
            name=name,
            answered=tuple(points),
            unanswered=tuple(unanswered.get(name, ())),
            excluded=tuple(excluded),
        )
        for name, points in answered.items()
    ]


def law_parameters(view: StoreView) -> list[str]:
    """The parameters that laws are about: neither what the points check nor what they specify, nor names of logs."""
    kinds = {each.name: each.kind for each in view.manifest.parameters}
    besides = {"invariants", "properties", *_SCOPES}
    return [name for name, kind in kinds.items() if kind not in (*_MODELS, "log") and name not in besides]


def scope_parameters(view: StoreView) -> list[str]:
    """The parameters whose values get laws of their own where one law does not serve all."""
    kinds = {each.name: each.kind for each in view.manifest.parameters}
    return [name for name, kind in kinds.items() if kind in _MODELS or name in _SCOPES]


def points_text(points: Sequence[int]) -> str:
    """Points as text, runs of them shortened: ``3, 5-9``."""
    parts: list[tuple[int, int]] = []
    for point in sorted(points):
        if parts and parts[-1][1] == point - 1:
            parts[-1] = (parts[-1][0], point)
        else:
            parts.append((point, point))
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)
