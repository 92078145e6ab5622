"""Jars and classes that change: every file counts, and a sweep runs what it was planned with."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.test_modules import TWICE, TWICE_CLASS, USE, write
from tla2py.execution.listener import Listener
from tla2py.execution.options import SweepOptions
from tla2py.execution.sweeps import SweepResult, run_sweeps
from tla2py.model.outcome import Verdict
from tla2py.spark.choice import choose_executor
from tla2py.toolchain.overrides import read_override
from tla2py.toolchain.toolchain import bundled_jar, find_toolchain

pytestmark = pytest.mark.java


class Exchange(Listener):
    """A listener that exchanges files between planning and the first run."""

    def __init__(self, exchange: Callable[[], object] = lambda: None) -> None:
        self._exchange = exchange

    def planned(self, *_: object) -> None:
        self._exchange()


def swept(file: Path, jar: Path, listener: Listener) -> SweepResult:
    sweeps = SweepOptions(tla2tools=jar).load([file])
    executors = choose_executor("local", None, listener)
    store = file.parent / "store"
    [result] = run_sweeps(sweeps, find_toolchain(jar), executors, store=store, listener=listener)
    return result


@pytest.mark.parametrize("packed", [False, True])
def test_a_sweep_runs_what_it_was_planned_with(tmp_path: Path, packed: bool) -> None:
    write(tmp_path, Use=USE, Twice=TWICE)
    classes, jar = tmp_path / "classes", tmp_path / "tools.jar"
    shutil.copy(bundled_jar(), jar)
    classes.mkdir()
    (classes / "Twice.class").write_bytes(TWICE_CLASS)
    if packed:
        with zipfile.ZipFile(tmp_path / "twice.jar", "w") as packing:
            packing.write(classes / "Twice.class", "Twice.class")
        shutil.rmtree(classes)
        (tmp_path / "twice.jar").rename(classes)
    sweep = tmp_path / "sweep.toml"
    sweep.write_text('module = "Use.tla"\n[model]\ninvariants = ["Four"]\n[tlc]\noverrides = ["classes"]\n')

    def exchange() -> None:
        jar.write_bytes(b"no jar")
        if packed:
            classes.write_bytes(b"no jar")
        else:
            (classes / "Twice.class").rename(classes / "Other.class")

    result = swept(sweep, jar, Exchange(exchange))
    assert [row.verdict for row in result.runs] == [Verdict.VIOLATED]
    if packed:
        return
    # The exchanged classes make another run, which does not find Twice.
    shutil.copy(bundled_jar(), jar)
    other = swept(sweep, jar, Listener())
    assert (other.executed, [row.verdict for row in other.runs]) == (1, [Verdict.HOLDS])


def test_every_file_of_an_override_counts(tmp_path: Path) -> None:
    classes = tmp_path / "classes"
    classes.mkdir()
    (classes / "Twice.class").write_bytes(TWICE_CLASS)
    seen = {read_override(classes).sha256}
    (classes / "rules.properties").write_text("factor = 2")
    seen.add(read_override(classes).sha256)
    (tmp_path / "more").mkdir()
    (tmp_path / "more/deep.txt").write_text("deep")
    (classes / "link").symlink_to(tmp_path / "more")
    found = read_override(classes)
    assert len(seen | {found.sha256}) == 3
    assert (found.copy / "link/deep.txt").read_text() == "deep"
    # A store would change it with every run.
    (classes / "store").mkdir()
    (classes / "store/store.json").write_text("{}")
    (classes / ".hidden").write_text("")
    assert read_override(classes).sha256 == found.sha256
    jars = []
    for text in ("2", "3"):
        with zipfile.ZipFile(tmp_path / "twice.jar", "w") as jar:
            jar.writestr("Twice.class", TWICE_CLASS)
            jar.writestr("rules.properties", text)
        jars.append(read_override(tmp_path / "twice.jar").sha256)
    assert len(set(jars)) == 2
