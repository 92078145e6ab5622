"""Reports on files: never over an input, a device or a pipe, and whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.conftest import COUNTER, COUNTER_SWEEP, RunCli
from tla2py.errors import InputError
from tla2py.files import write_file
from tla2py.gate.outputs import JunitReport, check_reports

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


@pytest.mark.parametrize(
    ("option", "name"),
    [*(("--junit", name) for name in INPUTS), ("--sarif", "sweep.lock"), ("--summary", "template")],
)
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
    with pytest.raises(InputError):
        write_file(folder / name, "text")
    assert [stat.S_IFMT(os.lstat(path).st_mode) for path in ("/dev/null", "/dev/stdout")] == kinds
    assert stat.S_ISFIFO((folder / "pipe").stat().st_mode)


def test_a_store_is_not_replaced_by_a_report(folder: Path) -> None:
    (folder / "runs/records").mkdir(parents=True)
    for name in ("store.json", "records/1.zip"):
        (folder / "runs" / name).write_text("")
        with pytest.raises(InputError) as refused:
            check_reports([JunitReport(folder / "runs" / name)], [str(folder / "runs")])
        assert refused.value.code == "output-is-input"
    check_reports([JunitReport(folder / "runs/junit.xml")], [str(folder / "runs")])


def test_a_report_replaces_a_link_and_not_its_target(folder: Path) -> None:
    (folder / "precious").write_text("kept")
    (folder / "report.xml").symlink_to("precious")
    write_file(folder / "report.xml", "written")
    assert (folder / "precious").read_text() == "kept"
    assert not (folder / "report.xml").is_symlink()


def test_a_report_is_written_whole_or_not_at_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "report.xml").write_text("before")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError) as refused:
        write_file(folder / "report.xml", "after")
    assert refused.value.code == "output-unwritable"
    assert (folder / "report.xml").read_text() == "before"
    assert not [*folder.glob(".tmp-*")]
