"""The lock file: it reads back as written, it is sorted, and a damaged one is an error."""

from __future__ import annotations

from pathlib import Path

import msgspec
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
    searched=st.lists(_TEXTS, max_size=2, unique=True).map(sorted),
    model_values=st.lists(_TEXTS, max_size=3, unique=True).map(sorted),
    verdict=st.sampled_from(["holds", "violated"]),
    violates=st.lists(_TEXTS, max_size=2, unique=True).map(sorted),
    distinct=st.none() | st.integers(0, 10**12),
    fired=st.none() | st.lists(_TEXTS, max_size=2, unique=True).map(sorted),
    idle=st.none() | st.lists(_TEXTS, max_size=2, unique=True).map(sorted),
    generated=st.none() | st.integers(0, 10**12),
    reaches=st.dictionaries(_TEXTS, _TEXTS, max_size=2),
    assumptions=st.dictionaries(_TEXTS, _TEXTS, max_size=2),
    definitions=st.dictionaries(_TEXTS, _TEXTS, max_size=3),
)


def point(**parameters: str) -> LockedPoint:
    return LockedPoint(
        parameters=parameters, config="c", checked=[], model_values=[], verdict="holds", violates=[]
    )


@given(st.lists(_POINTS, max_size=3, unique_by=lambda point: point.key), st.none() | _TEXTS.filter(bool))
def test_a_lock_reads_back(
    tmp_path_factory: pytest.TempPathFactory, points: list[LockedPoint], tlc: str | None
) -> None:
    path = tmp_path_factory.mktemp("lock") / "sweep.lock"
    write_lock(path, Lock(point=points, tlc=tlc))
    read = read_lock(path)
    assert read is not None
    assert read.tlc == tlc
    found = {point.key: point for point in read.point}
    assert found.keys() == {point.key for point in points}
    for point in points:
        one = found[point.key]
        # A digest that is the same at all points that have it is written once.
        for key in ("reaches", "assumptions", "definitions"):
            assert getattr(point, key).items() <= getattr(one, key).items()
            one = msgspec.structs.replace(one, **{key: getattr(point, key)})
        assert one == point


def test_what_all_points_share_is_written_once() -> None:
    shared = LockedPoint(
        parameters={"N": "1"},
        config="c",
        checked=["invariant A"],
        searched=[],
        model_values=["a", "b"],
        verdict="holds",
        violates=[],
        fired=["Up"],
        reaches={"invariant A": "1"},
        assumptions={},
        definitions={"A": "1", "B": "2"},
    )
    other = msgspec.structs.replace(
        shared,
        parameters={"N": "2"},
        model_values=["a", "b", "c"],
        fired=None,
        definitions={"A": "1", "B": "3", "C": "4"},
    )
    assert lock_text(Lock(point=[shared, other], tlc="2.19 (rev: 5a47802)")).partition("\n")[2] == (
        'version = 2\ntlc = "2.19 (rev: 5a47802)"\n\n'
        '[shared]\nchecked = ["invariant A"]\nmodel_values = [\n  "a",\n  "b",\n]\nfired = ["Up"]\n\n'
        '[shared.reaches]\n"invariant A" = "1"\n\n[shared.definitions]\nA = "1"\nC = "4"\n\n'
        '[[point]]\nparameters = { N = "1" }\nconfig = "c"\nverdict = "holds"\nviolates = []\nfired = []\n\n'
        '[point.definitions]\nB = "2"\n\n'
        '[[point]]\nparameters = { N = "2" }\nconfig = "c"\nverdict = "holds"\nviolates = []\n'
        'model_values = ["c"]\n\n'
        '[point.definitions]\nB = "3"\n'
    )


def test_points_stand_in_order_of_their_numbers() -> None:
    text = lock_text(Lock(point=[point(N="10", S="{a}"), point(N="2", S="{b}"), point(N="2", S="{a}")]))
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
    old, new = lock_text(Lock(point=[before])).splitlines(), lock_text(Lock(point=[after])).splitlines()
    assert set(new) - set(old) == {'  "c",', "distinct = 8"}
    assert set(old) - set(new) == {"distinct = 7"}


def test_there_may_be_none(tmp_path: Path) -> None:
    assert read_lock(tmp_path / "sweep.lock") is None
    assert lock_path(tmp_path / "variants.toml") == tmp_path / "variants.lock"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<<<<<<< ours\nversion = 2\n", "lock-damaged"),
        ("version = 2\n[[point]]\nconfig = 'x'\n", "lock-damaged"),
        ("version = 2\nextra = 1\n", "lock-damaged"),
        ("version = 1\nanything = 'else'\n", "lock-too-old"),
        ("version = 3\nanything = 'else'\n", "lock-too-new"),
        (lock_text(Lock(point=[point(N="1"), point(N="1")])), "lock-damaged"),
        (lock_text(Lock(point=[point(S="{a,b}"), point(S="{b, a}")])), "lock-damaged"),
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
        write_lock(tmp_path / "gone" / "sweep.lock", Lock())
    assert raised.value.code == "output-unwritable"
