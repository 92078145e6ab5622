"""Bad modules, names and sweep files through the real command line: exit code 2, two lines at most, no traceback, nothing half-written."""

from __future__ import annotations

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
    assert ended.refusal == ("module-missing", "Conter.tla")
    assert "Counter.tla" in ended.hint


def test_no_such_module_in_a_sweep(refused: Refused, swept: Callable[[str], Path]) -> None:
    file = swept('module = "Conter.tla"\n')
    ended = refused("sweep", file)
    assert ended.refusal == ("module-missing", str(file.with_name("Conter.tla")))
    assert "Counter.tla" in ended.hint


@pytest.mark.parametrize("command", ["gate", "sweep"])
def test_two_sweeps_of_one_name(refused: Refused, tiny_sweep: Path, command: str) -> None:
    other = tiny_sweep.parent / "more" / tiny_sweep.name
    other.parent.mkdir()
    other.write_text(COUNTER_SWEEP.replace("Counter.tla", "../Counter.tla"))
    ended = refused(command, "sweep.toml", "more/sweep.toml")
    assert ended.refusal == ("same-store", None)
    assert "sweep.toml and more/sweep.toml" in ended.error.message
    assert "more/sweep.toml" in ended.hint


def test_two_folders_of_one_name(refused: Refused, tiny_spec: Path) -> None:
    folders = [tiny_spec.parent / where / "Counter" for where in ("a", "b")]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "Counter.tla").write_text(COUNTER)
        (folder / "Counter.cfg").write_text("SPECIFICATION Spec\nINVARIANT Small\nCONSTANT Max = 1\n")
    ended = refused("gate", *folders)
    assert ended.refusal == ("same-store", None)
    assert "Counter" in ended.error.message
    assert "-o" in ended.hint


@pytest.mark.parametrize("command", ["check", "inspect", "sweep"])
def test_a_syntax_error(refused: Refused, tiny_spec: Path, tiny_sweep: Path, command: str) -> None:
    tiny_spec.write_text(COUNTER.replace("Up == x < Max", "Up == x < < Max"))
    ended = refused(command, tiny_sweep.name if command == "sweep" else tiny_spec.name)
    assert ended.refusal == ("module-syntax", "Counter.tla:7:13")
    assert "Max" in ended.error.message


@pytest.mark.parametrize("command", ["check", "inspect", "sweep"])
def test_a_missing_extends(refused: Refused, tiny_spec: Path, tiny_sweep: Path, command: str) -> None:
    tiny_spec.write_text(COUNTER.replace("EXTENDS Naturals", "EXTENDS Naturals, Absent"))
    ended = refused(command, tiny_sweep.name if command == "sweep" else tiny_spec.name)
    assert ended.refusal == ("module-missing", "Counter.tla:3:19")
    assert "Absent" in ended.error.message
    assert "-L" in ended.hint


def test_a_missing_extends_of_an_extended_module(refused: Refused, tiny_spec: Path) -> None:
    tiny_spec.with_name("Deeper.tla").write_text("---- MODULE Deeper ----\nEXTENDS Counter, Natural\n====\n")
    ended = refused("check", "Deeper.tla")
    assert ended.refusal == ("module-missing", "Deeper.tla:2:18")
    assert "Naturals" in ended.hint


@pytest.mark.parametrize(
    ("arguments", "code", "where", "named", "advice"),
    [
        (("-c", "Maxx=3"), "unknown-constant", None, "Maxx", "Max?"),
        ((*MAX3, "--invariant", "Smal"), "unknown-definition", None, "Smal", "Small?"),
        ((*MAX3, "--property", "Smal"), "unknown-definition", None, "Smal", "Small?"),
        (("-c", "Max"), "constant-syntax", None, "Max", "-c"),
        (("-c", "Max=1 +"), "expression-syntax", "-c Max=...", "1 +", ""),
        ((), "unassigned", "Counter.tla", "Max", "Counter.tla:7:11"),
        ((*MAX3, "--timeout", "soon"), "duration", "--timeout", "'soon'", "2m"),
        ((*MAX3, "--memory", "1MiB"), "memory", "--memory", "1MiB", "128MiB"),
        ((*MAX3, "--workers", "0"), "usage", None, "--workers", "-h"),
        ((*MAX3, "--config", "No.cfg"), "config-missing", None, "No.cfg", ""),
        (("--nothing",), "usage", None, "--nothing", "-h"),
    ],
)
def test_what_check_refuses(
    refused: Refused, arguments: tuple[str, ...], code: str, where: str | None, named: str, advice: str
) -> None:
    ended = refused("check", "Counter.tla", *arguments)
    assert ended.refusal == (code, where)
    assert named in ended.error.message
    assert advice in ended.hint


def test_a_config_that_tlc_would_misread(refused: Refused, tiny_spec: Path) -> None:
    tiny_spec.with_suffix(".cfg").write_text("SPECIFICATION Spec\nCONSTANT Max = 3\nINVARIANT Small, Small\n")
    ended = refused("check", "Counter.tla")
    assert ended.refusal == ("config-syntax", "Counter.cfg:3:16")


def test_an_unknown_command(refused: Refused) -> None:
    ended = refused("chek")
    assert ended.refusal == ("unknown-command", None)
    assert "check?" in ended.hint


