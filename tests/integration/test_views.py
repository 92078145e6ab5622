"""A VIEW that hides variables: TLC's answer with it, the answer without it, and what tla2py says of the difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import command
from tests.conftest import spec
from tests.stores import table_rows
from tla2py.gate.reasons import Reason

SWEEP = """module = "Lights.tla"
[model]
specification = "Spec"
properties = ["Settles"]
[parameters]
view = ["", "Both", "Lamp"]
"""


@pytest.fixture
def lights(tmp_path: Path) -> Path:
    (tmp_path / "Lights.tla").write_text(spec("views/Lights"))
    return tmp_path


def swept(folder: Path, jar: Path, text: str) -> command.CommandResult:
    (folder / "s.toml").write_text(text)
    asked = ("gate", "s.toml", "-o", "store", "--executor", "local", "--tla2tools", jar)
    return command.run(*asked, cwd=folder)


def verdicts(folder: Path) -> list[tuple[str, str]]:
    return [(row["view"], row["verdict"]) for row in table_rows(folder / "store", "runs")]


@pytest.mark.jars
def test_liveness_under_a_view_is_no_answer(lights: Path, jar: Path) -> None:
    done = swept(lights, jar, SWEEP)
    # TLC up to 2.20 calls a property true that no behaviour satisfies.
    assert verdicts(lights) == [("", "violated"), ("Both", "violated"), ("Lamp", "holds")]
    (gated,) = done.reported.gated
    problems = [[each.reason for each in point.problems] for point in gated.decision.points]
    assert problems == [[Reason.UNEXPECTED], [Reason.UNEXPECTED], [Reason.VIEW_LIVENESS]]
    accepted = SWEEP.replace('["", "Both", "Lamp"]', '["Lamp"]')
    accepted += '[accept]\nview-liveness.Settles = "to be shown"\n'
    assert swept(lights, jar, accepted).code == 0


@pytest.mark.jars
@pytest.mark.parametrize(
    ("key", "name", "behaviour"),
    [
        ("invariants", "Even", "Spec"),
        ("properties", "Alternates", "Spec"),
        # It reads no hidden variable, but the relation does.
        ("invariants", "Dark", "Late"),
    ],
)
def test_what_a_view_hides_is_red_until_accepted(
    lights: Path, jar: Path, key: str, name: str, behaviour: str
) -> None:
    text = SWEEP.replace('properties = ["Settles"]', f'{key} = ["{name}"]\ncheck_deadlock = false')
    text = text.replace('"Spec"', f'"{behaviour}"')
    done = swept(lights, jar, text)
    assert verdicts(lights) == [("", "violated"), ("Both", "violated"), ("Lamp", "holds")]
    (gated,) = done.reported.gated
    (problem,) = gated.decision.problems
    subject = name if behaviour == "Spec" else "Late"
    assert (problem.reason, problem.subject) == (Reason.FINDING, f"view-hides {subject}")
    alone = text.replace('["", "Both", "Lamp"]', '["Lamp"]')
    assert swept(lights, jar, alone).code == 1
    assert swept(lights, jar, f'{alone}[accept]\nview-hides.{subject} = "to be shown"\n').code == 0


@pytest.mark.jars
def test_a_check_says_what_a_view_hides(lights: Path, jar: Path) -> None:
    (lights / "Lights.cfg").write_text("SPECIFICATION Spec\nVIEW Lamp\nINVARIANT Even\nPROPERTY Settles\n")
    done = command.run("check", "Lights.tla", "--tla2tools", jar, cwd=lights, code=0)
    said = {(each.code, each.subject) for each in done.reported.findings}
    assert said == {("view-hides", "Even"), ("view-liveness", "Settles")}
