"""A sweep limited for this time, and to what is trusted."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import COUNTER, SPECS
from tests.jars import remade_jar
from tests.raising import raises
from tla2py.errors import InputError
from tla2py.execution.listener import SILENT
from tla2py.execution.sweeps import SweepOptions
from tla2py.gate.run import GateOptions, gate
from tla2py.spark import ExecutorName
from tla2py.spark.choice import choose_executor
from tla2py.sweep.load import load_sweep
from tla2py.sweep.options import chosen_places
from tla2py.sweep.plan import plan_sweep
from tla2py.tlc.tools.jar import bundled_jar

FILE = (SPECS / "sweep/grid.toml").read_text()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    shutil.copy(SPECS / "sweep/Grid.tla", tmp_path)
    return Path(shutil.copy(SPECS / "sweep/grid.toml", tmp_path / "sweep.toml"))


def points(file: Path, *settings: str) -> list[dict[str, str]]:
    return [dict(point.parameters) for point in load_sweep(file, settings=settings).points]


def test_a_value_and_a_list_of_values(file: Path) -> None:
    assert points(file) == [{"A": "1", "B": "1"}, {"A": "3", "B": "3"}, {"A": "9", "B": "9"}]
    # A constant becomes a parameter, at included points too.
    assert [each["C"] for each in points(file, "C=[0, 1]")] == ["0", "1"] * 3
    # One value does not advance with others, and what is included has other values.
    assert points(file, "A=5") == [{"A": "5", "B": text} for text in "123"]
    assert points(file, "A=[5, 6, 2]") == [{"A": "5", "B": "1"}, {"A": "6", "B": "2"}]
    assert points(file, "A = 5", "B=4", "A=6") == [{"A": "6", "B": "4"}]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("{b1, b2}", ["{b1, b2}"]),
        ("[a |-> 1]", ["[a |-> 1]"]),
        ("[{1, 2} -> {3}]", ["[{1, 2} -> {3}]"]),
        ("<<1, 2>>", ["<<1, 2>>"]),
        ("TRUE", ["TRUE"]),
        ("1 = 1", ["1 = 1"]),
        ("[true, false]", ["TRUE", "FALSE"]),
        ('["{b1}", "<<>>", 3]', ["{b1}", "<<>>", "3"]),
    ],
)
def test_a_value_is_tla_unless_it_is_a_list_of_toml(text: str, values: list[str], file: Path) -> None:
    assert [each["C"] for each in points(file, f"C={text}", "A=1", "B=1")] == values


@pytest.mark.parametrize(
    ("section", "setting"),
    [
        ('C = 7|C = "{c1, c2}"', "C={c1, c2}"),
        ("C = 7|C = 7", "C=7"),
        ("C = 7|C = -3", "C=-3"),
        ('Limit = "x < 6"|Limit = "x < A"', "Limit=x < A"),
        ('LOG = "one"|LOG = "two"', "environment.LOG=two"),
        ('[constants]|[model]\nspecification = "Other"\n[constants]', "specification=Other"),
        ("[constants]|[model]\ncheck_deadlock = false\n[constants]", "check_deadlock=FALSE"),
    ],
)
def test_the_runs_are_those_of_a_file_with_the_value(section: str, setting: str, file: Path) -> None:
    before, after = section.split("|")
    given = plan_sweep(load_sweep(file, settings=[setting]), "0" * 64).runs.ids
    same = plan_sweep(load_sweep(file), "0" * 64).runs.ids == given
    assert same == (before == after)
    assert before in FILE
    file.write_text(FILE.replace(before, after))
    assert list(plan_sweep(load_sweep(file), "0" * 64).runs.ids) == list(given)


@pytest.mark.parametrize(
    ("setting", "code", "where"),
    [
        ("C", "constant-syntax", None),
        ("=1", "constant-syntax", None),
        ("C=[1.5]", "wrong-type", None),
        ("C=[[1]]", "wrong-type", None),
        ("C=[]", "empty-parameter", "--set C=..."),
        ("C=[1, 1]", "duplicate-point", "--set C=..."),
        ("D=1", "unknown-parameter", "--set D=..."),
        ("A=[1, 2]", "grid-key", "sweep.toml:12:1"),
        ("specification=Spek", "unknown-definition", "--set specification=..."),
    ],
)
def test_a_setting_that_cannot_be(setting: str, code: str, where: str | None, file: Path) -> None:
    raised = raises(InputError, lambda: plan_sweep(load_sweep(file, settings=[setting]), "0" * 64))
    found = raised.where
    assert (raised.code, found and found.removeprefix(f"{file.parent}/")) == (code, where)


def test_a_list_of_points() -> None:
    assert chosen_places("3,5-7, 1", 9) == (2, 4, 5, 6, 0)
    for text in ("5-3", "", "x", "1,,2", "-1"):
        raises(InputError, chosen_places, text, 9, match="not a list of points")
    for text in ("0", "10", "8-10"):
        raises(InputError, chosen_places, text, 9, match="the sweep has no point")


HEAD = 'module = "Counter.tla"\n[constants]\nMax = 1\n'
OUT = "../../outside"
Prepare = Callable[[Path], None]
SECRET = "the text of a file elsewhere"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository beside files that are not part of it."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    (outside / "lib").mkdir(parents=True)
    for name in ("secret", "secret.csv", "Other.cfg", "Other.tla", "lib/Lib.tla", "log.ndjson"):
        (outside / name).write_text(SECRET)
    (inside / ".git").mkdir(parents=True)
    (inside / "specs").mkdir()
    (inside / "specs/Counter.tla").write_text(COUNTER)
    (inside / "lib").mkdir()
    return inside


def links(target: str, link: str) -> Prepare:
    """Make a link, relative to the sweep file, to a path relative to the repository's folder."""
    return lambda specs: (specs / link).symlink_to(specs / target)


