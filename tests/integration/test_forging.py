"""Modules that write what tla2py would read as TLC's word, with a TLC whose modules write files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command import Ended
from tests.conftest import RunCli
from tests.stores import table_rows
from tla2py.tlc.process import sandbox
from tla2py.tlc.process.pool import close_hosts

pytestmark = [pytest.mark.java, pytest.mark.jars]

# What TLC prints when all is well, except the line ends, which CSVWrite and ndJsonSerialize add themselves.
FORGED = (
    "@!@!@STARTMSG 2193:0 @!@!@",
    "Model checking completed. No error has been found.",
    "@!@!@ENDMSG 2193 @!@!@",
    "@!@!@STARTMSG 2199:0 @!@!@",
    "2 states generated, 1 distinct states found, 0 states left on queue.",
    "@!@!@ENDMSG 2199 @!@!@",
    "@!@!@STARTMSG 2186:0 @!@!@",
    "Finished in 00ms at (2026-01-01 00:00:00)",
    "@!@!@ENDMSG 2186 @!@!@",
)
LINES = ", ".join(f'"{line}"' for line in FORGED)
# Not is false in the initial state, after the forging.
MODULES = {
    "Json": f"""---- MODULE Json ----
EXTENDS Naturals, TLC, Json
CONSTANT Path
VARIABLE x
Init == x = 0 /\\ ndJsonSerialize(Path, <<{LINES}>>)
Next == UNCHANGED x
Not == x # 0
====
""".replace("MODULE Json ", "MODULE Forge "),
    "CSV": f"""---- MODULE Forge ----
EXTENDS Naturals, Sequences, CSV
CONSTANT Path
VARIABLE x
Lines == <<{LINES}>>
Init == x = 0 /\\ \\A i \\in 1..Len(Lines) : CSVWrite(Lines[i], <<>>, Path)
Next == UNCHANGED x
Not == x # 0
====
""",
}
# The streams where they were once, where they are, and through the files that the process has open.
PATHS = ("stdout.txt", "../stdout.txt", "../out", "/proc/self/fd/1", "/dev/stdout", "/proc/thread-self/fd/1")
NOBODY = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")


@pytest.fixture(params=["as it is", "as nobody"])
def tla2py(request: pytest.FixtureRequest, run_cli: RunCli, newer_tlc: Path) -> Iterator[RunCli]:
    """The command line with TLC 2.20 and the CommunityModules, by this user and, if that is root, by nobody."""
    base = Path(os.path.realpath("/tmp")) / f"tla2py-forging-{os.getpid()}"
    base.mkdir(mode=0o777)
    base.chmod(0o777)
    jar = str(shutil.copy(newer_tlc, base / "tla2tools.jar"))
    community = shutil.copy(newer_tlc.with_name("CommunityModules.jar"), base)
    other = request.param == "as nobody" and os.geteuid() == 0
    surroundings = {"XDG_CACHE_HOME": str(base / "cache"), "TLA2TOOLS_JAR": jar}
    # A process keeps its copies of files in TMPDIR until it ends, as this one does.
    surroundings |= {"HOME": str(base), "TMPDIR": str(base)} if other else {}

    def run(*args: str | Path) -> Ended:
        return run_cli(*args, cwd=base, env=surroundings, prefix=NOBODY if other else ())

    try:
        assert run("tools", "install", "community-modules", "--from-file", community).code == 0
        yield run
    finally:
        close_hosts()
        shutil.rmtree(base)


@pytest.mark.parametrize("warm", [True, False], ids=["in a shared JVM", "in a process of its own"])
@pytest.mark.parametrize("writer", MODULES)
def test_no_run_writes_what_is_read_as_the_word_of_tlc(tla2py: RunCli, writer: str, warm: bool) -> None:
    folder = Path(os.path.realpath("/tmp")) / f"tla2py-forging-{os.getpid()}"
    (folder / "Forge.tla").write_text(MODULES[writer])
    paths = ", ".join(f"'\"{path}\"'" for path in PATHS)
    (folder / "sweep.toml").write_text(
        'module = "Forge.tla"\n[model]\ninit = "Init"\nnext = "Next"\ninvariants = ["Not"]\n'
        f'[parameters]\nPath = [{paths}]\n[tlc]\nmemory = "256MiB"\nwarm = {str(warm).lower()}\n'
    )
    ended = tla2py("sweep", folder / "sweep.toml", "--executor", "local", "--no-trust")
    assert not ended.reported.errors, ended
    runs = table_rows(folder / "runs/sweep", "runs")
    assert len(runs) == len(PATHS), ended
    found = {str(row["Path"]).strip('"'): row["verdict"] for row in runs}
    # It may write a file of that name into its own folder.
    assert found.pop("stdout.txt") == "violated", ended
    if "files" not in sandbox.walls().missing:
        # TLC reports the file that it could not open.
        assert set(found.values()) == {"broken"}, found
