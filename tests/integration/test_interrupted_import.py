"""An interrupt while the command's own modules are imported."""

from __future__ import annotations

import subprocess
import sys

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
