"""What is shipped for CI hosts and for pre-commit: the action, GitLab's template and the hook, run as they stand."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests import command
from tests.command import CommandResult, tool
from tests.integration.gate.action import ACTION, ROOT, STEPS, Completed, Job, environment
from tests.integration.gate.lift import LIFT, SWEEP
from tests.jars import remade_jar
from tests.stores import record_ids, table_rows
from tla2py.tlc.tools.jar import bundled_jar


def records(folder: Path) -> dict[Path, dict[str, str]]:
    return {path.parent: record_ids(path.parent) for path in folder.rglob("store.json")}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with a sweep that is as expected and one that is not."""
    (tmp_path / "Lift.tla").write_text(LIFT)
    (tmp_path / "good.toml").write_text(SWEEP)
    (tmp_path / "bad.toml").write_text(SWEEP.replace('violates = ["Low"]', 'violates = ["Inside"]'))
    return tmp_path


@pytest.fixture
def job(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    return Job(checkout, tmp_path_factory.mktemp("runner"))


def test_the_action_gates_and_names_what_its_steps_write(checkout: Path, job: Job) -> None:
    first = job.use(sweeps="good.toml")
    assert job.outputs["gate"]["exit-code"] == "0"
    assert "::error" not in first.stdout
    assert sorted(path.name for path in job.reports.iterdir()) == ["good.html", "junit.xml", "tla2py.sarif"]
    # A store is saved under the name of its records: new ones make a new name although no source has changed.
    ran = job.outputs["gate"]["records"]
    job.use(sweeps="good.toml", options="--timeout 2m")
    assert job.outputs["gate"]["records"] == ran
    job.use(sweeps="good.toml", options="--coverage")
    assert job.outputs["gate"]["records"] != ran
    # The caller's Python and Java stay as they are, and so does the checkout.
    assert not (job.temporary / "env").exists()
    assert not (job.temporary / "path").exists()
    assert sorted(path.name for path in checkout.iterdir()) == ["Lift.tla", "bad.toml", "good.toml"]
    job.outputs["tools"] = {"cache-hit": "", "cache-primary-key": "key"}
    job.outputs |= {"store": {"cache-matched-key": ""}, "sarif": {}}
    for step in STEPS:
        for text in (*step.get("with", {}).values(), *step.get("env", {}).values()):
            assert "${{" not in job.value(str(text), {"sweeps": "good.toml"})
    for output in ACTION["outputs"].values():
        assert job.value(output["value"], {})
    # The steps that the tests of this file run are those that have a shell.
    assert job.step("say that code scanning refused them").stdout.startswith("::notice title=tla2py::")
    run = [step["name"] for step in STEPS if "run" in step]
    assert run == ["prepare", "install", "gate", "say that code scanning refused them"]


@pytest.mark.long
def test_the_action_takes_patterns_and_fails_as_the_gate_does(checkout: Path, job: Job) -> None:
    (checkout / "specs" / "a b").mkdir(parents=True)
    for name in ("Lift.tla", "good.toml"):
        (checkout / name).rename(checkout / "specs" / "a b" / name)
    (checkout / "Lift.tla").write_text(LIFT)
    assert "::error file=Lift.tla,line=16," in job.use(1, sweeps="specs/**/g*.toml\nbad.toml\n").stdout
    assert job.outputs["gate"]["exit-code"] == "1"
    assert "### :x: bad" in (job.temporary / "summary").read_text()
    results = json.loads((job.reports / "tla2py.sarif").read_text())["runs"][0]["results"]
    assert "invariant/Low" in {result["ruleId"] for result in results}
    assert 'tests="4" failures="1" errors="0"' in (job.reports / "junit.xml").read_text()
    assert {path.name for path in job.reports.glob("*.html")} == {"good.html", "bad.html"}
    # A store of a sweep that is no longer gated has no page.
    gone = next(job.temporary.rglob("several")) / "gone"
    gone.mkdir()
    (gone / "store.json").touch()
    assert "no page" not in job.use(1, sweeps="specs/**/g*.toml\nbad.toml\n").stdout
    assert {path.name for path in job.reports.glob("*.html")} == {"good.html", "bad.html"}
    job.use(2, sweeps="specs/*/gone/*.toml")
    assert "specs/*/gone/*.toml" in (job.reports / "junit.xml").read_text()


@pytest.mark.long
def test_the_action_hands_its_inputs_on(checkout: Path, job: Job) -> None:
    (checkout / "Lift.tla").write_text(LIFT.replace("Low ==", "Fixed == 1 = 1\nLow =="))
    (checkout / "good.toml").write_text(SWEEP.replace('"Inside", "Low"', '"Inside", "Low", "Fixed"'))
    jar = remade_jar(bundled_jar(), checkout / "tools.jar", version="Version 2.99")
    job.use(1, sweeps="good.toml", jar="tools.jar", strict="true", name="mine")
    report = (job.reports / "junit.xml").read_text()
    assert 'type="finding"' in report
    assert "Fixed" in report
    assert (job.reports.name, job.outputs["prepare"]["use"]) == ("mine", "mine")
    [store] = job.temporary.rglob("store.json")
    jars = {row["jar_sha256"] for row in table_rows(store.parent, "runs")}
    assert jars == {hashlib.sha256(jar.read_bytes()).hexdigest()}
    assert "sometimes" in job.use(2, sweeps="good.toml", sandbox="sometimes").stderr


def test_each_use_in_a_job_and_a_matrix_has_names_of_its_own(checkout: Path, job: Job) -> None:
    names = []
    for index, sweeps, jar in ((0, "good", ""), (0, "bad", ""), (0, "good", "1.7.4"), (1, "good", "")):
        job.index = index
        job.step("prepare", sweeps=f"{sweeps}.toml", jar=jar)
        names.append(job.outputs["prepare"]["use"])
    assert len({*names}) == 4
    assert all(re.fullmatch(r"tla2py-tlc-[01]-[0-9a-f]{12}", name) for name in names)


def test_the_action_finds_a_java_and_a_python_that_fit(tmp_path: Path, job: Job) -> None:
    def java(name: str, version: str) -> str:
        home = tmp_path / name
        (home / "bin").mkdir(parents=True)
        lines = f"    java.home = {home}\n    java.specification.version = {version}\n"
        (home / "bin" / "java").write_text(f"#!/bin/sh\nprintf '{lines}' >&2\n")
        (home / "bin" / "java").chmod(0o755)
        return str(home)

    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("bash", "awk", "sed", "cut", "cat", "rm", "mkdir", "sha256sum"):
        (tools / name).symlink_to(str(shutil.which(name)))
    python = tools / "python3"
    python.symlink_to(sys.executable)
    none = dict.fromkeys(name for name in os.environ if name.startswith(("JAVA_HOME", "TLA2PY_JAVA")))
    old, new = java("jdk-8", "1.8"), java("jdk-21", "21")
    for variables, chosen in (
        ({}, ""),
        ({"JAVA_HOME": old}, ""),
        ({"JAVA_HOME": old, "JAVA_HOME_21_X64": new}, new),
        ({"JAVA_HOME": new, "JAVA_HOME_17_X64": java("jdk-17", "17")}, new),
        ({"PATH": f"{new}/bin:{tools}"}, new),
    ):
        job.variables = {**none, "PATH": str(tools), **variables}
        job.step("prepare", sweeps="good.toml")
        assert job.outputs["prepare"]["java"] == chosen, variables
    python.unlink()
    refused = job.step("prepare", 2, sweeps="good.toml")
    assert refused.stdout.startswith("::error title=tla2py::no Python 3.11")


@pytest.mark.long
def test_the_action_installs_the_core(checkout: Path, job: Job) -> None:
    for name in ("prepare", "install", "gate"):
        job.step(name, sweeps="good.toml")
    python = Path(job.outputs["prepare"]["venv"]) / "bin" / "python"
    listed = tool(python, "-m", "pip", "list", "--format", "freeze", check=True)
    assert "tla2py==" in listed.stdout
    assert "pyspark" not in listed.stdout


def test_workflows_and_the_steps_of_the_action_pass_actionlint(tmp_path: Path) -> None:
    # actionlint reads workflows: here is one with the steps of the action.
    inputs = {name: {"type": "string", "default": ""} for name in ACTION["inputs"]}
    jobs = {"action": {"runs-on": "ubuntu-latest", "steps": STEPS}}
    workflow = {"on": {"workflow_call": {"inputs": inputs}}, "jobs": jobs}
    (tmp_path / "action.yml").write_text(yaml.safe_dump(workflow, sort_keys=False))
    files = [tmp_path / "action.yml", *sorted((ROOT / ".github" / "workflows").glob("*.yml"))]
    tool("actionlint", *files, cwd=ROOT, env=environment(), code=0)


@pytest.mark.long
def test_the_action_runs_no_jar_of_a_pull_request(checkout: Path, job: Job) -> None:
    remade_jar(bundled_jar(), checkout / "tools.jar", version="Version 2.99")
    (checkout / "tla2py.toml").write_text('tla2tools = "tools.jar"\n')
    job.event = "pull_request"
    assert "the jar tools.jar" in job.use(2, sweeps="good.toml").stderr
    # Who trusts it finds its name in every report.
    job.use(sweeps="good.toml", options="--trust --summary summary.md")
    for report in (job.reports / "junit.xml", job.reports / "tla2py.sarif", checkout / "summary.md"):
        assert "chooses the jar tools" in report.read_text(), report


@pytest.mark.long
def test_gitlabs_template_gates_and_reports(checkout: Path) -> None:
    template = yaml.safe_load((ROOT / "docs" / "ci" / "gitlab.yml").read_text())[".tla2py-gate"]
    script = "\n".join(template["script"])

    def run(**variables: str) -> Completed:
        env = environment(TLA2PY_OPTIONS="", CI_PROJECT_DIR=str(checkout), **variables)
        return tool("sh", "-e", "-c", script, cwd=checkout, env=env)

    good = run(TLA2PY_SWEEPS="good.toml")
    assert good.returncode == 0, good.stdout + good.stderr
    assert "<failure" not in (checkout / "tla2py-junit.xml").read_text()
    ran = records(checkout)
    assert run(TLA2PY_SWEEPS="bad.toml").returncode == 1
    # The point that is in both is found by its digest, and so is the other: only expectations differ.
    assert ran
    assert records(checkout) == ran
    assert "<failure" in (checkout / "tla2py-junit.xml").read_text()
    assert (checkout / "tla2py.md").read_text().startswith("### :x: bad")


HOOKS = (ROOT / ".pre-commit-hooks.yaml").read_text()
CONFIG = "SPECIFICATION Spec\nINVARIANT Low\nCONSTANTS Top = 2 Goal = 7\n"


def told(key: str) -> str:
    (found,) = re.findall(rf"^(?:- |  ){key}: (.*)$", HOOKS, re.MULTILINE)
    return str(found)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Files that are added to a repository: what the hook is for, and what it is to pass over."""
    (tmp_path / "specs").mkdir()
    for name, text in (
        ("specs/Lift.tla", LIFT),
        ("specs/LiftLow.cfg", CONFIG),
        ("specs/sweep.toml", SWEEP),
        ("specs/large-sweep.toml", SWEEP),
        ("setup.cfg", "[metadata]\nname = lift\n"),
        ("pyproject.toml", "[project]\n"),
    ):
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    return tmp_path


def commit(repository: Path, *, process: bool = False) -> tuple[list[str], CommandResult]:
    """The files that pre-commit would hand over, and how the entry ends, within this process unless asked otherwise."""
    staged = tool("git", "diff", "--cached", "--name-only", cwd=repository, check=True)
    wanted, unwanted = told("files"), told("exclude")
    names = [n for n in staged.stdout.split() if re.search(wanted, n) and not re.search(unwanted, n)]
    program, *arguments = [*shlex.split(told("entry")), *names]
    if not process:
        assert program == "tla2py"
        return names, command.run(*arguments, cwd=repository, env={"HOME": str(repository)})
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = tool(program, *arguments, cwd=repository, env={"PATH": path, "HOME": str(repository)})
    return names, CommandResult(done.returncode, done.stdout, done.stderr)


def test_the_hook_is_silent_when_all_is_well(repository: Path) -> None:
    names, done = commit(repository, process=True)
    assert names == ["specs/LiftLow.cfg", "specs/large-sweep.toml", "specs/sweep.toml"]
    assert done == CommandResult(0, "", "")
    assert told("language") == "python"


@pytest.mark.parametrize(
    ("file", "old", "new", "code", "where"),
    [
        ("LiftLow.cfg", "Goal = 7", "Goal = Roof", "model-value", "3:26"),
        ("LiftLow.cfg", "INVARIANT Low", "CHECK_DEADLOCK FALSE", "config-proves-nothing", None),
        ("LiftLow.cfg", "INVARIANT Low", "INVARIANT Low \\* EXPECT Sucess", "config-expect", "2:18"),
        ("LiftLow.cfg", "Top = 2", "Top = -2", "config-syntax", "3:17"),
        ("sweep.toml", "match = { Top = 2 }", "match = { Top = 3 }", "expect-no-point", "15:1"),
        ("sweep.toml", "[tlc]", "[tcl]", "unknown-key", "9:1"),
    ],
)
def test_the_hook_names_what_is_wrong(
    repository: Path, file: str, old: str, new: str, code: str, where: str | None
) -> None:
    path = repository / "specs" / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    _, done = commit(repository)
    assert (done.code, done.stdout) == (2, "")
    assert done.refusal == (code, f"specs/{file}" + (f":{where}" if where else ""))


def test_the_hook_names_every_file_that_is_wrong(repository: Path) -> None:
    (repository / "specs" / "LiftLow.cfg").write_text("INVARIANT Lov\n")
    (repository / "specs" / "sweep.toml").write_text("modul = 1\n")
    _, done = commit(repository)
    assert done.code == 2
    files = [str(error.where).split(":")[0] for error in done.reported.errors]
    assert files == ["specs/LiftLow.cfg", "specs/sweep.toml"]
