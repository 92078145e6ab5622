"""What all tests share: small modules, the command line, and limits that are real."""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import command
from tests.command import CommandResult, Environment
from tests.objects import Storage, serving
from tla2py.tlc.tools.jar import bundled_jar

# A cache that all tests share, so that class-data archives are made once. The default jar would be the newest of the
# user's own cache.
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
if _CACHE.name != "tla2py-tests":  # as in a worker, whose environment has it already
    os.environ["XDG_CACHE_HOME"] = str(_CACHE / "tla2py-tests")

# The speed of the machine decides no test. CI tries the same examples each time, as it is by default there.
_DEFAULT = settings.get_profile(settings.get_current_profile_name())
settings.register_profile("full", _DEFAULT, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("few", settings.get_profile("full"), max_examples=20)
settings.load_profile("few")

# The parts that the suite is run in, each by `make test-NAME`; the first whose marker a test has is its part. Of what has
# none of these markers, the integration tests are the features, and the rest is the core, which `make test` runs.
GROUPS = ("core", "reference", "long", "faults", "spark", "browser", "docs", "systems", "jars", "features")
# The integration tests of the core: the ways that most users go, in minutes.
WAYS = {
    *("test_arguments", "test_cases", "test_check", "test_findings", "test_grid", "test_lint"),
    *("test_log_answers", "test_logs", "test_mutate", "test_query", "test_red", "test_sweep"),
    *("test_tools", "test_trust", "test_validate", "test_values"),
}
INTEGRATION = Path(__file__).parent / "integration"


def group_of(item: pytest.Item) -> str:
    """The group that a test is run in."""
    further = item.path.is_relative_to(INTEGRATION) and item.path.stem not in WAYS
    return next((name for name in GROUPS if item.get_closest_marker(name)), "features" if further else "core")


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--group=NAME`` runs one group; without it all but the tests that take minutes are run."""
    parser.addoption("--group", choices=[*GROUPS, "all"])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of other groups."""
    _leave_out(config, items, lambda item: "newer_tlc" in item.fixturenames and NEWER not in JARS)
    _leave_out(config, items, lambda item: "published_logs" in item.fixturenames and not LOGS)
    asked = config.getoption("group")
    if asked == "all":
        return
    wanted = {asked} if asked else set(GROUPS) - {"reference", "long"}
    _leave_out(config, items, lambda item: group_of(item) not in wanted)


def _leave_out(
    config: pytest.Config, items: list[pytest.Item], which: Callable[[pytest.Function], bool]
) -> None:
    left_out = [item for item in items if isinstance(item, pytest.Function) and which(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def _jars() -> dict[str, Path]:
    """The bundled jar, and those in the folder that ``TLA2PY_TEST_JARS`` names, by version."""
    folder = os.environ.get("TLA2PY_TEST_JARS")
    files = sorted(Path(folder).glob("tla2tools*.jar")) if folder else []
    return {"bundled": bundled_jar(), **{file.stem.removeprefix("tla2tools-"): file for file in files}}


JARS = _jars()
NEWER = "2.20"


@pytest.fixture
def newer_tlc() -> Path:
    """The jar of TLC 2.20; tests that need it are left out where it is missing."""
    return JARS[NEWER]


LOGS = os.environ.get("TLA2PY_TEST_LOGS", "")


@pytest.fixture
def published_logs() -> Path:
    """The folder of published logs that ``TLA2PY_TEST_LOGS`` names; tests that need it are left out without it."""
    return Path(LOGS)


@pytest.fixture(scope="module", params=JARS)
def jar(request: pytest.FixtureRequest) -> Path:
    """Each jar in turn."""
    return JARS[request.param]


SPECS = Path(__file__).parent / "specs"


def spec(name: str) -> str:
    """The text of a module of ``tests/specs``."""
    return (SPECS / f"{name}.tla").read_text("utf-8")


COUNTER = spec("tiny/Counter")
COUNTER_SWEEP = (SPECS / "tiny/sweep.toml").read_text("utf-8")


RunCli = Callable[..., CommandResult]


@pytest.fixture
def run_cli(tmp_path: Path) -> RunCli:
    """``run_cli(*args, cwd=..., env=..., code=...)`` runs the command line within this process.

    It has to end with ``code``, if there is one. ``env`` is laid over the environment, None removes a variable. It is
    a process of its own where an interpreter has to start for ``env`` to count, where ``prefix`` is what starts it, or
    where ``process`` asks for it.
    """

    def run(
        *args: str | Path,
        cwd: Path | None = None,
        env: Environment | None = None,
        prefix: tuple[str, ...] = (),
        process: bool = False,
        code: int | None = None,
    ) -> CommandResult:
        if process or prefix or command.needs_process(env):
            return command.run_process(*args, cwd=cwd or tmp_path, env=env, prefix=prefix, code=code)
        return command.run(*args, cwd=cwd or tmp_path, env=env, code=code)

    return run


@pytest.fixture
def tiny_spec(tmp_path: Path) -> Path:
    """The module Counter, whose invariant Small fails where its constant Max is 3 or more."""
    path = tmp_path / "Counter.tla"
    path.write_text(COUNTER)
    return path


@pytest.fixture
def tiny_sweep(tiny_spec: Path) -> Path:
    """A sweep over the module Counter: three points, of which the last is violated."""
    path = tiny_spec.with_name("sweep.toml")
    path.write_text(COUNTER_SWEEP)
    return path


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    """A server on loopback that stands for object storage."""
    with serving(tmp_path_factory.mktemp("storage")) as served:
        yield served


@contextlib.contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Make every write of this process beyond so many bytes of a file fail, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
