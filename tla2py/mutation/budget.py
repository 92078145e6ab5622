"""A limit on the states of a run: a constraint in its root module that cuts off what lies beyond."""

from __future__ import annotations

import re
from dataclasses import replace

from tla2py.config.render import render_config
from tla2py.model.run import Run

_NAME = "tla2pyBudget"
# The module itself may extend neither.
_FORMULA = 'LET Tla2pyTLC == INSTANCE TLC Tla2pyN == INSTANCE Naturals IN Tla2pyN!<(Tla2pyTLC!TLCGet("distinct"), {})'
_END = re.compile(r"={4,}\s*$")
_BEGIN = re.compile(r"\s*-{4,}\s*MODULE\b")


def with_budget(text: str, states: int) -> str:
    """The text of a module with the constraint in the line that ends it, so that all lines stay."""
    lines = text.split("\n")
    depth = 0
    for place, line in enumerate(lines):
        depth += bool(_BEGIN.match(line))
        if depth and _END.match(line.lstrip()):
            depth -= 1
            if not depth:
                lines[place] = f"{_NAME} == {_FORMULA.format(states)} {line.lstrip()}"
                break
    return "\n".join(lines)


def budgeted(run: Run) -> Run:
    """The run with the constraint in its config."""
    config = replace(run.config, constraints=(*run.config.constraints, _NAME))
    return replace(run, config=config, config_text=render_config(config, run.template))
