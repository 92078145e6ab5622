"""TLC run by plain Java, without tla2py, to compare with what tla2py says."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tla2py.model.outcome import VERDICTS, Outcome
from tla2py.tlc.output.codes import EXIT_STATUSES
from tla2py.tlc.tools.toolchain import find_toolchain

_COUNTS = re.compile(r"^([\d,]+) states generated, ([\d,]+) distinct states found", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class PlainRun:
    """What TLC itself answered; ``distinct`` is the number of distinct states, None where it printed none."""

    outcome: Outcome
    output: str
    distinct: int | None

    @property
    def verdict(self) -> str:
        """The verdict of the exit code."""
        return VERDICTS[self.outcome].value


def run_plain_tlc(module: str, folder: Path, jar: Path, *options: str) -> PlainRun:
    """Return what TLC answers about a module and the config of its name in a folder, with one worker."""
    tools = find_toolchain(jar)
    # Small models: what Java needs to start counts.
    java = [str(tools.java.path), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss16m"]
    java += ["-cp", str(tools.jar.path), "tlc2.TLC"]
    with tempfile.TemporaryDirectory() as place:
        # A copy, as newer TLCs write the trace as a module beside the specification.
        copy = shutil.copytree(folder, Path(place) / "model")
        tlc = [*java, "-workers", "1", "-fp", "0", "-metadir", f"{place}/states", *options, module]
        ended = subprocess.run(tlc, cwd=copy, stdout=subprocess.PIPE, text=True, check=False)

    counts = _COUNTS.findall(ended.stdout)
    return PlainRun(
        outcome=EXIT_STATUSES.get(ended.returncode, Outcome.ERROR),
        output=ended.stdout,
        distinct=int(counts[-1][1].replace(",", "")) if counts else None,
    )
