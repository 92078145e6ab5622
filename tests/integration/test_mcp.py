"""The server for assistants, by the SDK's own client: its tools, and what a call may read, write and spend."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, ListRootsResult, TextContent, TextResourceContents

from tests.conftest import SPECS, RunCli
from tests.integration.test_sweep import wait_until_gone
from tla2py.cli.mcp import build_server
from tla2py.cli.mcp_runner import CallRunner
from tla2py.model.run import Walls
from tla2py.toml import loads

SCHEMAS = Path(__file__).parent / "mcp_tools.json"
Work = Callable[[Client], Awaitable[None]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with specifications, as a client has it."""
    folder = tmp_path / "root"
    folder.mkdir()
    for name in ("Counter.tla", "counter.toml", "Endless.tla", "Lease.tla"):
        shutil.copy(SPECS / name, folder)
    return folder


def session(root: Path, work: Work, *options: str, **client: Any) -> None:
    """Let a client work with the server that ``tla2py mcp`` starts below a folder."""
    scratch = root.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    argv = ["-m", "tla2py", "mcp", "--root", str(root), "--output", str(root / "runs"), *options]
    env = {**os.environ, "TMPDIR": str(scratch)}
    server = StdioServerParameters(command=sys.executable, args=argv, env=env, cwd=str(root))

    async def run() -> None:
        async with Client(server, **client) as opened:
            await work(opened)

    anyio.run(run)
    assert wait_until_gone(root.parent) == []


