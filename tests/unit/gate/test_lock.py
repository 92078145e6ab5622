"""The lock file: it reads back as written, it is sorted, and a damaged one is an error."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tla2py.errors import InputError
from tla2py.gate.lock import Lock, LockedPoint, lock_path, lock_text, read_lock, write_lock

_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_POINTS = st.builds(
    LockedPoint,
    parameters=st.dictionaries(_TEXTS, _TEXTS, max_size=3),
    config=_TEXTS,
    values=st.none() | _TEXTS,
    checked=st.lists(_TEXTS, max_size=3, unique=True).map(sorted),
    searched=st.none() | st.lists(_TEXTS, max_size=2, unique=True).map(sorted),
    model_values=st.lists(_TEXTS, max_size=3, unique=True).map(sorted),
    verdict=st.sampled_from(["holds", "violated"]),
    violates=st.lists(_TEXTS, max_size=2, unique=True).map(sorted),
    distinct=st.none() | st.integers(0, 10**12),
    fired=st.none() | st.lists(_TEXTS, max_size=2, unique=True).map(sorted),
    idle=st.none() | st.lists(_TEXTS, max_size=2, unique=True).map(sorted),
)


def point(**parameters: str) -> LockedPoint:
    return LockedPoint(
        parameters=parameters, config="c", checked=[], model_values=[], verdict="holds", violates=[]
    )


@given(_POINTS)
def test_a_lock_reads_back(tmp_path_factory: pytest.TempPathFactory, one: LockedPoint) -> None:
    path = tmp_path_factory.mktemp("lock") / "sweep.lock"
    write_lock(path, [one])
    assert read_lock(path) == Lock(point=[one])


def test_points_stand_in_order_of_their_numbers() -> None:
    text = lock_text([point(N="10", S="{a}"), point(N="2", S="{b}"), point(N="2", S="{a}")])
    lines = [line for line in text.splitlines() if line.startswith("parameters")]
    assert lines == [
        'parameters = { N = "2", S = "{a}" }',
        'parameters = { N = "2", S = "{b}" }',
        'parameters = { N = "10", S = "{a}" }',
    ]


def test_a_change_is_a_line_of_a_diff() -> None:
    before = LockedPoint(
        parameters={},
        config="c",
        checked=["a", "b"],
        model_values=[],
        verdict="holds",
        violates=[],
        distinct=7,
    )
    after = LockedPoint(
        parameters={},
        config="c",
        checked=["a", "b", "c"],
        model_values=[],
        verdict="holds",
        violates=[],
        distinct=8,
    )
    old, new = lock_text([before]).splitlines(), lock_text([after]).splitlines()
    assert set(new) - set(old) == {'  "c",', "distinct = 8"}
    assert set(old) - set(new) == {"distinct = 7"}


def test_there_may_be_none(tmp_path: Path) -> None:
    assert read_lock(tmp_path / "sweep.lock") is None
    assert lock_path(tmp_path / "variants.toml") == tmp_path / "variants.lock"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<<<<<<< ours\nversion = 1\n", "lock-damaged"),
        ("version = 1\n[[point]]\nconfig = 'x'\n", "lock-damaged"),
        ("version = 1\nextra = 1\n", "lock-damaged"),
        ("version = 2\nanything = 'else'\n", "lock-too-new"),
        (lock_text([point(N="1"), point(N="1")]), "lock-damaged"),
        (lock_text([point(S="{a,b}"), point(S="{b, a}")]), "lock-damaged"),
    ],
)
def test_a_damaged_lock_is_told(tmp_path: Path, text: str, code: str) -> None:
    path = tmp_path / "sweep.lock"
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        read_lock(path)
    assert raised.value.code == code
    assert raised.value.where == str(path)


def test_a_lock_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        write_lock(tmp_path / "gone" / "sweep.lock", [])
    assert raised.value.code == "output-unwritable"