def extends_a_link(specs: Path) -> None:
    """Let the module extend one that is a link out of the repository."""
    links(f"{OUT}/lib/Lib.tla", "Lib.tla")(specs)
    module = specs / "Counter.tla"
    module.write_text(module.read_text().replace("EXTENDS Naturals", "EXTENDS Naturals, Lib"))


@pytest.mark.parametrize(
    ("text", "place", "prepare"),
    [
        (f'template = "{OUT}/secret"\n' + HEAD, "1:13", None),
        ('template = "/etc/passwd"\n' + HEAD, "1:13", None),
        ('template = "t.j2"\n' + HEAD, "1:13", links(f"{OUT}/secret", "t.j2")),
        (f'config = "{OUT}/Other.cfg"\n' + HEAD, "1:11", None),
        (f'config = ["{OUT}/*.cfg"]\n' + HEAD, "1:12", None),
        ('config = ["*.cfg"]\n' + HEAD, "1:12", links(f"{OUT}/Other.cfg", "Other.cfg")),
        (f'module = "{OUT}/Other.tla"\n', "1:11", None),
        ('module = "Other.tla"\n', "1:11", links(f"{OUT}/Other.tla", "Other.tla")),
        (HEAD, "1:11", extends_a_link),
        (f'libraries = ["{OUT}/lib"]\n' + HEAD, "1:15", None),
        ('libraries = ["lib"]\n' + HEAD, "1:15", links(f"{OUT}/lib", "lib")),
        (HEAD + '[inputs]\nfiles = ["data/*.csv"]\n', "5:11", links(OUT, "data")),
        (HEAD + '[inputs]\nfiles = ["{Max}.csv"]\n', "5:11", links(f"{OUT}/secret.csv", "1.csv")),
        (HEAD + f'[logs]\nfiles = ["{OUT}/*.ndjson"]\n', "5:11", None),
        (HEAD + '[logs]\nfiles = ["a.ndjson"]\n', "5:11", links(f"{OUT}/log.ndjson", "a.ndjson")),
    ],
)
def test_a_path_that_leads_out(repository: Path, text: str, place: str, prepare: Prepare | None) -> None:
    file = repository / "specs/sweep.toml"
    file.write_text(text)
    if prepare is not None:
        prepare(file.parent)
    refused = raises(InputError, lambda: SweepOptions(trust=False).load([file]))
    assert (refused.code, refused.where) == ("outside-repository", f"{file}:{place}")
    assert SECRET not in str(refused)


