"""The command's start: interrupted imports, and an install of the core alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import tool
from tests.conftest import RunCli

SCRIPT = """
import os, signal
import tla2py.cli.app
from tla2py.cli.main import main

class Descriptor:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGINT)

def while_a_class_is_made():
    class Owner:
        attribute = Descriptor()

tla2py.cli.app.run_app = while_a_class_is_made
main()
"""


def test_an_interrupt_while_a_class_is_made_is_quiet() -> None:
    done = tool(sys.executable, "-c", SCRIPT)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


# Sends the process a signal when it imports a module, and lists the modules that it imports.
FINDER = """
import atexit, os, signal, sys

NAMES = []

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        NAMES.append(name)
        if name == os.environ.get("AT"):
            os.kill(os.getpid(), signal.{signal})

sys.meta_path.insert(0, Finder)
atexit.register(lambda: open(os.environ["NAMES"], "w").write(" ".join(NAMES)))
"""
START = [sys.executable, "-c", "from tla2py.cli.main import main; main()", "check"]


@pytest.mark.parametrize("sent", ["SIGINT", "SIGTERM"])
def test_an_interrupt_while_a_command_is_imported_is_quiet(sent: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(FINDER.format(signal=sent))
    names = tmp_path / "names"
    surroundings = {**os.environ, "PYTHONPATH": str(tmp_path), "NAMES": str(names)}
    command = [*START, "Nowhere.tla"]
    assert subprocess.run(command, env=surroundings, capture_output=True, check=False).returncode == 2
    imported = names.read_text().split()
    # Nothing else of the package is imported before signals are handled, and no module that takes long.
    before = imported[imported.index("tla2py") : imported.index("tla2py.cli.console")]
    ours = {name for name in before if name.startswith("tla2py")}
    first = {"tla2py", "tla2py.version", "tla2py.model", "tla2py.model.display"}
    assert ours == {*first, "tla2py.cli", "tla2py.cli.main"}
    assert not {"typing", "dataclasses", "inspect", "logging", "re"} & {*before}
    after = imported[imported.index("tla2py.cli.console") :]
    chosen = [*after[:: len(after) // 6], "tla2py.cli.app", "tla2py.cli.check"]
    for name in chosen:
        at = {**surroundings, "AT": name}
        done = tool(*command, env=at)
        assert (done.returncode, done.stdout, done.stderr) == (130, "", ""), name


# How each ends, and whether it prints Small.
EVERY_COMMAND = {
    "inspect Counter.tla": "0 True",
    "init Counter.tla -o first.toml": "0 False",
    "cfg sweep.toml -o configs": "0 False",
    "check Counter.tla -c Max=3 --invariant Small": "1 True",
    "sweep sweep.toml -o store": "1 True",
    "trace store 3": "0 True",
    "report store -o page.html": "0 False",
    "gate sweep.toml -o store": "1 True",
    "tools list": "0 False",
    "doctor --no-self-test": "0 False",
    "examples list": "0 False",
}
PROGRAM = """
import sys
from pathlib import Path
from tests import command
for line in sys.argv[1].splitlines():
    ended = command.run(*line.split(), cwd=Path())
    assert "Traceback" not in ended.stderr, ended
    print(ended.code, "Small" in ended.stdout)
"""


def test_every_command(core_only: dict[str, str], tiny_sweep: Path, tmp_path: Path) -> None:
    path = os.pathsep.join([core_only["PYTHONPATH"], str(Path(__file__).parents[2])])
    env = {**os.environ, **core_only, "PYTHONPATH": path}
    asked = "\n".join(EVERY_COMMAND)
    done = tool(sys.executable, "-c", PROGRAM, asked, cwd=tmp_path, env=env, code=0)
    assert dict(zip(EVERY_COMMAND, done.stdout.splitlines(), strict=True)) == EVERY_COMMAND
    assert (tmp_path / "page.html").is_file()


def test_jvms_that_stay_use_the_same_jar(core_only: dict[str, str]) -> None:
    program = "from tla2py.tlc.process.gateway import gateway_jar; print(gateway_jar())"
    asked = (sys.executable, "-c", program)
    jars = [tool(*asked, env={**os.environ, **env}, check=True).stdout.strip() for env in (core_only, {})]
    assert jars[0] == jars[1]
    assert Path(jars[0]).is_file()


def test_what_needs_spark_says_so(run_cli: RunCli, core_only: dict[str, str], tiny_sweep: Path) -> None:
    swept = run_cli("sweep", "sweep.toml", "--master", "local[2]", "-o", "store", env=core_only, code=2)
    assert swept.error.code == "spark-missing"
    assert "tla2py[spark]" in swept.hint
    run_cli("sweep", "sweep.toml", "-o", "store", env=core_only)
    answered = run_cli("query", "store", "SELECT count(*) AS n FROM runs", "--json", env=core_only)
    assert answered.json[0]["n"] > 0
    refused = run_cli("query", "store", "--engine", "spark", "SELECT md5(verdict) FROM runs", env=core_only)
    assert (refused.code, refused.error.code) == (2, "spark-missing")
    assert "tla2py[spark]" in refused.hint
    unread = run_cli("query", "store", "SELECT point FROM runs WHERE (", env=core_only)
    assert (unread.code, unread.error.code) == (2, "sql")
    for env, installed in ((core_only, False), (None, True)):
        found = run_cli("doctor", "--no-self-test", "--json", env=env).json
        [spark] = [each for each in found if each["about"] == "Spark"]
        assert ("pip install" in spark["remedy"]) == (not installed), spark
