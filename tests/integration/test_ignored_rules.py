"""Configs in odd places or with odd parts: ignored rules, parts that TLC ignores, a config inside its module."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import tool
from tests.conftest import COUNTER, RunCli
from tests.unit.lint.page import MODULE
from tla2py.tlc.tools.java import find_java

HEAD = "SPECIFICATION Spec\nCONSTANTS S = {a, b} Op <- Same\nINVARIANT Small\n"
# The module defines Limit, so TLC's model value Limit is not what it looks like.
WRONG = HEAD.replace("Small", "Bounded") + "CONSTANT N = Limit\n"
IGNORED = "accepted: model-value N ({})"


@pytest.fixture
def box(tmp_path: Path) -> Path:
    (tmp_path / "Box.tla").write_text(MODULE.replace("\n====", "\nBounded == x < 9 /\\ S # {N}\n===="))
    (tmp_path / "Box.cfg").write_text(WRONG)
    return tmp_path


@pytest.mark.parametrize(
    "extra", ["CONSTANT a = 1", "CONSTANT Limits = 9", "CONSTANT x = 1", "CONSTANT Limit = [Bax] 9", "; "]
)
def test_what_tlc_ignores_is_a_warning(run_cli: RunCli, box: Path, extra: str) -> None:
    (box / "Box.cfg").write_text(f"{HEAD.replace('Small', 'Enough')}CONSTANT N = 9\n{extra}\n")
    done = run_cli("check", "Box.tla", cwd=box, code=0)
    assert [str(place).startswith("Box.cfg:5:") for _, place in done.findings] == [True]
    assert "warning[" in done.stderr


def test_no_lint_runs_a_check_and_tlc_gets_a_config_that_does_not_parse(run_cli: RunCli, box: Path) -> None:
    assert run_cli("check", "Box.tla", cwd=box, code=2).error.code == "model-value"
    done = run_cli("check", "Box.tla", "--no-lint", cwd=box, code=0)
    assert "note[model-value]" in done.stderr
    assert "--no-lint" in done.stderr
    (box / "Box.cfg").write_text(HEAD + "CONSTANT N = 3..4\n")
    assert run_cli("check", "Box.tla", cwd=box).error.code == "config-syntax"
    done = run_cli("check", "Box.tla", "--no-lint", cwd=box, code=2)
    assert "broken" in done.stdout
    assert "note[value]" in done.stderr


def test_comments_in_the_config_ignore_rules_and_an_unreadable_end(run_cli: RunCli, box: Path) -> None:
    (box / "Box.cfg").write_text("\\* tla2py: ignore model-value model-valu\n" + WRONG)
    done = run_cli("check", "Box.tla", cwd=box, code=0)
    assert "note[model-value]" in done.stderr
    assert "Box.cfg:1" in done.stderr
    assert ("unknown-rule", "Box.cfg:1:1") in done.findings
    linted = run_cli("lint", "Box.cfg", "--format", "json", cwd=box)
    severities = {each["code"]: each["severity"] for each in linted.json["findings"]}
    assert severities == {"unknown-rule": "warning", "model-value": "note"}
    (box / "Box.cfg").write_text("\\* tla2py: ignore model-value\n" + WRONG)
    assert run_cli("lint", "Box.cfg", cwd=box).code == 0
    assert run_cli("cfg", "--check", "Box.cfg", cwd=box).code == 0
    text = HEAD.replace("Small", "Enough") + "CONSTANT N = 9\n; the rest\nINVARIANT Nope\n"
    (box / "Box.cfg").write_text(text)
    assert run_cli("check", "Box.tla", cwd=box).error.code == "config-syntax"
    (box / "Box.cfg").write_text(text + "\\* tla2py: ignore unreadable\n")
    assert "note[unreadable]" in run_cli("check", "Box.tla", cwd=box, code=0).stderr


def test_a_green_gate_lists_what_it_ignores(run_cli: RunCli, box: Path) -> None:
    sweep = box / "s.toml"
    sweep.write_text('module = "Box.tla"\nconfig = "Box.cfg"\n')
    refused = run_cli("gate", "s.toml", "--executor", "local", "-o", "st", cwd=box)
    assert (refused.code, refused.error.code) == (2, "model-value")
    done = run_cli("gate", "s.toml", "--executor", "local", "-o", "st", "--no-lint", cwd=box, code=0)
    assert IGNORED.format("--no-lint") in " ".join((done.stdout + done.stderr).split())
    sweep.write_text(sweep.read_text() + '[lint]\nignore = ["model-value", "nonsense"]\n')
    done = run_cli("gate", "s.toml", "--executor", "local", "-o", "st", cwd=box, code=0)
    assert IGNORED.format("ignored by [lint]") in " ".join((done.stdout + done.stderr).split())
    assert ("unknown-rule", "s.toml:4:27") in done.findings
    linted = run_cli("lint", "s.toml", cwd=box)
    assert [each.code for each in linted.reported.findings] == ["unknown-rule", "model-value"]
    assert "note[model-value]" in linted.stdout
    stored = run_cli("gate", "st", cwd=box, code=0)
    assert IGNORED.format("ignored by [lint]") in " ".join((stored.stdout + stored.stderr).split())


CONFIG = "---- CONFIG Counter ----\nCONSTANT Max = 3\nSPECIFICATION Spec\nINVARIANT Small\n====\n"


@pytest.fixture
def module(tiny_spec: Path) -> Path:
    tiny_spec.write_text(COUNTER + CONFIG)
    return tiny_spec


def test_a_config_inside_its_module_is_checked_linted_and_swept(run_cli: RunCli, module: Path) -> None:
    assert "violated: Small" in run_cli("check", module, code=1).stdout
    assert run_cli("check", module, "--config", module, "-c", "Max=2").code == 0
    module.write_text(module.read_text().replace("INVARIANT Small", "INVARIANT Smal"))
    place = f"{module}:{module.read_text().splitlines().index('INVARIANT Smal') + 1}:11"
    assert run_cli("lint", module).findings == [("unknown-definition", place)]
    assert run_cli("check", module).refusal == ("unknown-definition", place)
    module.write_text(COUNTER + CONFIG)
    sweep = module.with_name("sweep.toml")
    sweep.write_text('module = "Counter.tla"\nconfig = "Counter.tla"\n[parameters]\nMax = [1, 2]\n')
    assert "INVARIANTS\n  Small" in run_cli("cfg", sweep).stdout
    assert 'invariants = [\n    "Small",\n]' in run_cli("init", module).stdout


def test_a_trace_written_as_a_module_is_checked(run_cli: RunCli, module: Path, newer_tlc: Path) -> None:
    tlc = ("-cp", newer_tlc, "tlc2.TLC", "-config", module.name, module.name)
    tool(find_java().path, *tlc, cwd=module.parent)
    [trace] = module.parent.glob("Counter_TTrace_*.tla")
    ended = run_cli("check", trace, "--tla2tools", newer_tlc)
    assert (ended.code, ended.reported.findings, "violated: _inv" in ended.stdout) == (1, [], True), ended
    # The folder's models do not include it.
    gated = run_cli("gate", module.parent, "--tla2tools", newer_tlc, code=1)
    assert f"{trace.name} (a counterexample that TLC wrote)" in gated.stdout
    assert {each.point for each in gated.problems} == {1}
