"""The bundled systems: listed, copied completely, ready to run; and shell completion."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.command import tool
from tests.conftest import RunCli
from tests.raising import raises
from tla2py.cli.options import copy_example, examples
from tla2py.errors import InputError
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep

NAMES = ["bookkeeper", "compaction", "kafka_transactions", "kip320", "ledger_chaining", "two_phase"]


def test_the_list(run_cli: RunCli) -> None:
    listed = json.loads(run_cli("examples", "list", "--json").stdout)
    assert [example["name"] for example in listed] == NAMES
    assert all(example["title"] != example["name"] for example in listed)
    shown = run_cli("examples", "list").stdout
    assert "kip320" in shown
    assert "variants.toml" in shown


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_calls_for_the_same_runs(name: str, tmp_path: Path) -> None:
    (example,) = (example for example in examples() if example.name == name)
    copied = copy_example(name, tmp_path / "new" / name)
    assert [file.name for file in copied] == list(example.sweeps)
    here = plan_sweep(load_sweep(copied[0]), "0" * 64)
    there = plan_sweep(load_sweep(example.folder / "sweep.toml"), "0" * 64)
    assert [run.run_id for run in here.runs] == [run.run_id for run in there.runs]


def test_a_copy_overwrites_nothing(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "Kip320.tla").write_text("mine")
    assert run_cli("examples", "copy", "kip320", "mine", code=2).error.code == "target-not-empty"
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["Kip320.tla"]
    raised = raises(InputError, copy_example, "kip320", tmp_path / "mine" / "Kip320.tla")
    assert raised.code == "target-not-empty"
    assert "examples: bookkeeper" in str(raises(InputError, copy_example, "paxos", tmp_path / "new").hint)


def test_the_shell_completes() -> None:
    command = Path(sys.executable).with_name("tla2py")
    for words, offered in (("sw", "sweep"), ("tools ", "list install pin path"), ("zz", "")):
        asked = {"_TLA2PY_COMPLETE": "complete_bash", "COMP_WORDS": f"tla2py {words}"}
        environ = {**os.environ, **asked, "COMP_CWORD": str(1 + words.count(" "))}
        ended = tool(command, env=environ, check=True)
        assert (ended.stdout.split(), ended.stderr) == (offered.split(), "")
