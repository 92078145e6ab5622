"""Whether a rendered config has every statement of the config that a template got."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tla2py.config.read import config_file
from tla2py.config.render import default_template, render_config
from tla2py.config.statements import read_statements
from tla2py.lint.subject import keyword_of
from tla2py.model.config import Config
from tla2py.model.model import Model


def dropped_statements(model: Model, config: Config, text: str) -> list[str]:
    """The statements of a model's config that a rendered text lacks.

    The template may add statements, and may replace defaults of the model, which no file states.
    """
    rendered = _read(text)
    given = {name for name, _ in (*rendered.assignments, *rendered.substitutions)} & {*model.filled}
    own = tuple(each for each in config.assignments if each.name not in given)
    config = replace(config, assignments=own)
    if model.default_specification and (rendered.specification or rendered.init):
        config = replace(config, specification=None)
    found = set(_statements(rendered))
    # Both are read back, so layout does not count.
    wanted = _statements(_read(render_config(config, default_template())))
    dropped = [each for each in wanted if each not in found]
    if config.check_deadlock and not rendered.check_deadlock:
        dropped.append("CHECK_DEADLOCK TRUE")
    return dropped


def _read(text: str) -> Config:
    return config_file(read_statements(text), text, Path("MC.cfg")).config


def _statements(config: Config) -> Iterator[str]:
    """The statements that TLC acts on; of a name's assignments that is the last, unless ``<-`` overrides it."""
    yield from (f"{keyword_of(key)} {name}" for key, name in config.names())
    yield from (f"{name} <- {definition}" for name, definition in config.substitutions)
    substituted = {name for name, _ in config.substitutions}
    assigned = {name: value for name, value in config.assignments if name not in substituted}
    yield from (f"{name} = {value}" for name, value in assigned.items())
