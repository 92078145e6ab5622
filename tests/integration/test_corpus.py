"""The comparisons with a record such as tlaplus/Examples has, with SANY, and with the plain command on a repository."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scripts import field
from tests.command import tool
from tests.integration.gate.lift import LIFT
from tla2py.tlc.tools.jar import bundled_jar

ROOT = Path(__file__).resolve().parent.parent.parent
CORPUS = ROOT / "tests" / "corpus" / "examples"


def script(name: str, *options: str | Path) -> subprocess.CompletedProcess[str]:
    return tool(sys.executable, ROOT / "scripts" / name, *map(str, options))


def test_models_are_compared_with_the_record_and_differences_explained(tmp_path: Path) -> None:
    limits = ("--executor", "local", "--timeout", "1m", "--memory", "256MiB")
    options = (CORPUS, *limits, "-o", tmp_path / "store")
    done = script("corpus.py", *options)
    assert done.returncode == 1, done.stderr
    # Left out are one that took longer when it was recorded, and one that is not for TLC.
    assert done.stdout.splitlines() == [
        "TLC 2.15: 8 models are recorded at 30s or less.",
        "Verdicts as recorded: 4 of 8.",
        "Counts of states as recorded: 1 of 4.",
        "- differs: 2",
        "- needs what this TLC lacks: 1",
        "- refused by SANY of this TLC: 1",
        "- needs modules that are absent: 1",
        "",
        "| model | recorded | found | why |",
        "|---|---|---|---|",
        "| Lamp/Shown.cfg | success, 3 of 5 states | error config parse, no states | needs what this TLC lacks: ALIAS in configs |",
        "| Lamp/Absent.cfg | success, 3 of 5 states | not read | needs modules that are absent: FiniteSetsExt |",
        "| Lamp/Refused.cfg | success | error spec parse | refused by SANY of this TLC: Unknown operator: `Enough'. Parsing or semantic analysis failed. |",
        "| Lamp/Miscounted.cfg | success, 7 of 11 states | success, 6 of 11 states | differs: other counts |",
        "| Lamp/Misjudged.cfg | success | violation safety | differs: Invariant Dim is violated. |",
    ]
    # Run again it runs nothing; with the absent module it runs that model.
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "FiniteSetsExt.tla").write_text("---- MODULE FiniteSetsExt ----\n====\n")
    again = script("corpus.py", *options, "-L", tmp_path / "lib")
    assert "1 run to execute, 6 are there already" in again.stderr
    assert "mode-simulate-num-5 already" in again.stderr
    assert "Verdicts as recorded: 5 of 8.\nCounts of states as recorded: 2 of 4." in again.stdout


def test_a_folder_without_manifests_is_told(tmp_path: Path) -> None:
    done = script("corpus.py", tmp_path)
    assert done.returncode == 2
    assert "has a model of TLC recorded at 30s or less" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_inspect_says_is_compared_with_sany(tmp_path: Path) -> None:
    done = script("sany_agreement.py", CORPUS, "-o", tmp_path / "sany")
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:4] == [
        "Files: 3. Read without an error: 2. Refused by SANY: 2.",
        "Modules of which both say the same: 0 of 1.",
        "Compared: 1 constants, 1 variables, 9 definitions.",
        "Definitions missing: 0, extra: 0, of another arity: 0, of another level: 1.",
    ]
    assert lines[4].startswith("- refused by SANY: specifications/Lamp/Absent.tla: ")
    assert lines[5].startswith("- refused by SANY, though read: specifications/Lamp/Refused.tla: ")
    # The Naturals of the jar define a * b as TRUE, and SANY believes them.
    assert lines[6:] == ["- specifications/Lamp/Lamp.tla: Shown: is of level 1, SANY says 0"]
    # Answers are kept.
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "sany").iterdir()}
    assert len(kept) == 3
    assert script("sany_agreement.py", CORPUS, "-o", tmp_path / "sany").stdout == done.stdout
    assert kept == {path: path.stat().st_mtime_ns for path in (tmp_path / "sany").iterdir()}


REPOSITORY = (
    '[[repository]]\nname = "us/lift"\ncommit = "{}"\nfolder = "models"\nsweep = "lift.toml"\n'
    'theirs = ["run.sh:2-3"]\nfound = "Nothing."\n'
)


@pytest.mark.long
def test_a_row_of_the_field_has_the_answers_of_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