def test_the_files_of_others_in_place_of_ours(repository: Path) -> None:
    file, secret = repository / "specs/sweep.toml", repository.parent / "outside/secret"
    strangers = SweepOptions(trust=False)
    file.symlink_to(secret)
    assert raises(InputError, strangers.load, [file]).code == "outside-repository"
    file.unlink()
    file.write_text(HEAD)
    file.with_suffix(".lock").symlink_to(secret)
    factory = choose_executor(ExecutorName.LOCAL, None, SILENT, only_runs=True)
    refused = raises(InputError, gate, [str(file)], factory, GateOptions(sweeps=strangers))
    assert refused.code == "outside-repository"
    # The file of a folder.
    file.unlink()
    (repository / "specs/models.toml").symlink_to(secret)
    assert raises(InputError, strangers.load, [repository / "specs"]).code == "outside-repository"


def test_a_path_within_the_repository(repository: Path) -> None:
    (repository / "lib/data").mkdir()
    (repository / "lib/data/a.csv").write_text("1")
    (repository / "lib/Lib.tla").write_text("---- MODULE Lib ----\n====\n")
    file = repository / "specs/sweep.toml"
    (file.parent / "data").symlink_to(repository / "lib/data")
    file.write_text('libraries = ["../lib"]\n' + HEAD + '[inputs]\nfiles = ["data/a.csv"]\n')
    for trust in (False, None):
        (sweep,) = SweepOptions(trust=trust).load([file])
        assert [each.path for files in sweep.specification.input_files.values() for each in files] == [
            "data/a.csv"
        ]
    # Without a repository it is the folder of the sweep file.
    (repository / ".git").rmdir()
    assert raises(InputError, lambda: SweepOptions(trust=False).load([file])).where == f"{file}:6:11"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (HEAD + '[tlc]\noverrides = ["classes"]\n', "5:15"),
        (HEAD + '[tlc]\njava_options = ["-javaagent:a.jar"]\n', "5:18"),
        (HEAD + '[tlc]\njava_options = ["-Xbootclasspath/a:a.jar"]\n', "5:18"),
        (HEAD + '[tlc]\njava_options = ["-XX:OnOutOfMemoryError=echo forged"]\n', "5:18"),
        (HEAD + '[tlc]\njava_options = ["-Djava.system.class.loader=Mine"]\n', "5:18"),
        (HEAD + '[environment]\nLD_PRELOAD = "./a.so"\n', "5:1"),
        (HEAD + '[java_properties]\n"java.library.path" = "."\n', "5:1"),
        (HEAD + '[parameters]\n"environment.LD_PRELOAD" = ["./a.so"]\n', "5:1"),
    ],
)
def test_what_could_replace_the_answers(repository: Path, text: str, place: str) -> None:
    file = repository / "specs/sweep.toml"
    file.write_text(text)
    (file.parent / "classes").mkdir()
    (file.parent / "classes/A.class").write_bytes(b"\xca\xfe\xba\xbe")
    refused = raises(InputError, lambda: SweepOptions(trust=False).load([file]))
    assert (refused.code, refused.where) == ("needs-trust", f"{file}:{place}")
    SweepOptions(trust=True).load([file])
    # Options that only tune.
    options = ["-Xss8m", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=1g", "-Dtlc2.tool.fp.FPSet.impl=a"]
    file.write_text(HEAD + f"[tlc]\njava_options = {json.dumps(options)}\n[environment]\nLOG = 'a'\n")
    SweepOptions(trust=False).load([file])


def test_a_jar_of_the_project(repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TLA2TOOLS_JAR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(repository)
    file = repository / "specs/sweep.toml"
    file.write_text(HEAD)
    project = repository / "tla2py.toml"
    project.write_text('tla2tools = "tools.jar"\n')
    remade_jar(bundled_jar(), repository / "tools.jar", version="Version 2.99")
    refused = raises(InputError, lambda: SweepOptions(trust=False).load([file]))
    assert (refused.code, refused.where) == ("needs-trust", str(project))
    SweepOptions(trust=True).load([file])
    # A copy of a known one is not a program of strangers.
    shutil.copy(bundled_jar(), repository / "tools.jar")
    SweepOptions(trust=False).load([file])
