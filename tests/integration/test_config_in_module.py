"""A config in the file of its module, which old TLCs do not read by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import COUNTER, RunCli

CONFIG = "---- CONFIG Counter ----\nCONSTANT Max = 3\nSPECIFICATION Spec\nINVARIANT Small\n====\n"


@pytest.fixture
def module(tiny_spec: Path) -> Path:
    tiny_spec.write_text(COUNTER + CONFIG)
    return tiny_spec


def test_it_is_checked(run_cli: RunCli, module: Path) -> None:
    ended = run_cli("check", module)
    assert (ended.code, "violated: Small" in ended.stdout) == (1, True), ended
    assert run_cli("check", module, "--config", module, "-c", "Max=2").code == 0


def test_it_is_linted_and_swept(run_cli: RunCli, module: Path) -> None:
    module.write_text(module.read_text().replace("INVARIANT Small", "INVARIANT Smal"))
    place = f"{module}:{module.read_text().splitlines().index('INVARIANT Smal') + 1}:11"
    assert run_cli("lint", module).findings == [("unknown-definition", place)]
    assert run_cli("check", module).refusal == ("unknown-definition", place)
    module.write_text(COUNTER + CONFIG)
    sweep = module.with_name("sweep.toml")
    sweep.write_text('module = "Counter.tla"\nconfig = "Counter.tla"\n[parameters]\nMax = [1, 2]\n')
    assert "INVARIANTS\n  Small" in run_cli("cfg", sweep).stdout
    assert 'invariants = [\n    "Small",\n]' in run_cli("init", module).stdout
