"""What a sweep declares that its runs may read: variables, properties and files."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

import tla2py
from tests.command import tool
from tests.conftest import RunCli, spec
from tests.integration.spy import found_by, write_spy
from tests.stores import record_ids, swept
from tla2py.analysis.view import StoreView, open_view
from tla2py.execution.execute import RunExecution
from tla2py.store.store import Store
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep
from tla2py.tla.value import Record
from tla2py.tlc.process.command import input_path
from tla2py.tlc.tools.toolchain import find_toolchain

TRIES = {"level": ("env", "LEVEL"), "log": ("read", "logs/a.txt")}
SWEEP = (
    'module = "Use.tla"\n[model]\ninvariants = ["Told"]\n[environment]\nLEVEL = 7\n[inputs]\nfiles = ["logs/*.txt"]\n'
    '[tlc]\noverrides = ["spy"]\n[expect]\nverdict = "violated"\n'
)
LOCAL = ("--executor", "local")
CHECK = ("check", "Use.tla", "--overrides", "spy", "--invariant", "Told", "--json")


def found(view: StoreView, point: int) -> tuple[object, object]:
    """What the run of a point has read: the variable LEVEL and the file logs/a.txt."""
    value = view.trace(point).states[0].values["found"]
    assert isinstance(value, Record)
    return value["level"], value["log"]


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    """A sweep whose runs read a variable and a file."""
    write_spy(tmp_path, TRIES)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/a.txt").write_text("one")
    (tmp_path / "sweep.toml").write_text(SWEEP)
    return tmp_path / "sweep.toml"


def test_a_changed_file_or_variable_makes_another_run(run_cli: RunCli, sweep: Path) -> None:
    store = sweep.parent / "runs/sweep"

    def swept() -> tuple[int, tuple[object, object]]:
        assert run_cli("sweep", sweep, *LOCAL).code == 0
        return len(record_ids(store)), found(open_view(store), 1)

    assert swept() == (1, ("7", "one"))
    assert swept() == (1, ("7", "one"))
    (sweep.parent / "logs/a.txt").write_text("two")
    assert swept() == (2, ("7", "two"))
    sweep.write_text(SWEEP.replace("LEVEL = 7", 'LEVEL = "x y"'))
    assert swept() == (3, ("x y", "two"))
    with (view := open_view(store)).store.archive(next(iter(view.points)).run_id) as archive:
        inputs = archive.record.inputs
    assert inputs.environment == (("LEVEL", "x y"),)
    assert [file.path for file in inputs.files] == ["logs/a.txt"]
    assert (store / "inputs" / inputs.files[0].sha256).read_text() == "two"
    # The file of an earlier run is back, and with it the run.
    (sweep.parent / "logs/a.txt").write_text("one")
    sweep.write_text(SWEEP)
    assert swept() == (3, ("7", "one"))


def test_a_changed_variable_is_drift(run_cli: RunCli, sweep: Path) -> None:
    """The lock covers a variable as it does a constant, whether or not the result differs."""
    text = SWEEP + 'violates = ["Told"]\n'
    sweep.write_text(text)
    assert run_cli("gate", sweep, *LOCAL, "--record").code == 0
    sweep.write_text(text.replace("LEVEL = 7", "LEVEL = 8"))
    gated = run_cli("gate", sweep, *LOCAL)
    assert (gated.code, [each.reason.value for each in gated.problems]) == (1, ["drift"]), gated.stdout
    assert "values or options have changed" in gated.stdout


def test_a_trusted_run_is_never_reused(run_cli: RunCli, sweep: Path) -> None:
    """With trust a run reads what no id covers: the answer of before may be that of another file."""
    log, store = sweep.parent / "logs/a.txt", sweep.parent / "runs/sweep"
    sweep.write_text(SWEEP.replace('[inputs]\nfiles = ["logs/*.txt"]\n', ""))
    shutil.rmtree(sweep.parent / "spy")
    write_spy(sweep.parent, {"level": ("env", "LEVEL"), "log": ("read", str(log))})
    for text in ("one", "two"):
        log.write_text(text)
        ended = run_cli("sweep", sweep, *LOCAL, "--trust")
        assert found(open_view(store), 1) == ("7", text)
        assert "[inputs]" in ended.stderr
        assert "the jar has changed" not in ended.stderr
        assert "1 to execute" in run_cli("sweep", sweep, *LOCAL, "--trust", "--dry-run").stdout
    assert "[inputs]" in run_cli("gate", sweep, *LOCAL, "--trust").stdout
    assert "[inputs]" not in run_cli("sweep", sweep, *LOCAL).stderr


@pytest.mark.parametrize("executor", ["local", pytest.param("spark", marks=pytest.mark.spark)])
def test_every_point_has_variables_and_files_of_its_own(sweep: Path, executor: str) -> None:
    (sweep.parent / "logs/b.txt").write_text("of b")
    text = SWEEP.replace("[environment]\nLEVEL = 7", '[parameters]\nenvironment.LEVEL = ["a", "b"]')
    sweep.write_text(text.replace("logs/*.txt", "logs/{environment.LEVEL}.txt"))
    view = tla2py.run_sweep(sweep, sweep.parent / executor, executor=executor)
    assert [found(view, point) for point in (1, 2)] == [("a", "one"), ("b", "refused")]
    assert view.arrow("runs")["environment.LEVEL"].to_pylist() == ["a", "b"]
    names = set()
    for point in view.points:
        with view.store.archive(point.run_id) as archive:
            names |= {(point.point, file.path) for file in archive.record.inputs.files}
    assert names == {(1, "logs/a.txt"), (2, "logs/b.txt")}


def test_a_file_that_changes_during_a_sweep_is_read_as_it_was(sweep: Path) -> None:
    """Every run gets the content that its id names, not what the file holds by then."""
    loaded = tla2py.load_sweep(sweep)
    (sweep.parent / "logs/a.txt").write_text("two")
    model = loaded.model(loaded.points[0])
    [run] = tla2py.load_sweep(sweep).inputs_of(loaded.points[0], model).files
    [before] = loaded.inputs_of(loaded.points[0], model).files
    assert before != run
    assert input_path(before.sha256).read_text() == "one"


def files_of(folder: Path, level: str, *inputs: Path) -> list[str]:
    """The paths of the inputs of Python's check of the module, with a value of LEVEL and files."""
    given, spy = {"LEVEL": level}, [folder / "spy"]
    module = folder / "Use.tla"
    checked = tla2py.check(module, invariants=["Told"], overrides=spy, environment=given, inputs=inputs)
    return [file.path for file in checked.record.inputs.files]


