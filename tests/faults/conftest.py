"""Scenes, and the stores of sweeps that nothing happens to."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import SPECS
from tests.faults.scene import STARTED, Like, Scene


@pytest.fixture(autouse=True)
def _no_driver_outlives_its_test() -> Iterator[None]:
    yield
    while STARTED:
        driver = STARTED.pop()
        if driver.poll() is None:
            driver.kill()
            driver.wait()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """The sweep of tests/specs, small runs in JVMs that they share, done."""
    scene = Scene(base=tmp_path_factory.mktemp("shared"), sweep=SPECS / "counter.toml")
    assert scene.run() == 0, scene.stderr
    return scene


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """Four points of it, each run in a JVM of its own, done."""
    base = tmp_path_factory.mktemp("own")
    shutil.copy(SPECS / "Counter.tla", base)
    text = (SPECS / "counter.toml").read_text()
    text = text.replace('["{p1}", "{p1, p2}"]', '["{p1, p2}"]').replace("[1, 2, 3]", "[0, 1, 2, 3]")
    text = text.replace('find = "each"', "warm = false").replace('violates = ["Below", "Small"]', "")
    (base / "counter.toml").write_text(text.partition("[expect]")[0])
    scene = Scene(base=base / "reference", sweep=base / "counter.toml")
    assert scene.run() == 1, scene.stderr
    return scene


@pytest.fixture
def like(tmp_path: Path) -> Like:
    """``like(scene)`` is the same sweep to be done anew, elsewhere."""
    return lambda scene: Scene(base=tmp_path / "again", sweep=scene.sweep, options=scene.options)
