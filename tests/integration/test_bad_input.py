"""Bad modules, names and sweep files through the real command line: exit code 2, two lines at most, no traceback, nothing half-written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import COUNTER, COUNTER_SWEEP, RunCli
from tests.integration.conftest import Refused

pytestmark = pytest.mark.java

MAX3 = ("-c", "Max=3")


@pytest.mark.parametrize("command", ["check", "inspect"])
def test_no_such_module(refused: Refused, command: str) -> None:
    ended = refused(command, "Conter.tla")
    assert "Conter.tla" in ended.errors[0]
    assert "no such module" in ended.errors[0]
    assert "Counter.tla" in ended.errors[1]


def test_no_such_module_in_a_sweep(refused: Refused, swept: Callable[[str], Path]) -> None:
    ended = refused("sweep", swept('module = "Conter.tla"\n'))
    assert "no such module" in ended.stderr
    assert "Counter.tla" in ended.stderr


@pytest.mark.parametrize("command", ["gate", "sweep"])
def test_two_sweeps_of_one_name(refused: Refused, tiny_sweep: Path, command: str) -> None:
    other = tiny_sweep.parent / "more" / tiny_sweep.name
    other.parent.mkdir()
    other.write_text(COUNTER_SWEEP.replace("Counter.tla", "../Counter.tla"))
    ended = refused(command, "sweep.toml", "more/sweep.toml")
    assert "sweep.toml and more/sweep.toml have one name, sweep" in ended.errors[0]
    assert 'write name = "other" at the top of more/sweep.toml' in ended.errors[1]


def test_two_manifests_of_one_name(refused: Refused, tiny_spec: Path) -> None:
    model = {"path": "Counter.cfg", "runtime": "00:00:01", "mode": "exhaustive search", "result": "success"}
    modules = [{"path": "Counter.tla", "features": [], "models": [model]}]
    folders = [tiny_spec.parent / where / "Counter" for where in ("a", "b")]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "Counter.tla").write_text(COUNTER)
        (folder / "Counter.cfg").write_text("SPECIFICATION Spec\nINVARIANT Small\nCONSTANT Max = 1\n")
        (folder / "manifest.json").write_text(json.dumps({"sources": [], "authors": [], "modules": modules}))
    ended = refused("gate", *(folder / "manifest.json" for folder in folders))
    assert "have one name, Counter" in ended.errors[0]
    assert "run them one at a time" in ended.errors[1]


@pytest.mark.parametrize("command", ["check", "inspect", "sweep"])
def test_a_syntax_error(refused: Refused, tiny_spec: Path, tiny_sweep: Path, command: str) -> None:
    tiny_spec.write_text(COUNTER.replace("Up == x < Max", "Up == x < < Max"))
    ended = refused(command, tiny_sweep.name if command == "sweep" else tiny_spec.name)
    assert "Counter.tla:7:13: syntax error" in ended.errors[0]
    assert "unexpected Max" in ended.errors[0]


@pytest.mark.parametrize("command", ["check", "inspect", "sweep"])
def test_a_missing_extends(refused: Refused, tiny_spec: Path, tiny_sweep: Path, command: str) -> None:
    tiny_spec.write_text(COUNTER.replace("EXTENDS Naturals", "EXTENDS Naturals, Absent"))
    ended = refused(command, tiny_sweep.name if command == "sweep" else tiny_spec.name)
    assert "Counter.tla:3:19: module Absent not found" in ended.stderr
    assert "-L" in ended.errors[1]


def test_a_missing_extends_of_an_extended_module(refused: Refused, tiny_spec: Path) -> None:
    tiny_spec.with_name("Deeper.tla").write_text("---- MODULE Deeper ----\nEXTENDS Counter, Natural\n====\n")
    ended = refused("check", "Deeper.tla")
    assert "Deeper.tla:2:18: module Natural not found" in ended.stderr
    assert "did you mean Naturals" in ended.errors[1]


@pytest.mark.parametrize(
    ("arguments", "said", "advice"),
    [
        (("-c", "Maxx=3"), "no constant Maxx", "did you mean Max?"),
        ((*MAX3, "--invariant", "Smal"), "no definition Smal", "did you mean Small?"),
        ((*MAX3, "--property", "Smal"), "no definition Smal", "did you mean Small?"),
        (("-c", "Max"), "is not NAME=VALUE", "for example"),
        (("-c", "Max=1 +"), "not a TLA+ expression: 1 +", ""),
        ((), "constant Max has no value and must be a number", "Counter.tla:7:11 needs it"),
        ((*MAX3, "--timeout", "soon"), "not a duration: 'soon'", "2m"),
        ((*MAX3, "--memory", "1MiB"), "less than a JVM needs", "128MiB"),
        ((*MAX3, "--workers", "0"), "--workers", "-h"),
        ((*MAX3, "--config", "No.cfg"), "no such config: No.cfg", ""),
        (("--nothing",), "--nothing", "-h"),
    ],
)
def test_what_check_refuses(refused: Refused, arguments: tuple[str, ...], said: str, advice: str) -> None:
    ended = refused("check", "Counter.tla", *arguments)
    assert said in ended.errors[0]
    assert advice in ended.stderr


def test_a_config_that_tlc_would_misread(refused: Refused, tiny_spec: Path) -> None:
    tiny_spec.with_suffix(".cfg").write_text("SPECIFICATION Spec\nCONSTANT Max = 3\nINVARIANT Small, Small\n")
    ended = refused("check", "Counter.tla")
    assert "Counter.cfg:3:16" in ended.errors[0]


def test_an_unknown_command(refused: Refused) -> None:
    assert refused("chek").errors == ["error: no such command: chek", "  did you mean check?"]


@pytest.mark.parametrize(
    ("old", "new", "line", "said", "advice"),
    [
        (
            "Max =",
            "Maxx =",
            5,
            "Counter.tla declares no constant and no definition Maxx",
            "did you mean Max?",
        ),
        ("[parameters]", "[constants]\nMin = 1\n[parameters]", 5, "declares no constant Min", "Max"),
        ('"Small"', '"Smal"', 3, "no definition Smal", "did you mean Small?"),
        ('"Small"]', '"Small"]\nproperties = ["Live"]', 4, "no definition Live", "inspect"),
        ('"Small"]', '"Small"]\nspecification = "Spek"', 4, "no definition Spek", "did you mean Spec?"),
        ("[1, 2, 3]", "[]", 5, "parameter Max has no values", ""),
        ("[1, 2, 3]", "[1, 2, 1]", 5, "has the value 1 twice", ""),
        ("[1, 2, 3]", '["1 +"]', None, "not a TLA+ expression", ""),
        ("[1, 2, 3]", "[1, 2", 6, "not TOML", ""),
        ("invariants", "invariant", 3, "unknown key model.invariant", "did you mean invariants?"),
        ("[parameters]", "[parameter]", 4, "unknown key parameter", "did you mean parameters?"),
        ('"1m"', '"soon"', 7, "not a duration: 'soon'", "2m"),
        ('"256MiB"', '"tiny"', 8, "not an amount of memory: 'tiny'", "512MiB"),
        ("module", "template = 'no.j2'\nmodule", 1, "no such template: no.j2", ""),
        ("module", "libraries = ['no']\nmodule", 1, "no such folder: no", ""),
        ("[parameters]\nMax = [1, 2, 3]\n", "", None, "constant Max has no value", "Counter.tla:7:11"),
    ],
)
def test_what_sweep_and_cfg_refuse(
    refused: Refused,
    swept: Callable[[str], Path],
    old: str,
    new: str,
    line: int | None,
    said: str,
    advice: str,
) -> None:
    assert old in COUNTER_SWEEP
    file = swept(COUNTER_SWEEP.replace(old, new, 1))
    ended = refused("sweep", file.name, "--executor", "local")
    assert said in ended.errors[0]
    assert advice in ended.stderr
    if line is not None:
        assert f"sweep.toml:{line}:" in ended.errors[0]


def test_cfg_refuses_what_sweep_refuses(refused: Refused, swept: Callable[[str], Path]) -> None:
    for old, new in (("Max =", "Maxx ="), ("[1, 2, 3]", '["1 +"]'), ("[1, 2, 3]", "[1, 2")):
        file = swept(COUNTER_SWEEP.replace(old, new, 1))
        as_sweep = refused("sweep", file.name, "--executor", "local")
        assert refused("cfg", file.name, "-o", "configs").stderr == as_sweep.stderr


def test_a_value_that_no_template_could_place(
    refused: Refused, swept: Callable[[str], Path], tmp_path: Path
) -> None:
    (tmp_path / "own.j2").write_text("SPECIFICATION Spec\nINVARIANT {{ config.invariant }}\n")
    ended = refused("sweep", swept('template = "own.j2"\n' + COUNTER_SWEEP).name, "--executor", "local")
    assert "own.j2:2" in ended.errors[0]
    assert "'invariant'" in ended.errors[0]


def test_no_such_sweep_file(refused: Refused) -> None:
    assert "no such sweep file or store: runs/none" in refused("gate", "runs/none").errors[0]
    assert "no such sweep file: none.toml" in refused("sweep", "none.toml").errors[0]


def test_a_module_or_a_config_in_place_of_a_sweep_file(refused: Refused, tiny_spec: Path) -> None:
    told = refused("sweep", "Counter.tla").errors
    assert told[0] == "error: Counter.tla is a module, not a sweep file"
    assert "tla2py init Counter.tla -o sweep.toml" in told[1]
    tiny_spec.with_suffix(".cfg").write_text("SPECIFICATION Spec\n")
    told = refused("gate", "Counter.cfg").errors
    assert told[0] == "error: Counter.cfg is a config, not a sweep file"
    assert "--configs" in told[1]


def test_a_sweep_file_in_place_of_a_module(refused: Refused, swept: Callable[[str], Path]) -> None:
    file = swept(COUNTER_SWEEP)
    for command in ("check", "inspect", "init"):
        told = refused(command, file.name).errors
        assert told[0] == f"error: not a TLA+ module: {file.name}"
        assert "tla2py sweep" in told[1]


@pytest.mark.parametrize(
    "command",
    [("sweep", "--executor", "local", "-o", "store"), ("sweep", "--dry-run"), ("lint",)],
    ids=" ".join,
)
def test_an_expectation_of_no_point_is_told_before_a_sweep_runs(
    refused: Refused, swept: Callable[[str], Path], command: tuple[str, ...]
) -> None:
    file = swept(COUNTER_SWEEP + '\n[[expect.point]]\nmatch = { Max = 9 }\nverdict = "holds"\n')
    told = refused(*command, file.name).errors
    assert told[0].endswith("this expectation matches no point: Max = 9")
    assert told[1] == "  Max is one of 1, 2, 3"
    assert not (file.parent / "store").exists()


def test_a_mistake_is_mended_and_the_sweep_goes_on(
    refused: Refused, swept: Callable[[str], Path], run_cli: RunCli
) -> None:
    file = swept(COUNTER_SWEEP.replace("[parameters]\nMax = [1, 2, 3]\n", ""))
    refused("sweep", file.name, "--executor", "local", "-o", "store")
    swept(COUNTER_SWEEP.replace("[1, 2, 3]", "[3]"))
    ended = run_cli("sweep", file.name, "--executor", "local", "-o", "store")
    assert ended.code == 1, ended.stderr
