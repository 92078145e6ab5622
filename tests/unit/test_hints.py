"""What an error shows as an example would have been right."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tla2py.cli.app import run_command
from tla2py.errors import InputError
from tla2py.sweep.judge import check_expectations
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep

SPEC = Path(__file__).parent.parent / "specs" / "Counter.tla"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(SPEC, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def hint(folder: Path, constants: str, parameters: str) -> str:
    """What is said of a sweep file that cannot be read."""
    text = "\n".join(
        ['module = "Counter.tla"', "[model]", 'init = "Init"', 'next = "Next"', "[constants]", constants]
    )
    (folder / "sweep.toml").write_text(f"{text}\n[parameters]\n{parameters}\n")
    with pytest.raises(InputError) as raised:
        run_command(["cfg", "sweep.toml"])
    return raised.value.hint or ""


@pytest.mark.parametrize(
    ("parameters", "right"),
    [
        (
            "Max = 1",
            "write Max = [1, 2] for these values, Max = { from = 1, to = 3 } for a range; a single value",
        ),
        ('Max = "1..3"', "write Max = [1, 2] for these values"),
        ("Max = [1.5]", "TLC knows whole numbers only"),
        ("Max = [1]", 'assign a value, such as Procs = "{p1, p2}" under [constants]'),
    ],
)
def test_parameters(folder: Path, parameters: str, right: str) -> None:
    assert right in hint(folder, "Bound = 3", parameters)


def test_a_constant_that_check_is_not_given(folder: Path) -> None:
    with pytest.raises(InputError) as raised:
        run_command(["check", "Counter.tla", "--init", "Init", "--next", "Next"])
    assert (raised.value.hint or "").endswith("assign a value, such as -c 'Procs={p1, p2}'")


@pytest.mark.parametrize(
    ("option", "meant"), [("--symmetry", None), ("--memry", "--memory"), ("--invarient", "--invariant")]
)
def test_an_option_that_is_not_there(folder: Path, option: str, meant: str | None) -> None:
    with pytest.raises(InputError, match=option) as raised:
        run_command(["check", str(folder / "Counter.tla"), option])
    assert raised.value.code == "usage"
    assert ("Possible options" in str(raised.value)) == (meant is not None)
    assert (meant or "") in str(raised.value)


@pytest.mark.parametrize(
    ("parameters", "match", "said"),
    [
        ("Bound = { from = 1, to = 6 }", "{ Bound = 7 }", "Bound is one of 1, 2, 3, 4, ..."),
        ("Bound = [1, 2]", "{ Bound = 7 }", "Bound is one of 1, 2"),
        ("Bound = [1]", "{ Bound = '1 + 1' }", "Bound is 1 at every point"),
        (
            'Bound = [1]\ninvariants = ["", "Small"]',
            '{ invariants = "Smal" }',
            "invariants is one of (none), Small",
        ),
        (
            'Bound = [1, 2]\ninvariants = ["Small", ""]\n[grid]\nexclude = [{ Bound = 1, invariants = \'\' }]',
            "{ Bound = 1, invariants = '' }",
            "without those that [grid] excludes",
        ),
    ],
)
def test_an_expectation_of_no_point(folder: Path, parameters: str, match: str, said: str) -> None:
    head = 'module = "Counter.tla"\n[constants]\nProcs = "{p}"\nMax = 1\n[parameters]\n'
    row = f"\n[[expect.point]]\nmatch = {match}\nverdict = 'holds'\n"
    (folder / "sweep.toml").write_text(f"{head}{parameters}{row}")
    sweep = load_sweep(folder / "sweep.toml")
    with pytest.raises(InputError) as raised:
        check_expectations(sweep, plan_sweep(sweep, ""))
    assert raised.value.code == "expect-no-point"
    assert (raised.value.hint or "").endswith(said)
