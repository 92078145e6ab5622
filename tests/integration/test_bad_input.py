"""Bad modules, names and sweep files through the real command line: exit code 2, two lines at most, no traceback, nothing half-written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import COUNTER, COUNTER_SWEEP, RunCli
from tests.integration.conftest import Refused

MAX3 = ("-c", "Max=3")


@pytest.mark.parametrize("command", ["check", "inspect"])
def test_no_such_module(refused: Refused, command: str) -> None:
    ended = refused(command, "Conter.tla")
    assert ended.refusal == ("module-missing", "Conter.tla")
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


@pytest.mark.parametrize(
    ("arguments", "code", "where", "named", "advice"),
    [
        (("-c", "Maxx=3"), "unknown-constant", None, "Maxx", "Max?"),
        ((*MAX3, "--property", "Smal"), "unknown-definition", None, "Smal", "Small?"),
        ((), "unassigned", "Counter.tla", "Max", "Counter.tla:7:11"),
        ((*MAX3, "--workers", "0"), "usage", None, "--workers", "-h"),
    ],
)
def test_what_check_refuses(
    refused: Refused, arguments: tuple[str, ...], code: str, where: str | None, named: str, advice: str
) -> None:
    ended = refused("check", "Counter.tla", *arguments)
    assert ended.refusal == (code, where)
    assert named in ended.error.message
    assert advice in ended.hint


@pytest.mark.parametrize(
    ("old", "new", "code", "where", "advice"),
    [
        ("Max =", "Maxx =", "unknown-parameter", "sweep.toml:5:1", "Max?"),
        ('"Small"', '"Smal"', "unknown-definition", "sweep.toml:3:16", "Small?"),
        ("[1, 2, 3]", '["1 +"]', "expression-syntax", "sweep.toml:5:11", ""),
        ("[1, 2, 3]", "[1, 2", "sweep-syntax", "sweep.toml:6:1", ""),
        ("[parameters]\nMax = [1, 2, 3]\n", "", "unassigned", "sweep.toml", "Counter.tla:7:11"),
    ],
)
def test_what_sweep_and_cfg_refuse(
    refused: Refused, swept: Callable[[str], Path], old: str, new: str, code: str, where: str, advice: str
) -> None:
    assert old in COUNTER_SWEEP
    file = swept(COUNTER_SWEEP.replace(old, new, 1))
    ended = refused("sweep", file.name, "--executor", "local")
    assert ended.refusal == (code, where)
    assert advice in ended.hint
    assert refused("cfg", file.name, "-o", "configs").errors == ended.errors


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
