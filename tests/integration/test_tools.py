"""``tla2py tools`` against a server that is slow, cuts off, lies and serves something else, and without any."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import io
import os
import pty
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.command import CommandResult
from tests.conftest import RunCli
from tests.integration.conftest import tree
from tests.integration.test_bad_surroundings import with_file_size
from tests.jars import remade_jar
from tla2py.tlc.tools.jar import bundled_jar

# A real jar of TLC, of no release that the digests know.
JAR = bundled_jar().read_bytes()
SHA256 = hashlib.sha256(JAR).hexdigest()
ROLLING = "/tlaplus/tlaplus/releases/download/v1.8.0/tla2tools.jar"
MODULES = "/tlaplus/CommunityModules/releases/latest/download/CommunityModules-deps.jar"


def community_jar() -> bytes:
    """A jar as that of the CommunityModules, and with what should go nowhere."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as jar:
        jar.writestr("SequencesExt.tla", "---- MODULE SequencesExt ----\nTwice(n) == 2 * n\n====\n")
        jar.writestr("../Outside.tla", "outside")
        jar.writestr("inner/Deep.tla", "deep")
        jar.writestr("tlc2/overrides/SequencesExt.class", b"\xca\xfe\xba\xbe")
    return made.getvalue()


@dataclass
class Server:
    """An HTTP server: what it serves by path, how it misbehaves, and the request lines it has seen."""

    files: dict[str, bytes] = field(default_factory=dict)
    announced: int | None = None
    cut: int | None = None
    pause: float = 0.0
    announces: bool = True
    seen: list[str] = field(default_factory=list)
    address: str = ""


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server(files={ROLLING: JAR, MODULES: community_jar()})
    over = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.seen.append(self.path)
            path = self.path.partition("tools.invalid")[2] or self.path
            if path not in state.files:
                self.send_error(404)
                return
            body = state.files[path]
            self.send_response(200)
            if state.announces:
                self.send_header("Content-Length", str(state.announced or len(body)))
            self.end_headers()
            body = body[: state.cut]
            half = len(body) // 2
            self.wfile.write(body[:half])
            self.wfile.flush()
            over.wait(state.pause)
            self.wfile.write(body[half:])

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        # A client that has gone away is what some tests are about.
        listening.handle_error = lambda *_: None  # type: ignore[method-assign]
        state.address = f"http://127.0.0.1:{listening.server_port}"
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield state
        over.set()
        listening.shutdown()
        thread.join()


@dataclass(frozen=True)
class Tools:
    """``tla2py`` with a cache of its own and the server as the place of the releases."""

    run_cli: RunCli
    server: Server
    folder: Path

    @property
    def cache(self) -> Path:
        return self.folder / "cache" / "tla2py" / "tools"

    @property
    def env(self) -> dict[str, str]:
        return {"XDG_CACHE_HOME": str(self.folder / "cache"), "TLA2PY_MIRROR": self.server.address}

    def run(
        self, *args: str | Path, prefix: tuple[str, ...] = (), code: int | None = None, **env: str | None
    ) -> CommandResult:
        none = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy"))
        (self.folder / "project").mkdir(exist_ok=True)
        here: dict[str, str | None] = {**self.env, **none, **env}
        return self.run_cli(*args, cwd=self.folder / "project", env=here, prefix=prefix, code=code)

    def path(self, *args: str, **env: str | None) -> str:
        return self.run("tools", "path", *args, prefix=(), code=0, **env).stdout.strip()

    def refused(self, *args: str | Path, **env: str | None) -> CommandResult:
        """A command that has to be refused in two lines, and to leave nothing behind."""
        before = tree(self.cache) if self.cache.exists() else {}
        ended = self.run(*args, prefix=(), code=2, **env)
        told = [line for line in ended.errors if " MB" not in line]
        assert len(told) == 2, ended.stderr
        assert told[0].startswith("error: ")
        assert ended.stdout == ""
        assert (tree(self.cache) if self.cache.exists() else {}) == before
        return CommandResult(ended.code, "", "\n".join(told), ended.reported)


