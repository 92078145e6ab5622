"""The PlusCal translator of commands."""

from __future__ import annotations

from pathlib import Path

from tla2py.cli.console import err
from tla2py.syntax import Remark
from tla2py.toolchain.pluscal import Translator
from tla2py.toolchain.toolchain import find_toolchain


def pluscal_translator(jar: Path | None = None, *, translate: bool = True) -> Translator | None:
    """A translator that prints its remarks on standard error, None for ``--no-translate``."""
    return Translator(lambda: find_toolchain(jar), print_remark) if translate else None


def print_remark(remark: Remark) -> None:
    """Print a remark on a module's PlusCal."""
    err().print(str(remark), style="yellow")
