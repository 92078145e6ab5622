"""Help without the Python types and the braces that Typer adds to it."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup

# Click's settings of every command.
SETTINGS = {"help_option_names": ["-h", "--help"]}


class PlainCommand(TyperCommand):
    """A command with plain help."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: D102 - see the base class
        return _without_types(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: D102 - as above
        return [re.sub(r"^\{(.*)\}(\.\.\.)?$", r"\1", piece) for piece in super().collect_usage_pieces(ctx)]


class PlainGroup(TyperGroup):
    """A group of commands with plain help."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: D102 - see the base class
        return _without_types(super().get_params(ctx))


def _without_types(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if parameter.param_type_name == "argument" or parameter.is_flag:
            # Typer 0.29 shows <bool> and <list[Path]>.
            parameter.display_type_rich = _nothing
    return parameters


def _nothing(ctx: Any) -> str:  # noqa: ARG001 - Typer passes it
    return ""