@pytest.fixture
def tools(run_cli: RunCli, server: Server, tmp_path: Path) -> Tools:
    return Tools(run_cli, server, tmp_path)


def test_an_installed_release_is_used_where_it_is_named(tools: Tools) -> None:
    ended = tools.run("tools", "install", "rolling", code=0)
    jar = tools.cache / "rolling" / "tla2tools.jar"
    assert ended.stdout.strip() == str(jar)
    assert jar.read_bytes() == JAR
    assert f"rolling: {len(JAR) / 1e6:.1f} of {len(JAR) / 1e6:.1f} MB" in ended.stderr
    assert f"TLC 2.15, revision d5b5a7f, sha256 {SHA256}" in ended.stderr
    assert "use it with --tla2tools rolling" in ended.stderr
    # It is as new as the bundled one, and installed ones come first.
    assert tools.path() == tools.path("1.8.0") == tools.path(TLA2TOOLS_JAR="rolling") == str(jar)
    assert "--force" in tools.run("tools", "install", "rolling", "--default", code=0).stderr
    # The newest TLC and the CommunityModules come together, and each once.
    assert tools.server.seen == [ROLLING, MODULES]
    assert "CommunityModules: 1 module with Java classes" in ended.stderr
    file = tools.folder / "project" / "tla2py.toml"
    assert file.read_text() == f'tla2tools = "rolling"\ntla2tools_sha256 = "{SHA256}"\n'
    assert tools.path() == str(jar)
    listed = tools.run("tools", "list", "--json").json
    (used,) = [jar for jar in listed["jars"] if jar["used"]]
    assert (used["name"], used["version"], used["sha256"]) == ("rolling", "2.15", SHA256)
    assert used["note"] == f"used: {file} names it"
    (java,) = [java for java in listed["javas"] if java["used"]]
    assert int(java["version"].split(".")[0]) >= 17
    assert f"{file} names it" in tools.run("tools", "list").stdout
    # What is named nearer goes first.
    for name in (str(bundled_jar()), "bundled"):
        assert tools.path(TLA2TOOLS_JAR=name) == str(bundled_jar())


def test_the_default_is_the_projects(tools: Tools) -> None:
    (tools.folder / "project" / "models").mkdir(parents=True)
    file = tools.folder / "pyproject.toml"
    file.write_text('[tool.tla2py]\ntla2tools = "1.7.4"  # ours\n')
    ended = tools.run("tools", "path", code=2)
    assert ended.error.code == "jar-missing"
    assert str(file) in str(ended.error)
    assert "tla2py tools install 1.7.4" in ended.hint
    assert "1.7.4" in tools.run("tools", "list").stdout
    text = '[tool.tla2py]\ntla2tools = "rolling"  # ours\n'
    file.write_text(text)
    jar = tools.run("tools", "install", code=0).stdout.strip()
    assert Path(jar) == tools.cache / "rolling" / "tla2tools.jar"
    assert tools.run("tools", "install", "rolling", "--default").code == 0
    assert file.read_text() == f'{text}tla2tools_sha256 = "{SHA256}"\n'
    assert tools.path() == jar


def test_a_wrong_digest(tools: Tools) -> None:
    tools.server.files[ROLLING.replace("1.8.0", "1.7.4")] = JAR
    ended = tools.refused("tools", "install", "1.7.4")
    assert ended.error.code == "download-digest"
    assert [digest in ended.error.message for digest in (SHA256, "936a2620")] == [True, True]
    assert tools.refused("tools", "path", "1.7.4").error.code == "not-installed"
    wanted = "0" * 64
    ended = tools.refused("tools", "install", "rolling", "--sha256", wanted)
    assert (ended.error.code, wanted in ended.error.message) == ("download-digest", True)
    assert tools.run("tools", "install", "rolling", "--sha256", SHA256.upper()).code == 0
    # What is there stays when what is to replace it is refused.
    tools.refused("tools", "install", "rolling", "--force", "--sha256", wanted)
    assert (tools.cache / "rolling" / "tla2tools.jar").read_bytes() == JAR


