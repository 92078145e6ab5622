"""Files that a gate writes: the lock, and reports, never over an input."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import COUNTER, COUNTER_SWEEP, RunCli
from tests.raising import raises
from tla2py.errors import InputError
from tla2py.files import write_file
from tla2py.gate.lock import Lock, LockedPoint, lock_path, lock_text, read_lock
from tla2py.gate.outputs import JunitReport, check_reports

_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_DIGESTS = st.dictionaries(_TEXTS, _TEXTS, max_size=3)
_NAMES = st.lists(_TEXTS, max_size=3, unique=True).map(sorted)
_POINTS = st.builds(
    LockedPoint,
    config=_TEXTS,
    values=st.none() | _TEXTS,
    verdict=st.sampled_from(["holds", "violated"]),
    **dict.fromkeys(("parameters", "reaches", "assumptions", "definitions"), _DIGESTS),
    **dict.fromkeys(("checked", "searched", "model_values", "violates"), _NAMES),
    **dict.fromkeys(("fired", "idle"), st.none() | _NAMES),
    **dict.fromkeys(("distinct", "generated"), st.none() | st.integers(0, 10**12)),
)


POINT = LockedPoint(parameters={}, config="c", checked=[], model_values=[], verdict="holds", violates=[])


def point(**parameters: str) -> LockedPoint:
    return msgspec.structs.replace(POINT, parameters=parameters)


@given(st.lists(_POINTS, max_size=3, unique_by=lambda point: point.key), st.none() | _TEXTS.filter(bool))
def test_a_lock_reads_back(
    tmp_path_factory: pytest.TempPathFactory, points: list[LockedPoint], tlc: str | None
) -> None:
    path = tmp_path_factory.mktemp("lock") / "sweep.lock"
    write_file(path, lock_text(Lock(point=points, tlc=tlc)))
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
    facts: dict[str, Any] = {"checked": ["invariant A"], "searched": [], "fired": ["Up"]}
    facts["model_values"] = ["a", "b"]
    facts |= {"reaches": {"invariant A": "1"}, "assumptions": {}, "definitions": {"A": "1", "B": "2"}}
    shared = msgspec.structs.replace(POINT, parameters={"N": "1"}, **facts)
    more: dict[str, Any] = {"model_values": ["a", "b", "c"], "definitions": {"A": "1", "B": "3", "C": "4"}}
    other = msgspec.structs.replace(shared, parameters={"N": "2"}, fired=None, **more)
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
    order = (("2", "{a}"), ("2", "{b}"), ("10", "{a}"))
    assert lines == [f'parameters = {{ N = "{n}", S = "{s}" }}' for n, s in order]
    # A change is a line of a diff.
    before = msgspec.structs.replace(POINT, checked=["a", "b"], distinct=7)
    after = msgspec.structs.replace(POINT, checked=["a", "b", "c"], distinct=8)
    old, new = ({*lock_text(Lock(point=[each])).splitlines()} for each in (before, after))
    assert (new - old, old - new) == ({'  "c",', "distinct = 8"}, {"distinct = 7"})


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
    raised = raises(InputError, read_lock, path)
    assert (raised.code, raised.where) == (code, str(path))


def test_there_may_be_no_lock_and_one_that_cannot_be_written(tmp_path: Path) -> None:
    assert read_lock(tmp_path / "sweep.lock") is None
    assert lock_path(tmp_path / "variants.toml") == tmp_path / "variants.lock"
    raised = raises(InputError, write_file, tmp_path / "gone" / "sweep.lock", lock_text(Lock()))
    assert raised.code == "output-unwritable"


TEXT = COUNTER_SWEEP + '[inputs]\nfiles = ["data/*.csv"]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sweep with a lock, a template without the usual ending, and input files."""
    (tmp_path / "Counter.tla").write_text(COUNTER)
    (tmp_path / "sweep.toml").write_text('template = "template"\n' + TEXT)
    (tmp_path / "sweep.lock").write_text("")
    (tmp_path / "template").write_text("")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.csv").write_text("1")
    (tmp_path / "link").symlink_to("sweep.toml")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to-pipe").symlink_to("pipe")
    return tmp_path


INPUTS = ("sweep.toml", "sweep.lock", "Counter.tla", "template", "data/a.csv", "link", "data/../template")
TARGETS = [*(("--junit", name) for name in INPUTS), ("--sarif", "sweep.lock"), ("--summary", "template")]


@pytest.mark.parametrize(("option", "name"), TARGETS)
@pytest.mark.parametrize("broken", [False, True])
def test_no_report_replaces_an_input(
    run_cli: RunCli, folder: Path, option: str, name: str, broken: bool
) -> None:
    if broken:
        (folder / "sweep.toml").write_text('template = "template\ninputs = "data/a.csv" "template"')
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    ended = run_cli("gate", "sweep.toml", option, name, "--executor", "local")
    assert (ended.code, ended.error.code) == (2, "output-is-input")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("name", ["pipe", "to-pipe", "data", "/dev/null", "/dev/stdout", "/proc/self/fd/1"])
def test_no_report_goes_to_what_is_not_a_file(run_cli: RunCli, folder: Path, name: str) -> None:
    kinds = [stat.S_IFMT(os.lstat(path).st_mode) for path in ("/dev/null", "/dev/stdout")]
    ended = run_cli("gate", "sweep.toml", "--junit", name, "--executor", "local")
    assert (ended.code, ended.error.code) == (2, "output-unwritable")
    raises(InputError, write_file, folder / name, "text")
    assert [stat.S_IFMT(os.lstat(path).st_mode) for path in ("/dev/null", "/dev/stdout")] == kinds
    assert stat.S_ISFIFO((folder / "pipe").stat().st_mode)


def test_a_store_is_not_replaced_by_a_report(folder: Path) -> None:
    (folder / "runs/records").mkdir(parents=True)
    for name in ("store.json", "records/1.zip"):
        (folder / "runs" / name).write_text("")
        reports = [JunitReport(folder / "runs" / name)]
        assert raises(InputError, check_reports, reports, [str(folder / "runs")]).code == "output-is-input"
    check_reports([JunitReport(folder / "runs/junit.xml")], [str(folder / "runs")])


def test_a_report_is_written_whole_or_not_at_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # It replaces a link, and not its target.
    (folder / "precious").write_text("kept")
    (folder / "report.xml").symlink_to("precious")
    write_file(folder / "report.xml", "before")
    assert (folder / "precious").read_text() == "kept"
    assert not (folder / "report.xml").is_symlink()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert raises(InputError, write_file, folder / "report.xml", "after").code == "output-unwritable"
    assert (folder / "report.xml").read_text() == "before"
    assert not [*folder.glob(".tmp-*")]
