"""Bad modules, names and sweep files through the real command line: exit code 2, two lines at most, no traceback, nothing half-written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import COUNTER, COUNTER_SWEEP, RunCli
from tests.integration.conftest import Refused

TWICE = {"more/sweep.toml": COUNTER_SWEEP.replace("Counter.tla", "../Counter.tla")}
SYNTAX = {"Counter.tla": COUNTER.replace("Up == x < Max", "Up == x < < Max")}
EXTENDS = {"Counter.tla": COUNTER.replace("EXTENDS Naturals", "EXTENDS Naturals, Absent")}
EXPECTED = {"sweep.toml": COUNTER_SWEEP + '\n[[expect.point]]\nmatch = { Max = 9 }\nverdict = "holds"\n'}
CONFIG = {"Counter.cfg": "SPECIFICATION Spec\n"}
MISSPELT = {"sweep.toml": COUNTER_SWEEP.replace("Max =", "Maxx =")}
UNDEFINED = {"sweep.toml": COUNTER_SWEEP.replace('"Small"', '"Smal"')}


@pytest.mark.parametrize(
    ("command", "files", "code", "where", "told"),
    [
        ("check Conter.tla", {}, "module-missing", "Conter.tla", ("", "Counter.tla")),
        *(
            (f"{command} sweep.toml more/sweep.toml", TWICE, "same-store", None, ("sweep.toml and", "more/"))
            for command in ("gate", "sweep")
        ),
        ("check Counter.tla", SYNTAX, "module-syntax", "Counter.tla:7:13", ("Max", "")),
        ("inspect Counter.tla", EXTENDS, "module-missing", "Counter.tla:3:19", ("Absent", "-L")),
        ("check Counter.tla -c Maxx=3", {}, "unknown-constant", None, ("Maxx", "Max?")),
        ("check Counter.tla", {}, "unassigned", "Counter.tla", ("Max", "Counter.tla:7:11")),
        ("check Counter.tla -c Max=3 --workers 0", {}, "usage", None, ("--workers", "-h")),
        ("sweep sweep.toml", MISSPELT, "unknown-parameter", "sweep.toml:5:1", ("", "Max?")),
        ("cfg sweep.toml -o configs", UNDEFINED, "unknown-definition", "sweep.toml:3:16", ("", "Small?")),
        ("sweep Counter.tla", {}, "sweep-syntax", None, ("", "init Counter.tla -o sweep.toml")),
        ("gate Counter.cfg", CONFIG, "sweep-syntax", None, ("", "--configs")),
        *(
            (f"{command} sweep.toml", {}, "module-syntax", None, ("sweep.toml", "tla2py sweep"))
            for command in ("check", "inspect", "init")
        ),
        ("lint sweep.toml", EXPECTED, "expect-no-point", "sweep.toml:10:1", ("Max = 9", "1, 2, 3")),
    ],
)
def test_a_command_is_refused(
    refused: Refused,
    tmp_path: Path,
    command: str,
    files: dict[str, str],
    code: str,
    where: str | None,
    told: tuple[str, str],
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    ended = refused(*command.split())
    assert ended.refusal == (code, where)
    assert told[0] in ended.error.message
    assert told[1] in ended.hint


def test_a_mended_mistake_lets_the_sweep_run(refused: Refused, tiny_sweep: Path, run_cli: RunCli) -> None:
    sweep = ("sweep", tiny_sweep.name, "--executor", "local", "-o", "store")
    tiny_sweep.write_text(COUNTER_SWEEP.replace("[parameters]\nMax = [1, 2, 3]\n", ""))
    refused(*sweep)
    tiny_sweep.write_text(COUNTER_SWEEP.replace("[1, 2, 3]", "[3]"))
    run_cli(*sweep, code=1)
