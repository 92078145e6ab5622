"""``[mutation]`` of a sweep file: which mutants run, and which survivors are accepted."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class MutationSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[mutation]``: the mutants that a gate runs; ``accept`` has the reasons of accepted survivors by id."""

    operators: list[str] = []
    points: list[int] = []
    sample: int | None = None
    budget: int = 3
    accept: dict[str, str] = {}


MUTATION_KEYS: Mapping[str, str] = {
    "operators": "The mutation operators; default: all.",
    "points": "The numbers of the points that mutants run at; default: all.",
    "sample": "How many mutants run, chosen by the seed of [tlc]; default: all.",
    "budget": "How many times the original's states and time a mutant may take.",
    "accept": 'Survivors that you accept, each with a reason: ID = "reason".',
}
