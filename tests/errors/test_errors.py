"""Every error is provoked once at least, and says what is wrong, where, and what to do next."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.reference.pages import ROOT
from scripts.reference.raised import raised_errors
from tests.errors import commands, logs, modules, stores, sweepfiles, tools  # noqa: F401 - they fill the registry
from tests.errors.provoke import ELSEWHERE, Lab, Provocation, provokes
from tests.raising import raises
from tla2py.errors import Tla2pyError


def codes() -> set[str]:
    return {each.code for each in raised_errors()}


@pytest.mark.parametrize("provocation", provokes.known, ids=str)
def test_an_error(provocation: Provocation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Lab(tmp_path, monkeypatch)
    error = raises(Tla2pyError, provocation.act, lab)
    assert error.code == provocation.code, error
    assert type(error).__name__ in {each.error for each in raised_errors() if each.code == error.code}
    assert error.message.strip(), "it says what is wrong"
    assert error.hint, "it says what to do next"
    assert "Traceback" not in str(error)
    assert "\n" not in error.line
    assert error.line.endswith(f"; {' '.join(error.hint.split())}")
    if provocation.where is None:
        assert error.where is None
    else:
        assert error.where is not None, "it says where"
        assert error.where.endswith(provocation.where), error.where


def test_every_error_is_provoked() -> None:
    elsewhere = {code for _, _, found in ELSEWHERE for code in found.split()}
    provoked = {each.code for each in provokes.known} | elsewhere
    assert codes() - provoked == set(), "add a provocation to tests/errors"
    assert provoked - codes() == set(), "nothing raises these any more"
    # What is provoked elsewhere is there.
    for file, name, _ in ELSEWHERE:
        assert f"def {name}(" in (ROOT / file).read_text(), file


def test_every_error_of_the_source_says_what_to_do_next() -> None:
    assert [each.where for each in raised_errors() if each.hint is None] == []
    assert len(codes()) > 100
    assert {"sweep-missing", "java-missing", "store-missing"} <= codes()
