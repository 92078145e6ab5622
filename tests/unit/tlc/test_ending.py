"""TLC's exit status, read from its output."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tla2py.model.run import Mode, TlcOptions
from tla2py.tlc.process.process import ends_predictably, exit_status

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "tlc"
CASES = [
    (path.parent.name, version)
    for path in sorted(CORPUS.glob("*/expected.json"))
    for version in json.loads(path.read_text())["exit_code"]
]


def options_of(expected: dict[str, Any]) -> TlcOptions:
    options = tuple(expected.get("options", ()))
    mode: Mode = "simulate" if "-simulate" in options else "generate" if "-generate" in options else "check"
    return TlcOptions(mode=mode, options=options, java_options=tuple(expected.get("java_options", ())))


def expected_of(case: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((CORPUS / case / "expected.json").read_text())
    return found


@pytest.mark.parametrize(("case", "version"), CASES)
def test_it_is_the_real_one_or_none(case: str, version: str, tmp_path: Path) -> None:
    expected = expected_of(case)
    if not ends_predictably(options_of(expected)):
        return
    text = (CORPUS / case / f"{version}.txt").read_bytes()
    # It is called at any time, even when more output follows what looks like the last message.
    so_far = tmp_path / "stdout.txt"
    for line in re.finditer(rb"\n", text):
        so_far.write_bytes(text[: line.end()])
        assert exit_status(so_far) in (None, expected["exit_code"][version])


@pytest.mark.parametrize("version", ["2.15", "2.19", "2.20"])
@pytest.mark.parametrize(
    ("case", "code"),
    [("success", 0), ("invariant", 12), ("invariant-initial", 12), ("deadlock", 11), ("liveness-lasso", 13)],
)
def test_it_is_known_for_what_models_do(case: str, code: int, version: str) -> None:
    assert exit_status(CORPUS / case / f"{version}.txt") == code
    assert ends_predictably(options_of(expected_of(case)))


def test_nothing_is_known_before_the_last_message(tmp_path: Path) -> None:
    text = (CORPUS / "success" / "2.15.txt").read_bytes()
    assert text.endswith(b"@!@!@\n")
    cut = tmp_path / "stdout.txt"
    for length in (0, 3, len(text) // 2, len(text) - 1):
        cut.write_bytes(text[:length])
        assert exit_status(cut) is None


@pytest.mark.parametrize(
    "options",
    [
        TlcOptions(options=("-continue",)),
        TlcOptions(options=("-dump", "states")),
        TlcOptions(java_options=("-XX:ArchiveClassesAtExit=x",)),
        TlcOptions(graph=True),
        TlcOptions(mode="simulate"),
    ],
)
def test_it_is_waited_for_where_more_is_written(options: TlcOptions) -> None:
    assert not ends_predictably(options)
