"""Rendering of TLC configs with Jinja2; a template sees ``config``, a ``tla2py.model.config.Config``."""

from __future__ import annotations

import traceback
from functools import lru_cache
from pathlib import Path

import jinja2
import jinja2.sandbox

from tla2py.errors import InputError
from tla2py.model.config import Config


def default_template() -> str:
    """The text of the default template."""
    package = Path(__file__).resolve().parent.parent
    # A wheel has the templates inside the package, a checkout beside it.
    for folder in (package / "cfg_templates", package.parent / "cfg_templates"):
        path = folder / "default.cfg.j2"
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise InputError(
        "template-missing", "the template default.cfg.j2 is not installed", hint="reinstall tla2py"
    )


def render_config(config: Config, template: str, *, where: str | None = None) -> str:
    """The text of a ``.cfg`` file, always the same for the same config and template.

    ``where`` is the template's file. Raises InputError (``template``) with the line if the template fails.
    """
    try:
        return _compile(template).render(config=config)
    except jinja2.TemplateSyntaxError as error:
        place = f"{where}:{error.lineno}" if where else f"line {error.lineno}"
        raise InputError(
            "template",
            f"not a Jinja2 template: {error.message}",
            where=place,
            hint="write expressions as {{ }} and statements as {% %}",
        ) from error
    except Exception as error:  # anything that a template raises is an error in it
        line = _line_of(error)
        raise InputError(
            "template",
            str(error),
            where=f"{where}:{line}" if where and line else where,
            hint="a template sees config, with the fields of tla2py.model.config.Config",
        ) from error


def _line_of(error: Exception) -> int | None:
    """The line of the template that raised an error."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if frame.filename == "<template>"), None)


@lru_cache(maxsize=16)
def _compile(template: str) -> jinja2.Template:
    # Templates are untrusted: in Jinja2's default environment they could run any Python code.
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    return environment.from_string(template)