def test_a_check_and_the_plain_command_get_the_same(run_cli: RunCli, sweep: Path) -> None:
    ended = run_cli(*CHECK, "--env", "LEVEL=x y", "--input", "logs/a.txt")
    assert found_by(ended) == {"level": "x y", "log": "one"}
    assert found_by(run_cli(*CHECK)) == {"level": "null", "log": "refused"}
    # A file outside of the current folder has its bare name.
    assert files_of(sweep.parent, "9", sweep.parent / "logs/a.txt") == ["a.txt"]
    point = run_cli("check", sweep, "--point", "1", "--json")
    assert found_by(point) == {"level": "7", "log": "one"}
    assert point.json["run_id"] == point.json["traces"][0]["run_id"]


def test_a_file_that_a_variable_names_is_an_input(run_cli: RunCli, sweep: Path, tmp_path: Path) -> None:
    ended = run_cli(*CHECK, "--env", "LEVEL=logs/a.txt")
    assert found_by(ended) == {"level": "logs/a.txt", "log": "one"}
    told = "LEVEL: the run gets a copy of logs/a.txt as logs/a.txt; --env-text gives the text alone"
    assert told in ended.stderr
    # By an absolute path it is seen under its bare name, which the variable then has.
    ended = run_cli(*CHECK, "--env", f"LEVEL={tmp_path}/logs/a.txt")
    assert found_by(ended) == {"level": "a.txt", "log": "refused"}
    assert ended.json["verdict"] == "violated"
    for text in ("logs", "logs/", "logs/b.txt", "a.txt", "x" * 5000 + ".txt"):
        ended = run_cli(*CHECK, "--env", f"LEVEL={text}")
        assert (found_by(ended), "a copy of" in ended.stderr) == ({"level": text, "log": "refused"}, False)
    ended = run_cli(*CHECK, "--env-text", "LEVEL=logs/a.txt")
    assert found_by(ended) == {"level": "logs/a.txt", "log": "refused"}
    # An input of this path wins, and two files never share one.
    (tmp_path / "other").mkdir()
    (tmp_path / "other/a.txt").write_text("other")
    given = (tmp_path / "other/a.txt", tmp_path / "logs/a.txt")
    assert "a copy of" not in run_cli(*CHECK, "--env", "LEVEL=a.txt", "--input", given[0]).stderr
    assert run_cli(*CHECK, "--input", given[0], "--input", given[1]).error.code == "input-path"
    # Only the command line looks for files.
    assert files_of(tmp_path, str(tmp_path / "logs/a.txt")) == []