def test_a_server_that_serves_a_page_or_cuts_off(tools: Tools) -> None:
    right = tools.server.files
    page = b"<html>sign in to the network</html>"
    for name, file, served in (("rolling", ROLLING, page), ("community-modules", MODULES, JAR)):
        tools.server.files = right | {file: served}
        assert tools.refused("tools", "install", name).error.code == "jar-corrupt"
    tools.server.files, tools.server.cut = right, 1_000_000
    ended = tools.refused("tools", "install", "rolling")
    assert ended.error.code == "download-cut"
    assert [f"{size:,}" in ended.error.message for size in (1_000_000, len(JAR))] == [True, True]
    tools.server.cut = None
    assert tools.run("tools", "install", "rolling").code == 0


@pytest.mark.parametrize("difference", [-1000, 1000])
def test_a_server_that_lies_about_the_length(tools: Tools, difference: int) -> None:
    tools.server.announced = len(JAR) + difference
    ended = tools.refused("tools", "install", "rolling")
    assert ended.error.code == ("jar-corrupt" if difference < 0 else "download-cut")


def test_a_server_that_is_slow(tools: Tools) -> None:
    tools.server.pause = 30
    begun = time.monotonic()
    ended = tools.refused("tools", "install", "rolling", "--patience", "1s")
    assert "no data for 1 s" in ended.errors[0]
    assert "--from-file" in ended.errors[1]
    assert time.monotonic() - begun < 25
    # Slow is not silent.
    tools.server.pause = 2
    assert tools.run("tools", "install", "rolling", "--patience", "20s", code=0).stderr.count(" MB") >= 2


def test_no_such_release_no_server_and_no_room(tools: Tools) -> None:
    ended = tools.refused("tools", "install", "9.9.9")
    assert (ended.error.code, "404" in ended.error.message) == ("download-failed", True)
    ended = tools.refused("tools", "install", "rolling", TLA2PY_MIRROR="http://127.0.0.1:9")
    assert ended.error.code == "download-failed"
    assert "http://127.0.0.1:9/tlaplus" in ended.error.message
    assert "--from-file" in ended.hint
    ended = tools.run("tools", "install", "rolling", prefix=with_file_size(500_000), code=2)
    assert ended.error.code == "cache-unwritable"
    assert "XDG_CACHE_HOME" in ended.hint
    assert not list(tools.cache.iterdir())


@pytest.mark.parametrize("name", ["v1.7.3", "v1.8.0", "2026.04.29.170100"])
def test_the_tags_of_the_project_are_names(tools: Tools, name: str) -> None:
    address = f"/tlaplus/tlaplus/releases/download/{name}/tla2tools.jar"
    tools.server.files = {address: JAR, MODULES: community_jar()}
    assert tools.run("tools", "install", name).code == 0
    assert tools.path(name) == tools.path()


def test_a_proxy_of_the_environment(tools: Tools) -> None:
    env: dict[str, str | None] = {"TLA2PY_MIRROR": "http://tools.invalid", "http_proxy": tools.server.address}
    tools.run("tools", "install", "rolling", prefix=(), code=0, no_proxy=None, NO_PROXY=None, **env)
    assert tools.server.seen == [f"http://tools.invalid{path}" for path in (ROLLING, MODULES)]


def test_from_a_file(tools: Tools, tmp_path: Path) -> None:
    tagged = remade_jar(bundled_jar(), tmp_path / "tagged.jar", manifest={"X-Git-Tag": "v1.7.3"})
    tools.run("tools", "install", "1.7.3", "--from-file", tagged, code=0)
    assert tools.server.seen == []
    assert (tools.cache / "1.7.3" / "tla2tools.jar").read_bytes() == tagged.read_bytes()
    # A file is held to the digest of the release that it is said to be.
    ended = tools.refused("tools", "install", "1.7.4", "--from-file", bundled_jar())
    assert (ended.error.code, "936a2620" in ended.error.message) == ("download-digest", True)
    assert tools.refused("tools", "install", "1.7.3", "--from-file", "none.jar").error.code == "jar-missing"


