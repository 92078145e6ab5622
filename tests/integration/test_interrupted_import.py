"""An interrupt while the command's own modules are imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
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
    assert {name for name in before if name.startswith("tla2py")} == {
        "tla2py",
        "tla2py.cli",
        "tla2py.cli.main",
    }
    assert not {"typing", "dataclasses", "inspect", "logging", "re"} & {*before}
    after = imported[imported.index("tla2py.cli.console") :]
    chosen = [*after[:: len(after) // 6], "tla2py.cli.app", "tla2py.cli.run"]
    for name in chosen:
        at = {**surroundings, "AT": name}
        done = subprocess.run(command, env=at, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (130, "", ""), name
