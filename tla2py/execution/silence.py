"""The other TLCs of this machine, for a run that its own TLC ends with an error but without a message (tlaplus#763)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tla2py.errors import ToolchainError
from tla2py.tlc.tools.jar import copied_jar
from tla2py.tlc.tools.toolchain import Toolchain, found_jars


def other_toolchains(toolchain: Toolchain) -> Iterator[Toolchain]:
    """Yield this toolchain with each other jar that is installed here, as far as it can be used."""
    for found in found_jars():
        if found.jar is None or found.jar.sha256 == toolchain.jar.sha256:
            continue
        try:
            jar = copied_jar(found.jar)
        except ToolchainError:
            continue
        yield replace(toolchain, jar=jar)
