"""Every module under ``specs`` can be read, and every sweep file there can be planned down to its runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.systems.rows import SPECS
from tla2py.sweep.grid import value_key
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep
from tla2py.tla.parse import load_modules
from tla2py.toml import value_text

# The trace specification needs the CommunityModules; test_two_phase.py gives them to TLC.
MODULES = sorted(set(SPECS.rglob("*.tla")) - {SPECS / "two_phase" / "TwoPhaseTrace.tla"})
SWEEPS = sorted(SPECS.rglob("*.toml"))


def _name(path: Path) -> str:
    return path.relative_to(SPECS).as_posix()


@pytest.mark.parametrize("module", MODULES, ids=_name)
def test_a_module_is_read_with_all_that_it_extends(module: Path) -> None:
    spec = load_modules(module, (SPECS / "lib",))
    assert spec.root.name == module.stem
    assert spec.definitions


@pytest.mark.parametrize("sweep_file", SWEEPS, ids=_name)
def test_a_sweep_file_is_planned_and_each_row_says_something_of_a_point(sweep_file: Path) -> None:
    sweep = load_sweep(sweep_file)
    plan = plan_sweep(sweep, "0" * 64)
    assert len(plan.runs) == len(sweep.points) > 0
    assert len({run.run_id for run in plan.runs}) == len(plan.runs)
    for run in plan.runs:
        assert f"{run.main}.tla" in dict(run.modules)
        assert all(sha256 in plan.sources for _, sha256 in run.modules)
        assert run.config.invariants or run.config.properties or run.config.check_deadlock
    assert sweep.expect is not None
    matches = [rule.match for rule in sweep.expect.point if isinstance(rule.match, dict)]
    rules = [{n: value_key(value_text(v)) for n, v in match.items()} for match in matches]
    used = set()
    for point in sweep.points:
        values = {name: value_key(text) for name, text in point.parameters.items()}
        # The first row that matches counts, as it does for the gate.
        used |= set([n for n, rule in enumerate(rules) if rule.items() <= values.items()][:1])
    unused = [sweep.expect.point[n].match for n in range(len(rules)) if n not in used]
    assert not unused, "these rows say nothing of any point"


def test_every_system_has_a_sweep_and_a_page() -> None:
    folders = [folder for folder in SPECS.iterdir() if folder.is_dir() and folder.name != "lib"]
    assert len(folders) == 6
    for folder in folders:
        assert (folder / "sweep.toml").is_file(), folder.name
        assert (folder / "README.md").is_file(), folder.name
