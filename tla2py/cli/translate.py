"""Whether PlusCal is translated, as a command's options say."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.console import err
from tla2py.syntax import translate_with
from tla2py.toolchain.pluscal import Translator
from tla2py.toolchain.toolchain import find_toolchain

Translate = Annotated[
    bool,
    typer.Option(
        "--translate/--no-translate",
        help="Translate PlusCal, on a copy, where the translation is missing or older than the algorithm.",
    ),
]


def use_translator(jar: Path | None, translate: bool) -> None:
    """From here on modules are read with their PlusCal translated by a jar, or as they are."""

    @cache
    def tell(text: str) -> None:
        err().print(text, style="yellow")

    translate_with(Translator(lambda: find_toolchain(jar), tell) if translate else None)
