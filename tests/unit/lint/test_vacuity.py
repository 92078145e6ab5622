"""Rules on models that check less than they seem to, and sound models on which they are silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import spec
from tests.unit.lint.page import lint_text
from tla2py.lint.rules import lint_file
from tla2py.sweep.rules import lint_paths

RING = spec("lint/Ring")
WHOLE = "SPECIFICATION Spec\nINVARIANT Inv\nCONSTANTS Node = {a, b} a = a b = b\nSYMMETRY Symmetry\n"


def lint_ring(folder: Path, step: str, invariant: str, config: str = WHOLE) -> list[tuple[object, ...]]:
    module = folder / "Ring.tla"
    module.write_text(RING.replace("STEP", step).replace("INVARIANT", invariant))
    (folder / "Ring.cfg").write_text(config)
    found = [each for each in lint_file(folder / "Ring.cfg", module) if each.code == "symmetry-choose"]
    return [(each.code, each.subject, each.place.line) for each in found]


@pytest.mark.parametrize(
    ("step", "invariant"),
    [
        ("UNCHANGED log", "log = {}"),  # First is for the initial state only
        ("log' = log \\cup {Pick(Node)}", "log = {}"),
        ("log' = log \\cup {Half}", "Cardinality(log) <= Half"),
        ("log' = log \\cup {Leader}", "NoNode \\notin log"),
        ("log' = log \\cup {Others(n)}", "log = {}"),
    ],
)
def test_a_sound_choose_under_symmetry_is_no_finding(tmp_path: Path, step: str, invariant: str) -> None:
    assert lint_ring(tmp_path, step, invariant) == []


def test_a_choose_from_a_permuted_set_is_found_where_it_matters(tmp_path: Path) -> None:
    found = [("symmetry-choose", "First", 8)]
    assert lint_ring(tmp_path, "log' = {First}", "log = {}") == found
    assert lint_ring(tmp_path, "UNCHANGED log", "log \\subseteq {First}") == found
    inner = "\\E m \\in {LET c == CHOOSE k \\in SUBSET Node : Cardinality(k) = 1 IN c} : log' = m"
    assert lint_ring(tmp_path, inner, "log = {}") == [("symmetry-choose", "Next", 15)]
    config = "INIT Init NEXT Next\nCONSTANTS Node <- Elements a = a b = b\nSYMMETRY OfElements\n"
    assert lint_ring(tmp_path, "log' = {First}", "log = {}", config) == found
    assert lint_ring(tmp_path, "log' = {First}", "log = {}", config.replace("SYMMETRY OfElements", "")) == []


SWEEP = """\
module = "Grid.tla"
[model]
specification = "Spec"
invariants = ["Inv"]
"""
CELL = "---- MODULE Cell ----\nCONSTANT Size, N\nCap == Size\nOwn == N\n====\n"


def unread(folder: Path, body: str, inv: str, text: str, assumed: str = "M > 0") -> list[str | None]:
    (folder / "Cell.tla").write_text(CELL)
    grid = spec("lint/Grid").replace("ASSUMED", assumed).replace("BODY", body).replace("INV", inv)
    (folder / "Grid.tla").write_text(grid)
    found = lint_text(folder / "sweep.toml", SWEEP + text)
    return [each.subject for each in found if each.code == "unread-parameter"]


CONSTANTS = '[constants]\nQuorums = "{M}"\n[parameters]\nN = [1, 2]\nM = [1, 2]\n'


@pytest.mark.parametrize(
    ("body", "inv", "text", "names"),
    [
        ("x", "x = 0", CONSTANTS, ["M", "N"]),
        ("x", "x < N", CONSTANTS, ["M"]),
        # Through an instance, with its substitutions and without.
        ("Inner(1)!Cap", "x = 0", CONSTANTS, ["N"]),
        ("Inner(1)!Own", "x = 0", CONSTANTS, ["M"]),
        # Through the value of another constant.
        ("x", "x \\in Quorums", CONSTANTS, ["N"]),
        ("LET y == N IN M", "x = 0", CONSTANTS, []),
        # Through a constraint, at some points only.
        ("x", "x = 0", CONSTANTS.replace("[const", 'constraints = ["Bound"]\n[const'), ["M"]),
        ("x", "x = 0", CONSTANTS + 'constraints = ["", "Bound"]\n', ["M"]),
        # A definition is read where its name is, and its value reads names too.
        ("Top", "x = 0", '[constants]\nQuorums = 1\nM = 1\n[parameters]\nN = [1]\nTop = ["N", "4"]\n', []),
        ("x", "x = 0", '[constants]\nQuorums = 1\nM = 1\nN = 1\n[parameters]\nTop = ["3", "4"]\n', ["Top"]),
    ],
)
def test_unread_parameters(tmp_path: Path, body: str, inv: str, text: str, names: list[str]) -> None:
    assert unread(tmp_path, body, inv, text) == names


def test_an_assumption_that_relates_constants_reads_them(tmp_path: Path) -> None:
    assert unread(tmp_path, "x", "x = 0", CONSTANTS, "N > 2 * M") == []
    # Without variables the assumptions are the model.
    sums = "---- MODULE Sums ----\nEXTENDS Naturals\nCONSTANT N\nASSUME N > 0\n====\n"
    (tmp_path / "Sums.tla").write_text(sums)
    assert lint_text(tmp_path / "sweep.toml", 'module = "Sums.tla"\n[parameters]\nN = [1, 2]\n') == ()


def test_lint_leaves_out_what_the_sweep_file_accepts(tmp_path: Path) -> None:
    unread(tmp_path, "x", "x = 0", CONSTANTS + '[accept]\nunread-parameter.N = "to come"\n')
    report = lint_paths([tmp_path / "sweep.toml"], (), None)
    assert [(each.code, each.subject) for each in report.findings] == [("unread-parameter", "M")]
