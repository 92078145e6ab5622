"""What a run of TLC gets of this machine, with and without trust; what names in files of strangers lead to."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import COUNTER, COUNTER_SWEEP, RunCli
from tests.integration.spy import found_by, write_spy
from tests.integration.walls.attacker import listening, makes, staying_jvm
from tests.raising import raises
from tests.stores import TIMES, table_rows
from tests.unit.records import executed
from tla2py.analysis.view import open_view
from tla2py.errors import InputError, StoreError
from tla2py.model.run import ModuleText
from tla2py.store.record import open_archive, write_archive
from tla2py.sweep.load import load_sweep
from tla2py.tla.value import Record
from tla2py.tlc.process import sandbox

# What a system cannot take away stays, and then these tests see that nothing fails.
FILES, NETWORK = ("files" not in sandbox.walls().missing, "network" not in sandbox.walls().missing)


def refused(taken: bool, otherwise: str = "done") -> str:
    return "refused" if taken else otherwise


def test_a_stranger_finds_nothing_and_who_is_trusted_all(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of files")
    with listening() as (tcp, udp):
        tries = {
            "env": ("env", "TLA2PY_TEST_SECRET"),
            "home": ("env", "HOME"),
            "read": ("read", str(tmp_path / "secret")),
            "up": ("read", "../../../../.." + str(tmp_path / "secret")),
            "own": ("write", "notes.txt"),
            "write": ("write", str(tmp_path / "written")),
            "streams": ("write", "../stdout.txt"),
            "opened": ("write", "/proc/self/fd/1"),
            "link": ("link", str(tmp_path / "secret")),
            "run": ("run", f"cp {tmp_path}/secret {tmp_path}/copied"),
            "tcp": ("tcp", str(tcp.getsockname()[1])),
            "udp": ("udp", str(udp.getsockname()[1])),
        }
        asked = ("check", write_spy(tmp_path, tries), "--overrides", "spy", "--invariant", "Told", "--json")
        environment = {"TLA2PY_TEST_SECRET": "of variables", "HOME": str(tmp_path), "_JAVA_OPTIONS": "-Xmx1k"}
        ended = run_cli(*asked, env=environment)
        found = found_by(ended)
        assert (found["env"], found["own"]) == ("null", "done")
        assert found["home"].startswith(os.environ.get("TMPDIR", "/tmp"))
        assert found["read"] == found["up"] == refused(FILES, "of files")
        assert {found[each] for each in ("write", "link", "streams", "opened")} == {refused(FILES)}
        assert (tmp_path / "written").exists() == (tmp_path / "copied").exists() == (not FILES)
        assert found["tcp"] == found["udp"] == refused(NETWORK)
        if NETWORK:
            with pytest.raises(TimeoutError):
                udp.recv(1)
        trusted = run_cli(*asked, "--trust", env=environment)
        found = found_by(trusted)
        assert (found["env"], found["home"]) == ("of variables", str(tmp_path))
        assert (found["read"], found["write"]) == ("of files", "done")
        assert (found["run"], found["tcp"], found["udp"]) == ("exit 0", "done", "done")
        assert (tmp_path / "copied").read_text() == "of files"
    # Nothing that took trust is ever an answer without.
    assert ended.json["run_id"] != trusted.json["run_id"]


def test_a_sweep_file_may_trust_and_the_command_line_may_not(run_cli: RunCli, tmp_path: Path) -> None:
    write_spy(tmp_path, {"env": ("env", "TLA2PY_TEST_SECRET")})
    text = 'module = "Use.tla"\n[model]\ninvariants = ["Told"]\n[tlc]\noverrides = ["spy"]\ntrust = true\n'
    sweep = tmp_path / "sweep.toml"
    asked = ("sweep", "sweep.toml", "--executor", "local")
    for written, secret in ((text, "of variables"), (text.replace("trust = true", ""), "null")):
        sweep.write_text(written)
        run_cli(*asked, env={"TLA2PY_TEST_SECRET": "of variables"})
        found = open_view(tmp_path / "runs/sweep").trace(1).states[0].values["found"]
        assert isinstance(found, Record)
        assert found["env"] == secret
    # Classes of a stranger could say anything in TLC's name.
    sweep.write_text(text)
    assert run_cli(*asked, "--no-trust").refusal == ("needs-trust", "sweep.toml:5:15")
    # The spy of the command line is the user's own.
    (tmp_path / "spy/Spy.tla").rename(tmp_path / "Spy.tla")
    ended = run_cli("check", "Use.tla", "--overrides", "spy", "--invariant", "Told", "--json", "--no-trust")
    assert found_by(ended)["env"] == "null"


@pytest.mark.parametrize("command", [("sweep",), ("gate",), ("check", "--point", "1")])
def test_a_line_says_that_the_trust_of_a_file_does_not_count(
    command: tuple[str, ...], run_cli: RunCli, tiny_sweep: Path
) -> None:
    tiny_sweep.write_text(tiny_sweep.read_text().replace("[1, 2, 3]", "[1]") + "trust = true\n")
    asked = (command[0], "sweep.toml", *command[1:])
    for options, said in (("--trust", 0), ("--no-trust", 1)):
        ended = run_cli(*asked, options)
        line = "sweep.toml:9:1: trust = true does not count, because of --no-trust"
        assert ended.stderr.count(line) == said
    if command[0] == "sweep":
        view = open_view(tiny_sweep.parent / "runs/sweep")
        with view.store.archive(next(iter(view.points)).run_id) as archive:
            assert not archive.record.limits.trust


def test_trust_changes_no_result(run_cli: RunCli, tiny_sweep: Path) -> None:
    tiny_sweep.write_text(tiny_sweep.read_text().replace("[1, 2, 3]", "[3]"))
    results = []
    for store, option in (("held", "--no-trust"), ("trusted", "--trust")):
        run_cli("sweep", tiny_sweep, "--executor", "local", "-o", store, option)
        place = tiny_sweep.parent / store
        tables = [table_rows(place, name) for name in ("runs", "states", "traces")]
        varying = dict.fromkeys(("run_id", *TIMES - {"executor"}))
        results.append([[row | varying for row in table] for table in tables])
        view = open_view(place)
        with view.store.archive(next(iter(view.points)).run_id) as archive:
            assert archive.record.limits.trust == (store == "trusted")
    assert results[0] == results[1]
    assert len(results[0][1]) == 4


def test_a_jvm_that_stays_is_held_too(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of files")
    for trust in (False, True):
        with staying_jvm(trust=trust) as host, listening() as (tcp, _):
            assert makes(host, "java.io.FileWriter", str(host.folder / "own"))
            assert makes(host, "java.io.FileReader", str(tmp_path / "secret")) == (trust or not FILES)
            assert makes(host, "java.io.FileWriter", str(tmp_path / "other")) == (trust or not FILES)
            assert makes(host, "java.io.FileWriter", str(host.streams[0])) == (trust or not FILES)
            # What a run finds of TLC is what those before it found.
            (copy,) = (host.folder.parent / "jars").iterdir()
            assert makes(host, "java.io.FileReader", str(copy))
            assert makes(host, "java.io.FileOutputStream", str(copy), True) == (trust or not FILES)
            port = tcp.getsockname()[1]
            assert makes(host, "java.net.Socket", "127.0.0.1", port) == (trust or not NETWORK)


def test_no_file_grows_without_bound(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sandbox, "FILE_LIMIT_BYTES", 1 << 20)
    script = ["/bin/sh", "-c", "head -c 2000000 /dev/zero > big; wc -c < big"]
    done = sandbox.run(script, sandbox.Sandbox(folder=tmp_path), timeout_seconds=60)
    limited = sys.platform.startswith("linux")
    assert int(done.stdout.split()[-1]) == (1 << 20 if limited else 2_000_000)


def test_a_java_elsewhere_is_read_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    # A launcher that needs a file which is neither its own nor the system's.
    (tmp_path / "jdk/bin").mkdir(parents=True)
    java, needed = tmp_path / "jdk/bin/java", tmp_path / "needed"
    java.write_text(f"#!/bin/sh\nread -r line < {needed}\n")
    java.chmod(0o755)
    needed.write_text("a line\n")
    assert (Path("/") in sandbox.java_sandbox(java, tmp_path, []).readable) == FILES
    sandbox._of_java.cache_clear()
    java.write_text("#!/bin/sh\n:\n")
    readable = sandbox.java_sandbox(java, tmp_path, []).readable
    assert (Path("/") in readable, tmp_path / "jdk" in readable) == (False, True)
    sandbox._of_java.cache_clear()


def test_names_do_not_lead_out_of_their_folder(tiny_sweep: Path, tmp_path: Path) -> None:
    text = tiny_sweep.read_text()
    for name in ("../out", "/tmp/out", "a/../../out"):
        tiny_sweep.write_text(f"name = {json.dumps(name)}\n{text}")
        refused = raises(InputError, load_sweep, tiny_sweep)
        assert (refused.code, refused.where) == ("sweep-name", f"{tiny_sweep}:1:1")
    # A store of a stranger, whose modules are written to a folder when its traces are verified.
    done = executed(tmp_path, "0" * 32, "invariant")
    for module in (ModuleText("../../Spec.tla", "0" * 64), ModuleText("Spec.tla", "../../etc/passwd")):
        with (tmp_path / "record.zip").open("wb") as target:
            write_archive(target, replace(done.record, modules=(module,)), done.folders)
        with pytest.raises(StoreError) as damaged, open_archive(tmp_path / "record.zip"):
            pass
        assert damaged.value.code == "record-damaged"


def test_odd_names_are_only_names(run_cli: RunCli, tmp_path: Path) -> None:
    odd = ["a b'c", 'say "$(touch owned)"', "-L", "new\nline", "...", "b:c;d*"]
    folder = tmp_path.joinpath(*odd)
    folder.mkdir(parents=True)
    (folder / "Counter.tla").write_text(COUNTER)
    (folder / "-x.toml").write_text('name = "odd"\n' + COUNTER_SWEEP.replace("[1, 2, 3]", "[3]"))
    ended = run_cli("sweep", "--executor", "local", "--", folder / "-x.toml", env={"TMPDIR": str(folder)})
    assert "violated: Small in 4" in ended.stdout, ended
    assert {each.name for each in tmp_path.iterdir()} == {odd[0], "runs"}
    assert {each.name for each in folder.iterdir()} == {"Counter.tla", "-x.toml"}


def test_sandboxes_leave_their_starter_free(tmp_path: Path) -> None:
    """Rights are given up by a thread, and by no other."""
    status = Path("/proc/self/status")
    before = status.read_text() if status.exists() else ""
    folder = tmp_path / "own"
    folder.mkdir()
    sandbox.run(["/bin/sh", "-c", ":"], sandbox.Sandbox(folder=folder), timeout_seconds=60)
    (tmp_path / "still").write_text("written")
    if before:
        assert re.findall("NoNewPrivs.*", before) == re.findall("NoNewPrivs.*", status.read_text())
    assert subprocess.run(["/bin/cat", tmp_path / "still"], capture_output=True, check=True).stdout
