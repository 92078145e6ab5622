"""The page of lint: it shows every rule, and lint agrees with its examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.lint.page import EXAMPLES, MODULE, RULES_TEXT, Example
from tla2py.lint.rules import lint_file
from tla2py.lint.subject import RULES, read_dialect
from tla2py.model.finding import Finding, Severity
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.rules import lint_sweep
from tla2py.tlc.tools.jar import bundled_jar, read_jar


def test_the_page_has_every_rule() -> None:
    assert re.findall(r"^#### `(.*)`", RULES_TEXT, re.MULTILINE) == [each.code for each in EXAMPLES]
    assert {each.code: each.severity for each in EXAMPLES} == {
        code: severity.value for code, severity in RULES.items()
    }


def findings(folder: Path, example: Example, text: str) -> tuple[Finding, ...]:
    (folder / "Box.tla").write_text(MODULE)
    path = folder / f"Box{example.suffix}"
    path.write_text(text)
    if example.suffix == ".toml":
        sweep = load_sweep(path)
        return lint_sweep(sweep, plan_sweep(sweep, ""))
    return lint_file(path, folder / "Box.tla", (), read_dialect(read_jar(bundled_jar(), "")))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.code)
def test_what_is_wrong_is_found_and_what_is_right_is_not(tmp_path: Path, example: Example) -> None:
    found = findings(tmp_path, example, example.wrong)
    # The example for nothing-checked also has CHECK_DEADLOCK.
    assert {each.code for each in found} - {"check-deadlock"} == {example.code} - {"check-deadlock"}
    assert example.code in {each.code for each in found}
    assert all(each.severity is RULES[each.code] for each in found)
    right = findings(tmp_path, example, example.right)
    assert [each for each in right if each.severity is not Severity.NOTE] == []
