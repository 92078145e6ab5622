"""How errors are provoked: by the command line within this process, or by the call that a notebook would make."""

from __future__ import annotations

import contextlib
import http.server
import shlex
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.conftest import COUNTER, COUNTER_SWEEP
from tests.unit.analysis.stores import view_of
from tla2py.analysis.view import StoreView
from tla2py.cli.app import run_command
from tla2py.sweep.judge import check_expectations
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep

CASES = "tests/integration/test_cases.py"
# A trace of another tool.
ITF = {"trace.itf.json": '{"vars": ["x"], "states": [{"x": 1}]}'}
# Variables of the surroundings that would decide what is found.
_CLEARED = ("TLA2TOOLS_JAR", "TLA2PY_JAVA_HOME", "TLA2PY_MIRROR", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY")


@dataclass(frozen=True)
class Lab:
    """An empty folder, which is the current one, with the module Counter in it."""

    folder: Path
    patch: pytest.MonkeyPatch

    def __post_init__(self) -> None:
        self.patch.chdir(self.folder)
        for name in _CLEARED:
            self.patch.delenv(name, raising=False)
        self.patch.setenv("XDG_CACHE_HOME", str(self.folder / "cache"))
        self.write("Counter.tla", COUNTER)

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def having(self, name: str, text: str | bytes) -> Lab:
        self.write(name, text)
        return self

    def viewed(self, *cases: str | None, **parameters: tuple[str, ...]) -> Lab:
        self.view(*cases, **parameters)
        return self

    def setting(self, name: str, value: str) -> Lab:
        self.patch.setenv(name, value)
        return self

    def run(self, *arguments: str) -> None:
        """Run a command, which is to fail; of one argument it is the line."""
        if len(arguments) == 1:
            arguments = tuple(shlex.split(*arguments))
        code = run_command(list(arguments))
        pytest.fail(f"{' '.join(arguments)} ended with {code}")

    def plan(self, text: str, *options: str) -> None:
        """Plan the sweep of a file of this text, without the tools of TLC."""
        self.write("sweep.toml", text)
        self.run("cfg", "sweep.toml", *options)

    def expect(self, *lines: str) -> None:
        """Check expectations that follow the sweep of Counter."""
        path = self.write("sweep.toml", "\n".join([COUNTER_SWEEP.rstrip(), *lines]) + "\n")
        sweep = load_sweep(path)
        check_expectations(sweep, plan_sweep(sweep, ""))

    def module(self, text: str, name: str = "Spec") -> None:
        self.write(f"{name}.tla", f"---- MODULE {name} ----\n{text}\n====\n")
        self.run("inspect", f"{name}.tla")

    def view(self, *cases: str | None, **parameters: tuple[str, ...]) -> StoreView:
        """A store of points that printed these cases of the corpus, with the parameter N = 1, 2, ... or those given."""
        given = parameters or {"N": tuple(str(number) for number in range(1, len(cases) + 1))}
        rows = [dict(zip(given, row, strict=True)) for row in zip(*given.values(), strict=True)]
        return view_of(self.folder, *zip(rows, cases, strict=True))


# What takes a Spark session or a disk of its own has a test where those are: its file, its name, and its errors.
ELSEWHERE = (
    ("tests/spark/test_spark.py", "test_a_master_that_is_not_there", "spark-failed"),
    ("tests/spark/test_jobs.py", "test_what_jobs_refuse", "no-runs"),
    (CASES, "test_graphs_that_do_not_replay_are_refused", "graph-merged graph-partial"),
    (CASES, "test_what_testgen_and_drive_refuse", "graph-too-large unknown-action"),
    (CASES, "test_what_testgen_and_drive_refuse", "cases-unreadable drive-start"),
    ("tests/unit/cases/test_render.py", "test_a_template_that_fails", "template-unreadable template-fails"),
    ("tests/faults/test_resources.py", "test_a_full_disk_where_tlc_works", "disk-full"),
)

Act = Callable[[Lab], object]
Files = Mapping[str, str | bytes]
Row = tuple[str, str | None, str] | tuple[str, str | None, str, Files]


@dataclass(frozen=True)
class Provocation:
    """What raises an error: its code, and the end of the place that it names, None where it names none."""

    code: str
    where: str | None
    act: Act

    def __str__(self) -> str:
        return f"{self.code}-{self.where}"


@dataclass(frozen=True)
class Registry:
    """All provocations; there may be several of one code."""

    known: list[Provocation] = field(default_factory=list)

    def __call__(self, code: str, where: str | None = None) -> Callable[[Act], Act]:
        def keep(act: Act) -> Act:
            self.known.append(Provocation(code, where, act))
            return act

        return keep

    def rows(self, *rows: tuple[str, str | None, Act]) -> None:
        """Keep what takes one call: the code, the end of the place, the call."""
        self.known.extend(Provocation(*row) for row in rows)

    def commands(self, *rows: Row) -> None:
        """Keep commands: the code, the end of the place, the line, and the files that it finds."""
        for code, where, line, *files in rows:
            self(code, where)(_with_files(Lab.run, line, files=files))

    def plans(self, head: str, *rows: Row) -> None:
        """Keep sweep files: the code, the place in the file or the end of another, the text after the head, and files."""
        for code, where, text, *files in rows:
            place = f"sweep.toml:{where}" if where and where[0].isdigit() else where
            self(code, place)(_with_files(Lab.plan, head + text, files=files))


def _with_files(act: Callable[..., object], *arguments: str, files: Sequence[Files]) -> Act:
    def prepared(lab: Lab) -> None:
        for name, text in (each for some in files for each in some.items()):
            lab.write(name, text)
        act(lab, *arguments)

    return prepared


provokes = Registry()


@contextlib.contextmanager
def answering(
    status: int, body: bytes = b"", length: int | None = None, kind: str = "text/xml"
) -> Iterator[str]:
    """The address of a server that answers everything the same; ``length`` is what it announces, right or not."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body) if length is None else length))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)
            self.close_connection = True

        do_HEAD = do_PUT = do_POST = do_GET  # noqa: N815 - the names that the server looks for

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