def test_a_file_is_the_release_that_its_build_says(tools: Tools, tmp_path: Path) -> None:
    jar, built = bundled_jar(), {"Build-TimeStamp": "2026-04-29T17:01:00.123Z"}
    moving = remade_jar(jar, tmp_path / "moving.jar", manifest={"X-Git-Tag": "v1.8.0"})
    numbered = remade_jar(jar, tmp_path / "numbered.jar", manifest={"X-Git-Branch": "v1.7.3"})
    # Since 2026 the date of a TLC is its version.
    calendar = remade_jar(jar, tmp_path / "calendar.jar", version="Version ", manifest=built)
    for name, file, right in (
        ("rolling", jar, True),
        ("rolling", moving, True),
        ("rolling", numbered, False),
        ("1.7.3", numbered, True),
        ("1.7.2", numbered, False),
        ("1.7.2", jar, False),
        ("2026.04.29.170100", calendar, True),
        ("2026.04.29.170101", calendar, False),
        ("2026.04.29", calendar, True),
        ("2026.04.30", jar, False),
    ):
        asked = ("tools", "install", name, "--from-file", file)
        if right:
            assert tools.run(*asked).code == 0, name
            assert (tools.cache / name / "tla2tools.jar").read_bytes() == file.read_bytes()
        else:
            assert tools.refused(*asked).error.code == "jar-other-release", name


@pytest.mark.parametrize("announces", [True, False])
def test_each_download_has_lines_of_its_own_on_a_terminal(announces: bool, tools: Tools) -> None:
    tools.server.announces = announces
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "tla2py", "tools", "install", "rolling"]
    with subprocess.Popen(command, env=os.environ | tools.env, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # as the last writer ends
            while part := os.read(ours, 1 << 16):
                shown += part
    os.close(ours)
    assert process.returncode == 0, shown
    lines = shown.decode().replace("\r\n", "\n").split("\n")
    named = [{part.split(":")[0] for part in line.split("\r") if " MB" in part} for line in lines]
    assert [names for names in named if names] == [{"rolling"}, {"community-modules"}], shown


def test_the_community_modules_are_a_folder_for_modules_named_in_a_sweep_file(tools: Tools) -> None:
    assert tools.refused("tools", "path", "community-modules").error.code == "not-installed"
    project = tools.folder / "project"
    (project / "Uses.tla").write_text(
        "---- MODULE Uses ----\nEXTENDS Naturals, SequencesExt\nASSUME Twice(2) = 4\n====\n"
    )
    (project / "sweep.toml").write_text('module = "Uses.tla"\nlibraries = ["community-modules"]\n')
    without = tools.run("inspect", "Uses.tla", code=2)
    assert (without.error.code, "tla2py tools install rolling" in without.hint) == ("module-missing", True)
    missing = tools.refused("cfg", "sweep.toml")
    assert missing.error.code == "not-installed"
    assert "tla2py tools install community-modules" in missing.hint
    assert tools.refused("inspect", "Uses.tla", "-L", "community-modules").errors == missing.errors
    ended = tools.run("tools", "install", "community-modules", code=0)
    folder = tools.cache / "community-modules" / "modules"
    assert ended.stdout.strip() == str(folder)
    assert sorted(file.name for file in folder.iterdir()) == ["SequencesExt.tla"]
    assert "CommunityModules: 1 module with Java classes, an official build, sha256" in ended.stderr
    assert not list(tools.folder.rglob("Outside.tla"))
    for asked in (("inspect", "Uses.tla"), ("inspect", "Uses.tla", "-L", str(folder)), ("cfg", "sweep.toml")):
        assert tools.run(*asked).code == 0, asked
    # What init writes is not the path on this machine.
    written = tools.run("init", "Uses.tla", "-L", "community-modules").stdout
    assert 'libraries = ["community-modules"]' in written
