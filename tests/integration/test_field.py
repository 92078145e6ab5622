"""The comparison with the plain command on a repository, here one of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import field
from tests.command import tool
from tests.integration.gate.lift import LIFT
from tla2py.tlc.tools.jar import bundled_jar

pytestmark = pytest.mark.long

REPOSITORY = (
    '[[repository]]\nname = "us/lift"\ncommit = "{}"\nfolder = "models"\nsweep = "lift.toml"\n'
    'theirs = ["run.sh:2-3"]\nfound = "Nothing."\n'
)


def test_a_row_has_the_answers_of_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = tmp_path / "checkouts" / "lift"
    (clone / "models").mkdir(parents=True)
    (clone / "models" / "Lift.tla").write_text(LIFT)
    config = "SPECIFICATION Spec\nINVARIANT Low\nCONSTANTS Top = {} Goal = 3\n"
    for top in (1, 2):
        (clone / "models" / f"{top}.cfg").write_text(config.format(top))
    (clone / "run.sh").write_text("#!/bin/sh\n# all models\nfor each in *.cfg; do java ...; done\n")
    for command in ("init -q", "add .", "-c user.name=u -c user.email=e commit -qm all"):
        tool("git", *command.split(), cwd=clone, check=True)
    commit = tool("git", "rev-parse", "HEAD", cwd=clone, check=True).stdout.strip()
    (tmp_path / "lift.toml").write_text('module = "Lift.tla"\nconfig = "*.cfg"\n')
    (tmp_path / "field.toml").write_text(REPOSITORY.format(commit))
    monkeypatch.setattr(field, "LIST", tmp_path / "field.toml")
    monkeypatch.setattr(field, "SWEEPS", tmp_path)
    monkeypatch.setattr(field, "PAGE", tmp_path / "field.md")
    jar = str(bundled_jar())
    options = ["--tla2tools", jar, "--community", jar, "-o", str(tmp_path / "results")]
    assert field.main([str(tmp_path / "checkouts"), *options]) == 0
    page = (tmp_path / "field.md").read_text()
    assert "| us/lift | 2 | 2 of 2 | 2 of 2 | 1, 2 |" in page
    assert "The gate is red." in page
    # What was measured is kept, and a difference is shown and is the exit code.
    [kept] = (tmp_path / "results").iterdir()
    kept.write_text(kept.read_text().replace('"violated"', '"holds"', 1))
    assert field.main([str(tmp_path / "checkouts"), *options]) == 1
    assert "1 model differ" in (tmp_path / "field.md").read_text()
