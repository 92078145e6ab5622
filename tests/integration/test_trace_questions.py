"""Questions about counterexamples that TLC answers: the values of expressions."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests import command
from tests.conftest import RunCli
from tla2py.errors import InputError
from tla2py.explore.view import StoreView, open_view

pytestmark = pytest.mark.java

SPECS = Path(__file__).resolve().parent.parent / "specs"
LEASE = """\
module = "Lease.tla"
[model]
specification = "Spec"
invariants = ["Exclusive"]
[constants]
Term = "2"
Late = "2"
Grace = "1"
"""


@pytest.fixture(scope="module")
def lease(tmp_path_factory: pytest.TempPathFactory) -> StoreView:
    """A store whose counterexample is Grant, three times Tick, and Grant."""
    folder = tmp_path_factory.mktemp("lease")
    shutil.copy(SPECS / "Lease.tla", folder)
    (folder / "lease.toml").write_text(LEASE)
    swept = command.run("sweep", "lease.toml", "--executor", "local", cwd=folder)
    assert swept.code == 1, swept.stderr
    return open_view(folder / "runs/lease")


def test_values_of_states_and_steps(lease: StoreView) -> None:
    expressions = ("granted[1] - now", "Cardinality({now, 1})", "now' - now", "Grant(2)", "Free /\\\n  TRUE")
    view = lease.with_values(*expressions)
    rows = [dict(state.evaluated) for state in view.trace(1).states]
    assert [row["granted[1] - now"] for row in rows] == ["0", "2", "1", "0", "-1", "-1"]
    assert [row["Cardinality({now, 1})"] for row in rows] == ["2", "2", "1", "2", "2", "2"]
    assert [row.get("now' - now") for row in rows] == [None, "0", "1", "1", "1", "0"]
    assert [row.get("Grant(2)") for row in rows] == [None, "FALSE", "FALSE", "FALSE", "FALSE", "TRUE"]
    assert rows[4]["Free /\\\n  TRUE"] == "TRUE"
    assert view.trace(1) is view.trace(1)
    both = view.with_arguments().trace(1).states[5]
    assert (both.derived, len(both.evaluated)) == ((("c", "2"),), 5)
    assert "\n     granted[1] - now = -1\n" in str(view.trace(1))
    assert "\n     Free /\\ TRUE = TRUE\n" in str(view.trace(1))
    assert "<code>granted[1] - now</code> = -1" in view.trace(1)._repr_html_()


def test_what_tlc_does_not_enumerate_is_shown_as_it_prints_it(lease: StoreView) -> None:
    last = dict(
        lease.with_values("Nat", "[n \\in Nat |-> n + now]", "[n \\in 1..40 |-> n]")
        .trace(1)
        .states[5]
        .evaluated
    )
    assert last["Nat"] == "Nat"
    assert last["[n \\in Nat |-> n + now]"].startswith("[n \\in Nat |-> ")
    assert last["[n \\in 1..40 |-> n]"].endswith("39, 40>>")


@pytest.mark.parametrize(
    ("expression", "code", "part"),
    [
        ("now +", "expression-syntax", "column 6"),
        ("1 + Foo", "expression-fails", "1 + Foo at column 5: Unknown operator: `Foo'."),
        ("LET n == 1\nIN n + Foo", "expression-fails", "at line 2, column 8: "),
        ("IF now < 2 THEN 1 ELSE granted[now + 1]", "expression-fails", "in state 4"),
        ("[]Free", "expression-fails", "[]Free is temporal"),
    ],
)
def test_an_expression_that_fails_is_one_error(
    lease: StoreView, expression: str, code: str, part: str
) -> None:
    with pytest.raises(InputError) as failed:
        lease.with_values("now", expression).trace(1)
    assert failed.value.code == code
    assert part in failed.value.message
    assert "AskValues" not in failed.value.message


def test_eval_on_the_command_line(lease: StoreView, run_cli: RunCli) -> None:
    asked = ("trace", lease.store.path, "1", "--eval", "granted[1] - now", "--eval", "now' - now")
    lines = [line.strip() for line in run_cli(*asked).stdout.splitlines()]
    after = lines[lines.index("4 Tick  Lease:14") :]
    assert after[1:4] == ["now: 1 -> 2", "granted[1] - now = 0", "now' - now = 1"]
    exported = json.loads(run_cli(*asked, "--format", "json").stdout)
    assert exported["states"][1]["evaluated"] == {"granted[1] - now": "2", "now' - now": "0"}
    assert run_cli(*asked, "--format", "csv").stdout.endswith("6,Grant,,false,now' - now,0\n")
    assert run_cli("trace", lease.store.path, "--eval", "now").error.code == "point-missing"