def said(result: CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


async def called(client: Client, tool: str, /, **given: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, given)
    text = said(result)
    assert not result.is_error, text
    assert len(text.encode()) <= 4096
    assert "proved" not in text
    assert result.structured_content is not None
    return dict(result.structured_content)


async def refused(client: Client, tool: str, /, **given: Any) -> str:
    result = await client.call_tool(tool, given)
    assert result.is_error, result
    return said(result)


@pytest.mark.core
def test_from_a_module_to_why_it_breaks(root: Path) -> None:
    async def work(client: Client) -> None:
        assert (await called(client, "inspect", module="Counter.tla"))["exit_code"] == 0
        model = {"constants": {"Procs": "{p1, p2}", "Max": "2", "Bound": "3"}, "invariants": ["Below"]}
        found = await called(client, "check", module="Counter.tla", deadlock=False, **model)
        assert found["meaning"].startswith("not as expected")
        assert (found["budget"]["reached"], found["budget"]["memory"]) == (False, "2GiB")
        # The rest of a long answer is there for the asking, and says which model it is about.
        text = found["answer"]
        while piece := said(await client.call_tool("more", {"handle": found["handle"], "offset": len(text)})):
            text += piece
        whole = json.loads(text)
        assert whole["violated"] == [{"kind": "invariant", "name": "Below"}]
        assert "Max = 2" in whole["config"]
        assert whole["why"][0]["because"]
        shown: list[str | None] = []

        async def heard(progress: float, total: float | None, message: str | None) -> None:
            assert (progress > 0, total) == (True, None)
            shown.append(message)

        swept = await client.call_tool("sweep", {"file": "counter.toml"}, progress_callback=heard)
        assert not swept.is_error
        assert any("6 runs" in (each or "") for each in shown)
        sql = "SELECT point, verdict FROM runs ORDER BY 1"
        rows = await called(client, "query", store="runs/counter", sql=sql, rows=4)
        assert [row["point"] for row in rows["answer"]] == [1, 2, 3, 4]
        assert "the first 4 of 6 rows" in rows["notes"]
        laws = await called(client, "explain", store="runs/counter")
        assert "Below" in json.dumps(laws["answer"])
        why = await called(client, "trace", store="runs/counter", point=5, ask="why")
        assert "FALSE" in json.dumps(why["answer"])

    session(root, work)


@pytest.mark.core
def test_what_a_call_may_read_and_write(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    shutil.copy(SPECS / "Counter.tla", outside)
    (root / "link.tla").symlink_to(outside / "Counter.tla")
    (root / "runs").mkdir()
    (root / "runs" / "kept").write_text("kept")
    # Files that would take the place of a module, or of TLC.
    (root / "tla2py").mkdir()
    (root / "tla2py" / "__main__.py").write_text(f"open({str(tmp_path / 'taken')!r}, 'w')")
    shutil.copy(shutil.which("java") or sys.executable, root / "own.jar")
    trusting = (root / "counter.toml").read_text().replace("[tlc]", "[tlc]\ntrust = true")
    (root / "trusting.toml").write_text(trusting)

    async def work(client: Client) -> None:
        for module in ("../outside/Counter.tla", str(outside / "Counter.tla"), "link.tla", "/etc/passwd"):
            assert "is not below" in await refused(client, "inspect", module=module)
        for store in ("../here", "/tmp/here", "."):
            assert "is not below" in await refused(client, "sweep", file="counter.toml", store=store)
        assert "not written over" in await refused(client, "init", module="Counter.tla", sweep_file="kept")
        # A link that nothing reads is in nobody's way, be it a module or a folder.
        (root / "elsewhere").symlink_to(outside)
        assert (await called(client, "inspect", module="Counter.tla"))["exit_code"] == 0
        swept = await called(client, "sweep", file="counter.toml", points="1", store="linked")
        assert swept["exit_code"] == 0
        # A store has one name, whether it is written or read.
        for store in ("linked", "runs/linked"):
            rows = await called(client, "query", store=store, sql="SELECT count(*) AS n FROM runs")
            assert rows["answer"] == [{"n": 1}]
            again = await called(client, "sweep", file="counter.toml", points="1", store=store)
            assert "nothing to run" in again["notes"]
        # Nor does a file below a root lead elsewhere: a module beside it may be extended, and a sweep file names its own.
        (root / "Extends.tla").write_text("---- MODULE Extends ----\nEXTENDS link\n====\n")
        (root / "extends.toml").write_text('module = "Extends.tla"\n')
        for tool, given in (("inspect", {"module": "Extends.tla"}), ("sweep", {"file": "extends.toml"})):
            said_so = await refused(client, tool, **given)
            assert f"needs {root / 'link.tla'}, which leads to {outside / 'Counter.tla'}" in said_so
        (root / "Counter.cfg").symlink_to(outside / "Counter.tla")
        assert "needs" in await refused(client, "check", module="Counter.tla")
        for name in ("link.tla", "Extends.tla", "extends.toml", "Counter.cfg", "elsewhere"):
            (root / name).unlink()
        for module in ("../outside/Counter.tla", str(outside / "Counter.tla")):
            (root / "away.toml").write_text(f'module = "{module}"\n')
            for files in (["away.toml"], ["."]):
                assert "needs" in await refused(client, "lint", files=files)
            assert "needs" in await refused(client, "sweep", file="away.toml")
        (root / "away.toml").unlink()
        # A name is never taken for an option.
        assert "did not run" in await refused(client, "check", module="--help")
        assert "did not run" in await refused(client, "query", store="runs", sql="--version")
        # A name that is not a path, or is too long for one, gets a short reason.
        for name in ("a\0b", "../" + "x" * 9_000):
            reason = await refused(client, "inspect", module=name)
            assert 40 < len(reason) < 1_000
            assert "Errno" not in reason
        assert "too long" in await refused(client, "query", store="runs", sql="SELECT 1" + " " * 3_000_000)
        trusted = await called(client, "sweep", file="trusting.toml", points="1")
        assert "trust = true does not count" in trusted["notes"]

    session(root, work)
    assert (root / "runs" / "kept").read_text() == "kept"
    assert not (tmp_path / "taken").exists()


@pytest.mark.systems
def test_the_other_tools(root: Path) -> None:
    (root / "Spare.cfg").write_text("SPECIFICATION Spec\nINVARIANT Nothing\n")
    (root / "lease.jsonl").write_text('{"state": {"now": 0}}\n{"state": {"now": 1}}\n')

    async def work(client: Client) -> None:
        assert (await called(client, "lint", files=["counter.toml"]))["exit_code"] == 0
        written = await called(client, "init", module="Lease.tla", sweep_file="lease.toml")
        assert written["exit_code"] == 0
        assert loads((root / "runs" / "lease.toml").read_text())["module"] == "../Lease.tla"
        assert (await called(client, "gate", file="counter.toml", vacuity=False))["exit_code"] in (0, 1)
        values = {"Term": "5", "Late": "0", "Grace": "0"}
        logged = await called(client, "validate", module="Lease.tla", logs=["lease.jsonl"], constants=values)
        assert logged["exit_code"] == 0
        assert (await called(client, "mutate", file="counter.toml", sample=3))["exit_code"] in (0, 1)
        given = {"store": "runs/counter", "point": 1}
        tests = await called(client, "testgen", **given, cover="states")
        assert "actions" in json.dumps(tests["answer"])
        await called(client, "testgen", **given, template="pytest", file="test_counter.py")
        assert "def test" in (root / "runs" / "test_counter.py").read_text()
        assert "faults" in json.dumps((await called(client, "doctor"))["answer"])
        for ask in ("conjuncts", "essential", "verify"):
            await called(client, "trace", store="runs/counter", point=5, ask=ask)
        (root / "Lease.cfg").write_text(
            "SPECIFICATION Spec\nINVARIANT Exclusive\nCHECK_DEADLOCK FALSE\nCONSTANTS Term = 5 Late = 0 Grace = 0\n"
        )
        judged = await called(client, "judge", module="Lease.tla", sample=5)
        assert "checks" in json.dumps(judged["answer"])
        resources = {str(each.uri) for each in (await client.list_resources()).resources}
        assert resources == {"tla2py://sweep-file/schema", "tla2py://cfg/grammar", "tla2py://errors"}
        for uri in (*resources, "tla2py://tables/counter"):
            [content] = (await client.read_resource(uri)).contents
            assert isinstance(content, TextResourceContents)
            assert content.text
        prompts = (await client.list_prompts()).prompts
        names = ["find_out_why_this_breaks", "is_this_specification_strong_enough", "my_service_has_a_log"]
        assert [each.name for each in prompts] == names

    session(root, work)


@pytest.mark.systems
def test_a_budget_ends_a_call_and_keeps_what_is_done(root: Path) -> None:
    model = '[model]\nspecification = "Count"\ncheck_deadlock = false\n'
    (root / "endless.toml").write_text(f'module = "Endless.tla"\n{model}')

    async def work(client: Client) -> None:
        given = {"module": "Endless.tla", "specification": "Count", "invariants": ["x >= 0"]}
        found = await called(client, "check", **given, seconds=3)
        assert (found["exit_code"], found["budget"]["reached"]) == (3, True)
        swept = await called(client, "sweep", file="endless.toml", seconds=3)
        assert (swept["exit_code"], swept["budget"]["reached"]) == (3, True)
        # On a busy machine the command has not stopped by itself yet.
        assert swept["meaning"].startswith(("inconclusive", "interrupted"))

    session(root, work)


async def status_at_end(client: Client, store: str) -> dict[str, Any]:
    """Ask for the status of a sweep until it has ended."""
    with anyio.fail_after(120):
        while True:
            status = await called(client, "status", store=store)
            if status["state"] == "ended":
                return status
            assert status["exit_code"] is None
            await anyio.sleep(0.5)


@pytest.mark.core
def test_a_sweep_is_started_and_asked_after(root: Path) -> None:
    # A second sweep of which one point takes long, so that its verdicts so far are of the others.
    (root / "long.toml").write_text(
        'module = "Long.tla"\n[model]\ninvariants = ["x >= 0"]\ncheck_deadlock = false\n'
        "[parameters]\nMax = [1, 2, 100000000]\n"
    )
    (root / "Long.tla").write_text(
        "---- MODULE Long ----\nEXTENDS Naturals\nCONSTANT Max\nVARIABLE x\n"
        "Init == x = 0\nNext == x < Max /\\ x' = x + 1\nSpec == Init /\\ [][Next]_x\n====\n"
    )

    async def work(client: Client) -> None:
        await called(client, "start", file="counter.toml")
        ended = await status_at_end(client, "counter")
        assert (ended["points"], ended["done"]) == (6, 6)
        assert ended["exit_code"] in (0, 1)
        assert ended["meaning"]
        sql = "SELECT verdict, count(*) AS n FROM runs GROUP BY verdict"
        rows = await called(client, "query", store="counter", sql=sql)
        assert ended["verdicts"] == {row["verdict"]: row["n"] for row in rows["answer"]}

        started = await called(client, "start", file="long.toml", store="deep/long", seconds=600)
        assert started["store"] == str(root / "runs" / "deep" / "long")
        with anyio.fail_after(120):
            while (running := await called(client, "status", store="deep/long"))["done"] != 2:
                assert running["state"] == "running"
                await anyio.sleep(0.5)
        assert (running["points"], running["verdicts"]) == (3, {"holds": 2})
        assert running["budget"]["reached"] is False
        # The same store is not written twice; another sweep waits, and other calls go on.
        assert "has not ended" in await refused(client, "start", file="long.toml", store="runs/deep/long")
        waiting = await called(client, "start", file="counter.toml", store="again")
        assert (waiting["state"], waiting["points"], waiting["done"]) == ("waiting", None, None)
        assert (await called(client, "inspect", module="Counter.tla"))["exit_code"] == 0

    # The server ends with one running and one waiting; its end leaves no process.
    session(root, work)

    async def later(client: Client) -> None:
        found = await called(client, "status", store="deep/long")
        assert (found["state"], found["points"], found["done"]) == ("other", 3, 2)
        assert "started no sweep" in found["meaning"]
        assert "is not below" in await refused(client, "status", store="../outside")
        assert "no such store" in await refused(client, "status", store="again")

    session(root, later)


@pytest.mark.systems
def test_a_started_sweep_is_bounded_and_says_what_did_not_run(root: Path) -> None:
    model = '[model]\nspecification = "Count"\ncheck_deadlock = false\n'
    (root / "endless.toml").write_text(f'module = "Endless.tla"\n{model}')
    (root / "wrong.toml").write_text('module = "Endless.tla"\nmodell = 1\n')

    async def work(client: Client) -> None:
        started = await called(client, "start", file="endless.toml", seconds=3)
        ended = started if started["state"] == "ended" else await status_at_end(client, "endless")
        assert (ended["exit_code"], ended["budget"]["reached"]) == (3, True)
        assert ended["meaning"].startswith(("inconclusive", "interrupted"))
        # It may end after start has answered, where the machine is busy.
        result = await client.call_tool("start", {"file": "wrong.toml"})
        with anyio.fail_after(60):
            while not result.is_error:
                await anyio.sleep(0.5)
                result = await client.call_tool("status", {"store": "wrong"})
        assert "did not run" in said(result)
        assert "modell" in said(result)

    session(root, work)


@pytest.mark.systems
@pytest.mark.parametrize("tool", ["start", "check"])
def test_a_killed_server_leaves_no_process(root: Path, tool: str) -> None:
    (root / "Endless.cfg").write_text("SPECIFICATION Count\n")
    (root / "endless.toml").write_text('module = "Endless.tla"\n[model]\nspecification = "Count"\n')
    arguments = {"start": {"file": "endless.toml"}, "check": {"module": "Endless.tla"}}[tool]

    def running_tlc() -> bool:
        return any("Endless" in line and "java" in line for line in wait_until_gone(root.parent, 0))

    async def work(client: Client) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, tool, {**arguments, "seconds": 600})
            with anyio.fail_after(60):
                while not await anyio.to_thread.run_sync(running_tlc):
                    await anyio.sleep(0.2)
            for process in psutil.Process().children():
                if "mcp" in process.cmdline():
                    process.kill()
            tasks.cancel_scope.cancel()

    with contextlib.suppress(Exception):
        session(root, work)
    assert wait_until_gone(root.parent) == []


@pytest.mark.systems
def test_a_cancelled_call_leaves_no_process(root: Path) -> None:
    (root / "Endless.cfg").write_text("SPECIFICATION Count\n")

    async def work(client: Client) -> None:
        with anyio.move_on_after(6) as scope:
            await client.call_tool("check", {"module": "Endless.tla", "seconds": 600})
        assert scope.cancelled_caught
        # The server goes on.
        assert (await called(client, "inspect", module="Endless.tla"))["exit_code"] == 0
        scratch = root.parent / "scratch"
        with anyio.fail_after(20):
            while "Endless" in str(await anyio.to_thread.run_sync(wait_until_gone, scratch, 1)):
                await anyio.sleep(0.2)

    session(root, work)


@pytest.mark.systems
def test_twenty_calls_at_once_and_a_megabyte(root: Path) -> None:
    values = {"Procs": "{p1}", "Max": "2", "Bound": "9"}
    verdicts: list[str] = []

    async def work(client: Client) -> None:
        async def one() -> None:
            found = await called(client, "check", module="Counter.tla", constants=values, deadlock=False)
            verdicts.append(found["meaning"])

        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(one)
        await called(client, "sweep", file="counter.toml", points="1")
        large = await called(client, "query", store="runs/counter", sql="SELECT repeat('x', 1000000) AS x")
        assert large["size"] > 1_000_000
        assert await refused(client, "more", handle="answer-0", offset=0)
        end = await client.call_tool("more", {"handle": large["handle"], "offset": large["size"] - 9})
        assert said(end).rstrip().endswith("]")

    session(root, work)
    assert verdicts == ["as expected"] * 20


@pytest.mark.systems
def test_a_client_may_name_fewer_roots(root: Path) -> None:
    (root / "open").mkdir()
    shutil.copy(SPECS / "Lease.tla", root / "open")

    async def roots(*_: object) -> ListRootsResult:
        return ListRootsResult.model_validate({"roots": [{"uri": (root / "open").as_uri()}]})

    async def work(client: Client) -> None:
        assert (await called(client, "inspect", module="open/Lease.tla"))["exit_code"] == 0
        assert "is not below" in await refused(client, "inspect", module="Counter.tla")

    session(root, work, list_roots_callback=roots)


def inside(root: Path) -> Client:
    """A client of a server within this process."""
    return Client(build_server(CallRunner(roots=[root], output=root / "runs")))


def test_the_schemas_are_those_of_the_snapshot(root: Path) -> None:
    async def listed() -> list[dict[str, Any]]:
        async with inside(root) as client:
            tools = (await client.list_tools()).tools
            return [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in tools]

    found = json.dumps(anyio.run(listed), indent=1, ensure_ascii=False) + "\n"
    # TLA2PY_SNAPSHOT=1 writes it anew.
    if os.environ.get("TLA2PY_SNAPSHOT"):
        SCHEMAS.write_text(found)
    assert found == SCHEMAS.read_text()


def test_tlc_does_not_run_where_a_wall_is_missing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = Walls(by="kernel", missing=("processes",))
    monkeypatch.setattr("tla2py.tlc.process.sandbox.walls", lambda: missing)

    async def asked() -> None:
        async with inside(root) as client:
            assert "--allow-no-walls" in await refused(client, "check", module="Counter.tla")
            assert (await called(client, "inspect", module="Counter.tla"))["exit_code"] == 0

    anyio.run(asked)


def test_the_config_of_a_client(root: Path, run_cli: RunCli) -> None:
    printed = run_cli("mcp", "--root", root, "--allow-no-walls", "--print-config").json
    server = printed["mcpServers"]["tla2py"]
    assert server["command"] == sys.executable
    assert server["args"][:5] == ["-m", "tla2py", "mcp", "--root", str(root)]
    assert server["args"][-1] == "--allow-no-walls"
    assert run_cli("mcp", "--root", root / "nowhere").error.code == "usage"
