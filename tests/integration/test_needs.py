"""What a module, a config or an option needs and the jar lacks: one error with the command that brings it."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import COUNTER, COUNTER_SWEEP, RunCli
from tla2py.lint.rules import lint_file
from tla2py.lint.subject import read_dialect
from tla2py.tlc.tools.jar import bundled_jar, read_jar

INSTALL = "tla2py tools install rolling"


def module(folder: Path, line: str) -> Path:
    path = folder / "Counter.tla"
    path.write_text(COUNTER.replace("EXTENDS Naturals\n", f"EXTENDS Naturals, TLC\n{line}\n"))
    return path


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[tlc]\nmode = "generate"\n', ":3:9"),
        ('[tlc]\noptions = ["-dumpTrace", "json", "t.json"]\n', ":3:13"),
        ('[tlc]\noptions = ["-noTE"]\n', ":3:13"),
        ('[tlc]\noptions = ["-postCondition", "A!B"]\n', ":3:13"),
    ],
)
def test_options(run_cli: RunCli, tiny_sweep: Path, text: str, place: str) -> None:
    tiny_sweep.write_text(f'module = "Counter.tla"\n{text}[constants]\nMax = 2\n')
    for arguments in (["--dry-run"], ["--executor", "local"]):
        ended = run_cli("sweep", tiny_sweep, *arguments)
        assert (ended.code, ended.refusal) == (2, ("tlc-lacks", f"{tiny_sweep}{place}")), ended
        assert ended.hint == INSTALL
    assert not tiny_sweep.with_name("runs").exists()


@pytest.mark.parametrize(
    "line",
    ['ASSUME TLCGet("config").mode = "bfs"', 'Seen == TLCGet("stats").distinct', "LOCAL INSTANCE Json"],
)
def test_modules(run_cli: RunCli, tmp_path: Path, line: str) -> None:
    path = module(tmp_path, line)
    ended = run_cli("check", path, "-c", "Max=2")
    assert (ended.code, ended.error.code, ended.hint) == (2, "tlc-lacks", INSTALL), ended
    assert str(ended.error.where).startswith(f"{path}:4:")
    path = module(tmp_path, f"\\* {line}\n(* {line} *)")
    assert run_cli("check", path, "-c", "Max=2").code == 0


@pytest.mark.parametrize(
    ("model", "place"),
    [('alias = "Small"', "4:10"), ('postconditions = ["Small"]', "4:20"), ('periodic = "Small"', "4:13")],
)
def test_keys_of_a_model(run_cli: RunCli, tiny_sweep: Path, model: str, place: str) -> None:
    tiny_sweep.write_text(
        COUNTER_SWEEP.replace("[model]\n", f"[model]\n{model}\n").replace("module =", "\nmodule =")
    )
    ended = run_cli("sweep", tiny_sweep, "--executor", "local")
    assert (ended.code, ended.error.code) == (2, "unknown-keyword"), ended
    assert str(ended.error.where) == f"{tiny_sweep}:{place}"
    assert ended.hint.startswith(INSTALL)


def test_a_config(run_cli: RunCli, tiny_spec: Path) -> None:
    tiny_spec.with_suffix(".cfg").write_text("CONSTANT Max = 2\nINIT Init NEXT Next\nALIAS Small\n")
    ended = run_cli("check", tiny_spec)
    assert (ended.code, ended.refusal[0], ended.hint) == (2, "unknown-keyword", f"{INSTALL}; or remove ALIAS")
    tiny_spec.with_suffix(".cfg").write_text("CONSTANT Max = 2\nINIT Init NEXT Next\nCHECK_DEADLOCK FALSE\n")
    assert run_cli("check", tiny_spec).code == 0


def test_the_project_is_told_to_choose_another(run_cli: RunCli, tiny_sweep: Path) -> None:
    tiny_sweep.with_name("tla2py.toml").write_text(f'tla2tools = "{bundled_jar()}"\n')
    tiny_sweep.write_text(COUNTER_SWEEP + 'mode = "generate"\n')
    assert run_cli("sweep", tiny_sweep, "--dry-run").hint == f"{INSTALL} --default"
    named = run_cli("sweep", tiny_sweep, "--dry-run", "--tla2tools", bundled_jar())
    assert named.hint == f"{INSTALL}, then --tla2tools rolling"


def test_several_postconditions_need_a_tlc_of_2026(tmp_path: Path) -> None:
    # Only these keywords of the class that reads configs count.
    words = [b"POSTCONDITION", b"POSTCONDITIONS"]
    config = tmp_path / "MC.cfg"
    config.write_text("POSTCONDITION A\nPOSTCONDITION B\n")
    for known in (words[:1], words):
        with zipfile.ZipFile(tmp_path / "tla2tools.jar", "w") as jar:
            text = b"".join(len(word).to_bytes(2, "big") + word for word in known)
            jar.writestr("tlc2/tool/impl/ModelConfig.class", text)
        read_dialect.cache_clear()
        old = read_jar(bundled_jar(), "")
        found = lint_file(config, None, (), read_dialect(replace(old, path=tmp_path / "tla2tools.jar")))
        places = [str(each.place) for each in found if each.subject == "POSTCONDITIONS"]
        assert places == ([] if len(known) == 2 else [f"{config}:2:15"])


def test_a_newer_tlc_has_it(run_cli: RunCli, tiny_sweep: Path, newer_tlc: Path) -> None:
    module(tiny_sweep.parent, 'Seen == TLCGet("stats").distinct = 3')
    tiny_sweep.write_text(
        COUNTER_SWEEP.replace("[1, 2, 3]", "[2]").replace("[model]\n", '[model]\npostconditions = ["Seen"]\n')
        + 'options = ["-noTE"]\n'
    )
    ended = run_cli("sweep", tiny_sweep, "--executor", "local", "--tla2tools", newer_tlc, code=0)
    text = tiny_sweep.read_text()
    tiny_sweep.write_text(text.replace('["Seen"]', '["Seen", "Small"]'))
    ended = run_cli("sweep", tiny_sweep, "--executor", "local", "--tla2tools", newer_tlc)
    assert (ended.code, ended.refusal) == (2, ("unknown-keyword", f"{tiny_sweep}:3:28"))
    assert "conjoins" in ended.hint