@pytest.mark.parametrize(
    ("old", "new", "code", "where", "named", "advice"),
    [
        ("Max =", "Maxx =", "unknown-parameter", "sweep.toml:5:1", "Maxx", "Max?"),
        (
            "[parameters]",
            "[constants]\nMin = 1\n[parameters]",
            "unknown-constant",
            "sweep.toml:5:1",
            "Min",
            "Max",
        ),
        ('"Small"', '"Smal"', "unknown-definition", "sweep.toml:3:16", "Smal", "Small?"),
        (
            '"Small"]',
            '"Small"]\nproperties = ["Live"]',
            "unknown-definition",
            "sweep.toml:4:16",
            "Live",
            "inspect",
        ),
        (
            '"Small"]',
            '"Small"]\nspecification = "Spek"',
            "unknown-definition",
            "sweep.toml:4:18",
            "Spek",
            "Spec?",
        ),
        ("[1, 2, 3]", "[]", "empty-parameter", "sweep.toml:5:1", "Max", ""),
        ("[1, 2, 3]", "[1, 2, 1]", "duplicate-point", "sweep.toml:5:1", "Max", ""),
        ("[1, 2, 3]", '["1 +"]', "expression-syntax", "sweep.toml:5:11", "1 +", ""),
        ("[1, 2, 3]", "[1, 2", "sweep-syntax", "sweep.toml:6:1", "", ""),
        ("invariants", "invariant", "unknown-key", "sweep.toml:3:1", "model.invariant", "invariants?"),
        ("[parameters]", "[parameter]", "unknown-key", "sweep.toml:4:1", "parameter", "parameters?"),
        ('"1m"', '"soon"', "duration", "sweep.toml:7:1", "'soon'", "2m"),
        ('"256MiB"', '"tiny"', "memory", "sweep.toml:8:1", "'tiny'", "512MiB"),
        ("module", "template = 'no.j2'\nmodule", "template-missing", "sweep.toml:1:1", "no.j2", ""),
        ("module", "libraries = ['no']\nmodule", "library-missing", "sweep.toml:1:15", "no", ""),
        ("[parameters]\nMax = [1, 2, 3]\n", "", "unassigned", "sweep.toml", "Max", "Counter.tla:7:11"),
    ],
)
def test_what_sweep_and_cfg_refuse(
    refused: Refused,
    swept: Callable[[str], Path],
    old: str,
    new: str,
    code: str,
    where: str,
    named: str,
    advice: str,
) -> None:
    assert old in COUNTER_SWEEP
    file = swept(COUNTER_SWEEP.replace(old, new, 1))
    ended = refused("sweep", file.name, "--executor", "local")
    assert ended.refusal == (code, where)
    assert named in ended.error.message
    assert advice in ended.hint


def test_cfg_refuses_what_sweep_refuses(refused: Refused, swept: Callable[[str], Path]) -> None:
    for old, new in (("Max =", "Maxx ="), ("[1, 2, 3]", '["1 +"]'), ("[1, 2, 3]", "[1, 2")):
        file = swept(COUNTER_SWEEP.replace(old, new, 1))
        as_sweep = refused("sweep", file.name, "--executor", "local")
        assert refused("cfg", file.name, "-o", "configs").errors == as_sweep.errors


def test_a_value_that_no_template_could_place(
    refused: Refused, swept: Callable[[str], Path], tmp_path: Path
) -> None:
    (tmp_path / "own.j2").write_text("SPECIFICATION Spec\nINVARIANT {{ config.invariant }}\n")
    ended = refused("sweep", swept('template = "own.j2"\n' + COUNTER_SWEEP).name, "--executor", "local")
    assert ended.refusal == ("template", "own.j2:2")
    assert "'invariant'" in ended.error.message


def test_no_such_sweep_file(refused: Refused) -> None:
    for command, name in (("gate", "runs/none"), ("sweep", "none.toml")):
        ended = refused(command, name)
        assert ended.error.code == "sweep-missing"
        assert name in ended.error.message


def test_a_module_or_a_config_in_place_of_a_sweep_file(refused: Refused, tiny_spec: Path) -> None:
    ended = refused("sweep", "Counter.tla")
    assert ended.error.code == "sweep-syntax"
    assert "tla2py init Counter.tla -o sweep.toml" in ended.hint
    tiny_spec.with_suffix(".cfg").write_text("SPECIFICATION Spec\n")
    ended = refused("gate", "Counter.cfg")
    assert ended.error.code == "sweep-syntax"
    assert "--configs" in ended.hint


def test_a_sweep_file_in_place_of_a_module(refused: Refused, swept: Callable[[str], Path]) -> None:
    file = swept(COUNTER_SWEEP)
    for command in ("check", "inspect", "init"):
        ended = refused(command, file.name)
        assert ended.error.code == "module-syntax"
        assert file.name in ended.error.message
        assert "tla2py sweep" in ended.hint


@pytest.mark.parametrize(
    "command",
    [("sweep", "--executor", "local", "-o", "store"), ("sweep", "--dry-run"), ("lint",)],
    ids=" ".join,
)
def test_an_expectation_of_no_point_is_told_before_a_sweep_runs(
    refused: Refused, swept: Callable[[str], Path], command: tuple[str, ...]
) -> None:
    file = swept(COUNTER_SWEEP + '\n[[expect.point]]\nmatch = { Max = 9 }\nverdict = "holds"\n')
    ended = refused(*command, file.name)
    assert ended.refusal == ("expect-no-point", "sweep.toml:10:1")
    assert "Max = 9" in ended.error.message
    assert "1, 2, 3" in ended.hint
    assert not (file.parent / "store").exists()


def test_a_mistake_is_mended_and_the_sweep_goes_on(
    refused: Refused, swept: Callable[[str], Path], run_cli: RunCli
) -> None:
    file = swept(COUNTER_SWEEP.replace("[parameters]\nMax = [1, 2, 3]\n", ""))
    refused("sweep", file.name, "--executor", "local", "-o", "store")
    swept(COUNTER_SWEEP.replace("[1, 2, 3]", "[3]"))
    run_cli("sweep", file.name, "--executor", "local", "-o", "store", code=1)
