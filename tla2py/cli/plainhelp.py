"""Commands whose help reads as that of other tools: a flag has no value, and an argument is its name."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup


class PlainCommand(TyperCommand):
    """A command; without this Typer would write ``<bool>`` beside flags, and ``{SPEC.tla}`` for ``SPEC.tla``."""

    def get_params(self, ctx: Any) -> Any:
        """Arguments and options, flags without the name of a value."""
        return _plain_flags(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What follows the command's name in the line of its usage."""
        return _plain_names(super().collect_usage_pieces(ctx))


class PlainGroup(TyperGroup):
    """A group of commands, likewise."""

    def get_params(self, ctx: Any) -> Any:
        """Options, flags without the name of a value."""
        return _plain_flags(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What follows the group's name in the line of its usage."""
        return _plain_names(super().collect_usage_pieces(ctx))


def _plain_flags(parameters: Any) -> Any:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""
    return parameters


def _plain_names(pieces: list[str]) -> list[str]:
    return [re.sub(r"^\{(.*?)(?:\.\.\.)?\}(\.\.\.)?$", r"\1\2", piece) for piece in pieces]
