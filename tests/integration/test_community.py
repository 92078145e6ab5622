"""The installed CommunityModules: their classes, and modules that write what tla2py would read as TLC's word."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command import CommandResult
from tests.conftest import SPECS, RunCli, spec
from tests.stores import lasting_tables, table_rows
from tla2py.tlc.process import sandbox
from tla2py.tlc.process.pool import close_hosts

pytestmark = pytest.mark.jars


USE = spec("classes/Use")
SWEEP = (
    'module = "Use.tla"\n[model]\ninvariants = ["Mirrored", "Chosen", "Bag", "Few"]\ncheck_deadlock = false\n'
    '[parameters]\nN = [1, 2, 3]\n[tlc]\nmemory = "256MiB"\n'
)


@pytest.fixture
def tla2py(newer: RunCli, tmp_path: Path) -> RunCli:
    """That command line where there is a module that uses theirs."""
    (tmp_path / "Use.tla").write_text(USE)
    return newer


def test_runs_in_one_jvm_have_rows_of_processes(tla2py: RunCli, tmp_path: Path, shared: list[bool]) -> None:
    for name, switch in (("warm", ""), ("cold", "warm = false\n")):
        (tmp_path / f"{name}.toml").write_text(SWEEP + switch)
        ended = tla2py("sweep", f"{name}.toml", "--executor", "local", "-o", name, "--no-why")
        assert "violated: Few" in ended.stdout, ended
    assert shared == [True] * 3
    found = lasting_tables(tmp_path / "warm")
    assert found == lasting_tables(tmp_path / "cold")
    assert [len(found[table]) for table in ("runs", "states")] == [3, 2 + 3 + 4]
    assert tla2py("trace", "warm", "1", "--verify").code == 0
    # With IOUtils and trust a run has a process of its own: it may start programs.
    shared.clear()
    (tmp_path / "Use.tla").write_text(USE.replace("Folds,", "Folds, IOUtils,"))
    (tmp_path / "warm.toml").write_text(SWEEP.replace("[1, 2, 3]", "[1]"))
    # A question about a counterexample is never trusted.
    given = ("--executor", "local", "--trust", "--no-why")
    assert "violated: Few" in tla2py("sweep", "warm.toml", *given).stdout
    assert shared == []


def test_classes_belong_to_runs_that_use_them(tla2py: RunCli, tmp_path: Path, cache: Path) -> None:
    asked = ("check", "Use.tla", "-c", "N=2", "--invariant", "Few", "--json")
    ids = [tla2py(*asked, *more).json["run_id"] for more in ((), ("-L", "community-modules"))]
    assert ids[0] != ids[1]
    # Their TLA+ definitions alone do with any TLC.
    pair = "---- MODULE Pair ----\nEXTENDS Functions\nASSUME Range(<<1>>) = {1}\n====\n"
    (tmp_path / "Pair.tla").write_text(pair)
    old = {"TLA2TOOLS_JAR": ""}
    ended = tla2py("check", "Pair.tla", env=old)
    assert ended.error.code == "community-tlc"
    assert "tla2py tools install rolling" in ended.hint
    assert tla2py("check", "Pair.tla", "-L", "community-modules", env=old).code == 0
    assert tla2py("check", "Pair.tla").code == 0
    # A copy of one's own is a module like any other.
    for name in ("Functions.tla", "Folds.tla"):
        copy = cache / "tla2py/tools/community-modules/modules" / name
        (tmp_path / name).write_text(copy.read_text())
    assert tla2py("check", "Pair.tla", env=old).code == 0
    assert "libraries" not in tla2py("init", "Use.tla").stdout
    (tmp_path / "Use.cfg").write_text("CONSTANT N = 2\nSPECIFICATION Spec\nINVARIANT Few\n")
    assert tla2py("lint", "Use.tla").code == 0


def test_programs_run_with_trust_only(tla2py: RunCli, tmp_path: Path) -> None:
    shutil.copy(SPECS / "classes/Programs.tla", tmp_path)
    asked = ("check", "Programs.tla", "--invariant", "Silent")
    assert tla2py(*asked).refusal == ("starts-programs", "Programs.tla:4:13")
    assert "violated: Silent" in tla2py(*asked, "--trust").stdout
    (tmp_path / "sweep.toml").write_text('module = "Programs.tla"\n[model]\ninvariants = ["Silent"]\n')
    swept = ("sweep", "sweep.toml", "--executor", "local")
    assert tla2py(*swept).error.code == "starts-programs"
    for _ in range(2):
        assert tla2py(*swept, "--trust").executed == 1


def test_a_model_that_may_not_run_stops_no_others(tla2py: RunCli, tmp_path: Path) -> None:
    shutil.copy(SPECS / "classes/Programs.tla", tmp_path)
    (tmp_path / "Programs.cfg").write_text("SPECIFICATION Spec\nINVARIANT Silent\n")
    config = "SPECIFICATION Spec\nINVARIANT Few\nCONSTANT N = 1\nCHECK_DEADLOCK FALSE\n"
    (tmp_path / "Use.cfg").write_text(config)
    asked = ("gate", ".", "--executor", "local", "-o", "store")
    gated = tla2py(*asked)
    assert (gated.code, gated.executed) == (2, 1)
    assert "unread: Programs.cfg was not run: Programs.tla:4:13: IOExec starts a program" in gated.stdout
    assert "1 model not read" in gated.stdout
    with_trust = tla2py(*asked, "--trust")
    assert with_trust.executed == 2
    assert (with_trust.code, "2 violated" in with_trust.stderr) == (1, True)
    # The classes need a newer TLC than the bundled one, and nothing else is left to run.
    (tmp_path / "Use.cfg").unlink()
    assert tla2py(*asked, env={"TLA2TOOLS_JAR": "bundled"}).error.code == "community-tlc"


# The module has the text of a run that went well written, by either of two modules.
FORGE = spec("classes/Forge")
BY_LINE = r"\A i \in 1..Len(Lines) : CSVWrite(Lines[i], <<>>, Path)"
MODULES = {
    "Json": FORGE,
    "CSV": FORGE.replace("TLC, Json", "CSV").replace("ndJsonSerialize(Path, Lines)", BY_LINE),
}
# The streams where they were once, where they are, and through the files that the process has open.
PATHS = ("stdout.txt", "../stdout.txt", "../out", "/proc/self/fd/1", "/dev/stdout", "/proc/thread-self/fd/1")
NOBODY = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")


@pytest.fixture(params=["as it is", "as nobody"])
def forging_tla2py(request: pytest.FixtureRequest, run_cli: RunCli, newer_tlc: Path) -> Iterator[RunCli]:
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

    def run(*args: str | Path) -> CommandResult:
        return run_cli(*args, cwd=base, env=surroundings, prefix=NOBODY if other else ())

    try:
        assert run("tools", "install", "community-modules", "--from-file", community).code == 0
        yield run
    finally:
        close_hosts()
        shutil.rmtree(base)


@pytest.mark.parametrize("warm", [True, False], ids=["in a shared JVM", "in a process of its own"])
@pytest.mark.parametrize("writer", MODULES)
def test_no_run_forges_the_word_of_tlc(forging_tla2py: RunCli, writer: str, warm: bool) -> None:
    folder = Path(os.path.realpath("/tmp")) / f"tla2py-forging-{os.getpid()}"
    (folder / "Forge.tla").write_text(MODULES[writer])
    paths = ", ".join(f"'\"{path}\"'" for path in PATHS)
    (folder / "sweep.toml").write_text(
        'module = "Forge.tla"\n[model]\ninit = "Init"\nnext = "Next"\ninvariants = ["Not"]\n'
        f'[parameters]\nPath = [{paths}]\n[tlc]\nmemory = "256MiB"\nwarm = {str(warm).lower()}\n'
    )
    ended = forging_tla2py("sweep", folder / "sweep.toml", "--executor", "local", "--no-trust")
    assert not ended.reported.errors, ended
    runs = table_rows(folder / "runs/sweep", "runs")
    assert len(runs) == len(PATHS), ended
    found = {str(row["Path"]).strip('"'): row["verdict"] for row in runs}
    # It may write a file of that name into its own folder.
    assert found.pop("stdout.txt") == "violated", ended
    if "files" not in sandbox.walls().missing:
        # TLC reports the file that it could not open.
        assert set(found.values()) == {"broken"}, found