def test_the_command_line_in_reports_has_variables_and_properties(run_cli: RunCli, sweep: Path) -> None:
    given = 'LEVEL = "it\'s"\n[java_properties]\ntlc2.mine = "a b"'
    sweep.write_text(SWEEP.replace("LEVEL = 7", given).replace('"violated"', '"holds"'))
    ended = run_cli("gate", sweep, *LOCAL, "--show-command", env={"COLUMNS": "1000"})
    line = next(line for line in ended.stdout.splitlines() if "tlc2.TLC" in line)
    assert "'-Dtlc2.mine=a b'" in line
    assert run_cli("cfg", sweep, "-o", "points").code == 0
    plain = tool("/bin/sh", "-c", line[line.index("LEVEL=") :], cwd=sweep.parent / "points/0001")
    assert '[level |-> "it\'s", log |-> "one"]' in plain.stdout, plain


def test_written_files_are_kept_or_named(run_cli: RunCli, sweep: Path) -> None:
    shutil.rmtree(sweep.parent / "spy")
    tries = {"notes": ("write", "notes.txt"), "other": ("write", "other.txt"), "log": ("write", "logs/a.txt")}
    write_spy(sweep.parent, tries)
    ended = run_cli("sweep", sweep, *LOCAL)
    assert "sweep, point 1: the run wrote logs/a.txt, notes.txt, other.txt, dropped" in ended.stderr
    sweep.write_text(SWEEP + '[outputs]\nfiles = ["n*.txt", "logs/*"]\n')
    for _ in range(2):
        # Nor is it forgotten once the run is cached.
        ended = run_cli("sweep", sweep, *LOCAL)
        assert "point 1: the run wrote other.txt, dropped" in ended.stderr
    assert "the run wrote other.txt, dropped" in run_cli("gate", sweep, *LOCAL).stdout
    store = sweep.parent / "runs/sweep"
    [point] = open_view(store).points
    kept = store / "outputs" / point.run_id
    texts = {file.relative_to(kept).as_posix(): file.read_text() for file in kept.rglob("*.txt")}
    assert texts == {"notes.txt": "notes.txt", "logs/a.txt": "logs/a.txt"}
    with Store(store).archive(point.run_id) as archive:
        assert [file.path for file in archive.record.outputs] == ["logs/a.txt", "notes.txt"]
    shutil.rmtree(kept)
    assert "1 run" in run_cli("sweep", sweep, *LOCAL).stderr
    assert (kept / "notes.txt").read_text() == "notes.txt"
    # The run changed its own copy only.
    assert (sweep.parent / "logs/a.txt").read_text() == "one"
    assert "dropped" in run_cli("check", sweep, "--point", "1").stdout


LEFT = """
echo kept >notes.txt
setsid sh -c 'while [ ! -e {0}/over ]; do sleep 0.02; done; rm -f notes.txt; mkdir {0}/removed' >/dev/null 2>&1 </dev/null &
"""


def test_what_a_process_removes_that_the_run_left_behind_is_kept(sweep: Path, tmp_path: Path) -> None:
    """Nothing stops a process of a run that is trusted."""
    shutil.rmtree(sweep.parent / "spy")
    (tmp_path / "leave.sh").write_text(LEFT.format(tmp_path))
    write_spy(sweep.parent, {"left": ("run", f"sh {tmp_path}/leave.sh")})
    sweep.write_text(SWEEP + '[outputs]\nfiles = ["*.txt"]\n')
    loaded = load_sweep(sweep)
    loaded = loaded.select(limits=replace(loaded.selection.limits, trust=True))
    toolchain = replace(find_toolchain(None), overrides=loaded.specification.classes)
    plan = plan_sweep(loaded, toolchain.jar.sha256)
    store = Store.create(tmp_path / "store")
    with RunExecution(plan.runs[0], plan.sources, toolchain).executed() as executed:
        (tmp_path / "over").touch()
        until = time.monotonic() + 30
        while not (tmp_path / "removed").exists():
            assert time.monotonic() < until
            time.sleep(0.02)
        store.write_record(executed)
    assert [file.path for file in executed.record.outputs] == ["notes.txt"]
    assert (tmp_path / "store/outputs" / executed.record.run_id / "notes.txt").read_text() == "kept\n"


def test_what_a_run_misses_is_told_with_its_key(run_cli: RunCli, tmp_path: Path, newer_tlc: Path) -> None:
    """The real modules Json and IOUtils: what the sandbox hid, and the same run with what it needs."""
    community = newer_tlc.with_name("CommunityModules.jar")
    (tmp_path / "Missing.tla").write_text(spec("inputs/Missing"))
    (tmp_path / "log.ndjson").write_text('{"n": 1}\n')
    jars = ("--tla2tools", newer_tlc, "--overrides", community)
    asked = ("check", "Missing.tla", *jars, "--invariant", "Known")
    ended = run_cli(*asked, "-c", 'File="log.ndjson"')
    assert (ended.code, "[inputs]" in ended.stdout, "has no log.ndjson" in ended.stdout) == (2, True, True)
    absolute = run_cli(*asked, "-c", f'File="{tmp_path}/log.ndjson"')
    assert "log.ndjson; read it by a relative path" in absolute.stdout
    assert run_cli(*asked, "-c", 'File="log.ndjson"', "--input", "log.ndjson").code == 0
    (tmp_path / "sweep.toml").write_text(
        'module = "Missing.tla"\n[model]\ninvariants = ["Known"]\n[substitutions]\nFile = "Log"\n'
        f'[tlc]\noverrides = ["{community}"]\n'
    )
    swept = ("sweep", "sweep.toml", *LOCAL, "--tla2tools", newer_tlc)
    told = "sweep, point 1: the sandbox hides your environment, so the run has no variable LOG"
    assert told in run_cli(*swept).stderr
    with (tmp_path / "sweep.toml").open("a") as file:
        file.write('[environment]\nLOG = "log.ndjson"\n[inputs]\nfiles = ["*.ndjson"]\n')
    assert "the sandbox hides" not in run_cli(*swept, code=0).stderr


def test_runs_in_one_jvm_have_own_properties(tmp_path: Path, newer_tlc: Path) -> None:
    module = (
        '---- MODULE Own ----\nEXTENDS TLC\nVARIABLE x\nInit == x = TLCGet("-Dtlc2.mine")\nNext == UNCHANGED x\n'
        "Spec == Init /\\ [][Next]_x\nNever == x # x\n====\n"
    )
    values = [f"v {number}" for number in range(8)]
    properties = f"java_properties.tlc2.mine = {json.dumps(values)}\n"
    sweep = f'module = "Own.tla"\n[model]\ninvariants = ["Never"]\n[parameters]\n{properties}'
    view = swept(tmp_path, newer_tlc, Own=module, sweep=sweep)
    shared = 0
    for point, value in zip(view.points, values, strict=True):
        assert view.trace(point.point).states[0].values["x"] == value
        with view.store.archive(point.run_id) as archive:
            argv = archive.record.executions[0].argv
        assert f"-Dtlc2.mine={value}" in argv
        shared += any("tla2py-host-" in part for part in argv)
    assert shared >= 4


def test_a_trace_is_verified_with_its_inputs(run_cli: RunCli, tmp_path: Path, newer_tlc: Path) -> None:
    module = (
        "---- MODULE Log ----\nEXTENDS Naturals, Sequences, Json\nVARIABLE i\n"
        'Trace == ndJsonDeserialize("log.ndjson")\nInit == i = 1\nNext == i < Len(Trace) /\\ i\' = i + 1\n'
        "Spec == Init /\\ [][Next]_i\nSmall == Trace[i].n < 3\n====\n"
    )
    (tmp_path / "log.ndjson").write_text('{"n": 1}\n{"n": 3}\n')
    sweep = 'module = "Log.tla"\n[model]\ninvariants = ["Small"]\n[inputs]\nfiles = ["log.ndjson"]\n'
    swept(tmp_path, newer_tlc, Log=module, sweep=sweep)
    (tmp_path / "log.ndjson").unlink()
    # A process of its own has no copies of its own.
    ended = run_cli("trace", "runs/sweep", "--verify", "--tla2tools", newer_tlc, process=True)
    assert (ended.code, "confirmed" in ended.stdout) == (0, True), ended
