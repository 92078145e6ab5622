"""``tla2py lint``: the command, its claims about TLC checked with TLC, and linting before runs."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command import tool
from tests.conftest import SPECS, RunCli
from tests.unit.lint.page import EXAMPLES, MODULE, Example
from tla2py.lint.subject import read_dialect
from tla2py.sweep.judge import Mismatch
from tla2py.sweep.load import load_sweep
from tla2py.sweep.rules import lint_paths
from tla2py.tlc.config.statements import KEYWORDS, read_tokens
from tla2py.tlc.tools.jar import bundled_jar, read_jar
from tla2py.tlc.tools.java import find_java

CONFIG = "SPECIFICATION Spec\nCONSTANTS N = 3 S = {a, b} Op <- Same\n"


def java(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    options = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", f"-Djava.io.tmpdir={folder}"]
    argv = [str(find_java().path), *options, "-cp", str(bundled_jar()), *args]
    return tool(*argv, cwd=folder)


def tlc(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "Box.tla").write_text(MODULE)
    (folder / "Box.cfg").write_text(text)
    return java(folder, "tlc2.TLC", "-tool", "-fp", "0", "-metadir", str(folder / "states"), "Box.tla")


# Examples that TLC accepts silently always run; those that it rejects run with the long tests.
LONG = [pytest.mark.long]
MARKS = ((each, LONG if each.exit_code else []) for each in EXAMPLES if each.exit_code is not None)
RUN = [pytest.param(each, id=each.code, marks=marks) for each, marks in MARKS]


@pytest.mark.parametrize("example", RUN)
def test_tlc_ends_as_the_page_says(tmp_path: Path, example: Example) -> None:
    done = tlc(tmp_path, example.wrong)
    assert done.returncode == example.exit_code, done.stdout


def test_what_tlc_passes_over_it_finds_when_it_is_right(tmp_path: Path) -> None:
    """TLC accepts the wrong config silently, and reports a violation for the right one."""
    codes = ("unreadable", "type-constraint", "commented-keyword", "state-property")
    right = {example.code: example.right for example in EXAMPLES}
    assert {code: tlc(tmp_path, right[code]).returncode for code in codes} == dict.fromkeys(codes, 12)


def test_tlc_takes_a_built_in_name_in_place_of_an_operator(run_cli: RunCli, tmp_path: Path) -> None:
    for line, distinct in (("", 4), ("CONSTANT Step <- FALSE", 1)):
        (tmp_path / "own.cfg").write_text(f"SPECIFICATION Spec\n{line}\n")
        asked = ("check", SPECS / "Stepping.tla", "--config", tmp_path / "own.cfg", "--no-deadlock", "--json")
        assert run_cli(*asked, code=0).json["distinct"] == distinct, line


TOKENS = r"""SPECIFICATION Spec_1 1a _x x__y 1_ A_b WF_x SF_ 12 007 \in \notin \foo \X (\X) "s" "a \" b" "\\" 1..3 1.5 -1
N=1 <-a <- b ->c |-> <=> =< => == === ==== ---- <<>> <<a>>_x [] [x]_y <>_z p!q M!N,{a,b}(c) @@ :> $ $$ % %% & && * **
\* a comment (* with
x (* one (* in *) another \* *) y / // /\ \/ + ++ - -- ^+ ^^ ~ ~> -+-> ' # ## | || .. ... ?? ! !! : :: ::= := a"""


# As many as show that it does; the others run with the long tests.
ENDS = ("", " ; b", ' "\\q" b', " (* b")
FURTHER = (" b", " ? b", " ` b", "\u00a0b", "\x0cb", " \u00e9 b", ' "b', ' "`" b')


@pytest.mark.parametrize("end", [*ENDS, *(pytest.param(each, marks=LONG) for each in FURTHER)])
def test_tokens_are_cut_as_tlc_cuts_them(tmp_path: Path, end: str) -> None:
    (tmp_path / "all.cfg").write_text(TOKENS + end)
    done = java(tmp_path, "-Dfile.encoding=UTF-8", "tlc2.tool.impl.ModelConfig", "all.cfg")
    tokens = read_tokens(TOKENS + end)
    stop = min((each.offset for each in tokens.stops), default=len(TOKENS + end))
    assert done.stderr.splitlines() == [each.text for each in tokens.tokens if each.offset < stop]
    assert bool(tokens.stops) == (end not in ("", " b"))


def test_the_keywords_of_the_bundled_tlc() -> None:
    dialect = read_dialect(read_jar(bundled_jar(), ""))
    assert dialect is not None
    assert dialect.jar.tlc == "TLC 2.15"
    lacking = {"ALIAS", "CHECK_DEADLOCK", "POSTCONDITION", "POSTCONDITIONS"}
    assert KEYWORDS - dialect.keywords == lacking | {word for word in KEYWORDS if word.startswith("_")}


@pytest.fixture
def box(tmp_path: Path) -> Path:
    (tmp_path / "Box.tla").write_text(MODULE)
    (tmp_path / "Box.cfg").write_text(CONFIG + "INVARIANT Enough\n")
    (tmp_path / "BoxBad.cfg").write_text(CONFIG + "INVARIANT Small,\n  Enough\nPROPERTY Bound\n")
    return tmp_path


def test_findings_are_told_with_their_places_and_for_programs(run_cli: RunCli, box: Path) -> None:
    done = run_cli("lint", "Box.cfg", "BoxBad.cfg", cwd=box, code=1)
    comma, bound = done.reported.findings
    assert done.stdout.splitlines() == [
        f"BoxBad.cfg:3:16: error[comma] {comma.message}",
        f"    {comma.hint}",
        f"BoxBad.cfg:5:10: warning[state-property] {bound.message}",
        f"    {bound.hint}",
    ]
    assert "INVARIANT Bound" in str(bound.hint)
    assert done.errors == ["1 error, 1 warning in 2 files"]
    found = run_cli("lint", "BoxBad.cfg", "--format", "json", cwd=box).json["findings"]
    places = [(each["code"], each["line"], each["column"]) for each in found]
    assert places == [("comma", 3, 16), ("state-property", 5, 10)]


def test_no_errors_are_no_reason_to_fail(run_cli: RunCli, box: Path) -> None:
    for args in (("Box.tla",), ("Box.cfg", "Box.tla"), ("Box.cfg",)):
        done = run_cli("lint", *args, cwd=box)
        assert (done.code, done.stdout, done.findings, len(done.errors)) == (0, "", [], 1)
    (box / "Box.cfg").write_text(CONFIG + "CHECK_DEADLOCK FALSE\nINVARIANT Enough\n")
    done = run_cli("lint", "Box.cfg", cwd=box, code=0)
    assert done.findings == [("check-deadlock", "Box.cfg:3:1")]
    assert "Box.cfg:3:1: note[check-deadlock] " in done.stdout


def test_a_mistake_is_told_at_an_option_and_in_a_module_with_its_line(run_cli: RunCli, box: Path) -> None:
    done = run_cli("check", "Box.tla", "-c", 'N="3"', cwd=box)
    assert done.findings == [("constant-kind", "-c N=...")]
    assert done.errors[0].startswith("-c N=...: warning[constant-kind] ")
    assert "Box.tla:12:15" in done.errors[1]
    assert done.code == 2
    (box / "Box.tla").write_text(MODULE.replace("Spec ==", "Spec =", 1))
    done = run_cli("check", "Box.tla", cwd=box)
    place = re.search(r"Box\.tla:(\d+):(\d+): ", done.stderr)
    assert place is not None
    shown, caret = done.stderr.splitlines()[1:3]
    assert shown.startswith(f"{place[1]:>5} | ")
    assert caret == "      | " + " " * (int(place[2]) - 1) + "^"


def test_a_pattern_of_configs_is_a_sweep(run_cli: RunCli, box: Path) -> None:
    (box / "BoxBad.cfg").write_text(CONFIG.replace("N = 3", "N = 5") + "INVARIANT Enough\nPROPERTY Bound\n")
    done = run_cli("sweep", "--configs", "Box*.cfg", "Box.tla", "--executor", "local", cwd=box, code=1)
    [result] = done.reported.results
    assert result.mismatches == (Mismatch(1, "verdict", "violated (Enough), expected holds"),)
    assert done.findings == [("state-property", "BoxBad.cfg:4:10")]
    unquoted = run_cli("sweep", "--configs", "Box.cfg", "BoxBad.cfg", "Box.tla", cwd=box, code=2)
    assert (unquoted.error.code, "--configs '" in unquoted.hint) == ("usage", True)


def test_a_folder_is_linted_as_a_whole(run_cli: RunCli, box: Path) -> None:
    inner = box / "models" / "deep"
    inner.mkdir(parents=True)
    (inner / "Box.tla").write_text(MODULE)
    (inner / "BoxSmall.cfg").write_text(CONFIG + "PROPERTY Bound\n")
    text = 'module = "Box.tla"\nconfig = "BoxSmall.cfg"\n[model]\ninvariants = ["Step"]\n'
    (inner / "s.toml").write_text(text)
    (box / "Box.cfg").unlink()
    (box / "setup.cfg").write_text("[metadata]\nname = x\n")
    (box / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (box / ".hidden").mkdir()
    (box / ".hidden" / "s.toml").write_text('module = "Missing.tla"\n')
    done = run_cli("lint", ".", cwd=box, code=1)
    assert done.findings[2:] == [
        ("state-property", "models/deep/BoxSmall.cfg:3:10"),
        ("invariant-level", "models/deep/s.toml:4:16"),
    ]
    lines = done.stdout.splitlines()
    assert [line.split(": ")[0] for line in lines if line.startswith("models")] == ["models/deep/s.toml:4:16"]
    assert [line[:4] for line in lines if line.endswith("models/deep/BoxSmall.cfg:3:10")] == ["    "]
    (box / "empty").mkdir()
    nothing = run_cli("lint", "empty", cwd=box, code=2).error
    assert (nothing.code, "empty" in nothing.message) == ("usage", True)


def test_where_the_module_of_a_config_may_be(run_cli: RunCli, box: Path) -> None:
    for folder in ("specs/models", "lib"):
        (box / folder).mkdir(parents=True)
    for path, name in (("specs", "Crate"), ("lib", "Far")):
        (box / path / f"{name}.tla").write_text(MODULE.replace("MODULE Box", f"MODULE {name}"))
    for name in ("CrateSmall", "Far"):
        (box / "specs/models" / f"{name}.cfg").write_text(CONFIG + "PROPERTY Bound\n")
    (box / "specs/models/setup.cfg").write_text("INVARIANT Elsewhere\n")
    found = run_cli("lint", "specs", "-L", "lib", "--format", "json", cwd=box).json
    told = [(each["code"], each["file"]) for each in found["findings"]]
    assert told == [("state-property", f"specs/models/{name}.cfg") for name in ("CrateSmall", "Far")]
    assert (found["files"], found["not_linted"]) == (2, ["specs/models/setup.cfg"])
    done = run_cli("lint", "specs/models", "-L", "lib", cwd=box)
    assert done.errors[-1] == "2 warnings in 2 files; 1 config without a module not linted"
    setup = "specs/models/setup.cfg"
    named = f"to name the module: tla2py lint {setup} specs/models/MODULE.tla"
    assert done.errors[0] == f"no single module matches {setup}; {named}"
    (box / "lib/setup.cfg").write_text("INVARIANT Elsewhere\n")
    refused = run_cli("lint", "lib", cwd=box, code=2)
    assert refused.error.message == "no single module matches lib/setup.cfg, and there is no sweep file"
    (box / "other.cfg").write_text("INVARIANT A, B\n")
    done = run_cli("lint", "other.cfg", cwd=box, code=1)
    assert done.stdout.startswith("other.cfg:1:12: error[comma]")
    assert done.errors[0].startswith("other.cfg: ")


def _pairs_of_sweep(folder: Path) -> dict[str, str]:
    """Return the module of each config that a sweep of a folder would run."""
    sweep = load_sweep(folder)
    return {point.parameters["config"]: point.parameters["module"] for point in sweep.points}


def _pairs_of_lint(folder: Path) -> dict[str, str]:
    """Return the module of each config that lint pairs with one."""
    report = lint_paths([folder], (), None)
    return {
        str(linted.file.relative_to(folder)): str(linted.module.relative_to(folder))
        for linted in report.files
        if linted.module is not None
    }


def test_lint_pairs_a_config_by_its_names_as_a_sweep_does(tmp_path: Path) -> None:
    (tmp_path / "Crate.tla").write_text(MODULE.replace("MODULE Box", "MODULE Crate"))
    (tmp_path / "deep/deeper/setup").mkdir(parents=True)
    (tmp_path / "deep/deeper/setup/nightly.cfg").write_text(CONFIG)
    # The prefix of the config's name names a module that lacks its names.
    (tmp_path / "Box.tla").write_text("---- MODULE Box ----\nVARIABLE x\n====\n")
    (tmp_path / "BoxLarge.cfg").write_text(CONFIG)
    expected = {"deep/deeper/setup/nightly.cfg": "Crate.tla", "BoxLarge.cfg": "Crate.tla"}
    assert _pairs_of_sweep(tmp_path) == expected
    assert _pairs_of_lint(tmp_path) == expected


def test_lint_reads_the_folders_libraries_and_embedded_configs(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "cases").mkdir()
    (tmp_path / "lib/Crate.tla").write_text(MODULE.replace("MODULE Box", "MODULE Crate"))
    (tmp_path / "cases/Crate.cfg").write_text(CONFIG)
    embedded = MODULE.replace("MODULE Box", "MODULE Inside")
    (tmp_path / "cases/Inside.tla").write_text(f"{embedded}\n---- CONFIG Inside ----\n{CONFIG}====\n")
    (tmp_path / "models.toml").write_text('libraries = ["lib"]\n')
    expected = {"cases/Crate.cfg": "lib/Crate.tla", "cases/Inside.tla": "cases/Inside.tla"}
    assert _pairs_of_sweep(tmp_path) == expected
    assert _pairs_of_lint(tmp_path) == expected


@pytest.mark.parametrize("before", ["", CONFIG, CONFIG + "CONSTANT\n"])
def test_a_misspelt_keyword_gets_the_right_one(run_cli: RunCli, box: Path, before: str) -> None:
    (box / "Box.cfg").write_text(f"{before}INVARIANTZ Bound\n")
    done = run_cli("lint", "Box.cfg", cwd=box, code=1)
    assert "did you mean INVARIANT?" in done.stdout
    # A mistake in the syntax comes with its line.
    assert done.stdout.count("| INVARIANTZ Bound\n") == 1


def test_configs_that_are_not_named_after_their_module(run_cli: RunCli, box: Path) -> None:
    (box / "models").mkdir()
    (box / "models" / "Crate.tla").write_text(MODULE.replace("MODULE Box", "MODULE Crate"))
    for name in ("Test1", "Test2"):
        (box / "models" / f"{name}.cfg").write_text(CONFIG + "PROPERTY Bound\n")
    only = run_cli("lint", "models", cwd=box, code=1)
    assert only.stdout.startswith("models/Test1.cfg:3:10: warning[state-property]")
    (box / "models" / "Other.tla").write_text(MODULE.replace("MODULE Box", "MODULE Other"))
    refused = run_cli("lint", "models", cwd=box, code=2)
    assert refused.error.code == "usage"
    listed = "tla2py lint models/*.cfg models/MODULE.tla, one of Crate.tla, Other.tla"
    assert refused.hint.endswith(listed)
    alone = run_cli("lint", "models/Test1.cfg", cwd=box)
    assert (alone.code, alone.stdout) == (0, "")
    # What it says does it.
    named = run_cli("lint", "models/Test1.cfg", "models/Test2.cfg", "models/Crate.tla", cwd=box, code=1)
    assert named.stdout.startswith("models/Test1.cfg:3:10: warning[state-property]")


def test_what_no_check_reaches_is_counted(run_cli: RunCli, tmp_path: Path) -> None:
    shutil.copy(SPECS / "lint/Beyond.tla", tmp_path)
    config = "SPECIFICATION Spec\nCONSTANTS N = {a}\n S = {s1, s2}\nSYMMETRY Sym\n"
    sweep = 'module = "Beyond.tla"\n[constants]\nN = "{a}"\nS = "{s1, s2}"\n[model]\nsymmetry = "Sym"\n'
    for name, text, more in (
        ("Beyond.cfg", config, "INVARIANT Inv Unused\n"),
        ("sweep.toml", sweep, 'invariants = ["x # Unused"]\n'),
    ):
        file = tmp_path / name
        file.write_text(text)
        done = run_cli("lint", file, code=0)
        assert (done.stdout, done.errors[-1]) == (
            "",
            "nothing found in 1 file; 2 more in what no check reaches",
        )
        file.write_text(text + more)
        found = run_cli("lint", file, "--format", "json", code=1).json
        assert {each["code"] for each in found["findings"]} >= {"constant-kind"}
        assert found["unreached"] == 1
        file.unlink()


def test_what_cannot_be_read_is_told_once_and_counted(run_cli: RunCli, box: Path) -> None:
    (box / "Bax.tla").write_text("---- MODULE Bax ----\nEXTENDS Missing\n====\n")
    for name in ("Bax", "BaxLarge"):
        (box / f"{name}.cfg").write_text("INIT Init\n")
    done = run_cli("lint", "Box.cfg", "Bax.cfg", "BaxLarge.cfg", cwd=box, code=2)
    assert done.refusal == ("module-missing", "Bax.tla:2:9")
    assert [line[:2] for line in done.errors if line.endswith(": Bax.cfg, BaxLarge.cfg")] == ["  "]
    assert [number in done.errors[-1] for number in ("3 files", "2 of which")] == [True, True]
    # What the text alone tells is told even if no file was read whole.
    (box / "Bax.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT\n")
    done = run_cli("lint", "Bax.cfg", cwd=box, code=2)
    assert done.findings == [("empty-section", "Bax.cfg:3:1")]
    assert "Bax.cfg:3:1: warning[empty-section]" in done.stdout
    assert done.errors[-1].startswith("1 warning in 1 file, 1 of which")


def test_a_module_that_many_miss_is_told_once_with_its_folder(run_cli: RunCli, tmp_path: Path) -> None:
    for name in ("models/a/A", "models/b/B", "shared/Common"):
        file = tmp_path / f"{name}.tla"
        file.parent.mkdir(parents=True)
        extends = "" if file.stem == "Common" else "EXTENDS Common\n"
        file.write_text(f"---- MODULE {file.stem} ----\n{extends}====\n")
        if extends:
            file.with_suffix(".cfg").write_text("INIT Init\n")
    done = run_cli("lint", ".", cwd=tmp_path, code=2)
    assert done.errors == [
        "error: models/a/A.tla:2:9: module Common not found",
        "  looked in models/a; shared has one: add -L shared",
        "  the same at models/b/B.tla:2:9",
        "  so only partly read: models/a/A.cfg, models/b/B.cfg",
    ]


def test_findings_that_differ_in_their_places_alone_are_told_once(run_cli: RunCli, box: Path) -> None:
    for name in ("Box", "BoxA", "BoxB"):
        (box / f"{name}.cfg").write_text(f"{CONFIG}INVARIANT Small\nCHECK_DEADLOCK FALSE\n")
    (box / "BoxC.cfg").write_text(f"{CONFIG}INVARIANT Smal\n")
    files = ("Box.cfg", "BoxA.cfg", "BoxB.cfg", "BoxC.cfg")
    done = run_cli("lint", *files, cwd=box)
    [first] = [line for line in done.stdout.splitlines() if "note[check-deadlock]" in line]
    line = first.split(":")[1]
    assert first.startswith("Box.cfg:")
    assert f" BoxA.cfg:{line}:1, BoxB.cfg:{line}:1\n" in done.stdout
    assert done.errors[-1] == "1 error, 3 notes in 4 files"
    told = run_cli("lint", *files, "--format", "json", cwd=box).json["findings"]
    assert [each["file"] for each in told] == [*files]


def test_a_module_beside_its_sweep_file_needs_no_config(run_cli: RunCli, box: Path) -> None:
    (box / "Box.cfg").rename(box / "one.cfg")
    (box / "s.toml").write_text('module = "Box.tla"\nconfig = "one.cfg"\n')
    done = run_cli("lint", "Box.tla", "s.toml", cwd=box)
    assert (done.code, done.findings, done.reported.errors) == (0, [], [])
    (box / "Bax.tla").write_text("---- MODULE Bax ----\n====\n")
    assert run_cli("lint", "Bax.tla", "s.toml", cwd=box).code == 2


EACH = ("sweep", "--configs", "Box*.cfg", "Box.tla", "--executor", "local", "-o", "st")


def test_a_config_that_cannot_be_read_is_one_broken_point(run_cli: RunCli, box: Path) -> None:
    (box / "BoxBad.cfg").write_text(CONFIG + "INVARIANT (\n\\* EXPECT SafetyFailure Small\n")
    (box / "BoxBinary.cfg").write_bytes(b"\xff\xfe\x00INVARIANT")
    (box / "Box.cfg").write_text(CONFIG + "INVARIANT Small\nCHECK_DEADLOCK FALSE\n")
    [result] = run_cli(*EACH, cwd=box, code=2).reported.results
    found = [(row.point, row.verdict.value) for row in result.runs]
    assert found == [(1, "violated"), (2, "broken"), (3, "broken")]
    assert str(result.runs[1].message).startswith("BoxBad.cfg:3:11: not a config")
    assert "BoxBinary.cfg" in str(result.runs[2].message)
    assert run_cli(*EACH, cwd=box, code=2).reported.results[0].executed == 0
    (box / "s.toml").write_text('module = "Box.tla"\nconfig = "Box*.cfg"\n')
    assert run_cli("cfg", "--check", "s.toml", cwd=box).error.code == "config-syntax"
    linted = run_cli("lint", "s.toml", cwd=box, code=1)
    assert linted.findings[:2] == [("syntax", "BoxBad.cfg:3:11"), ("unreadable", "BoxBinary.cfg:1:1")]
    gate = run_cli("gate", "s.toml", "--executor", "local", "-o", "gated", cwd=box, code=2)
    assert "BoxBad.cfg:3:11" in gate.stdout + gate.stderr
    (box / "Box.cfg").unlink()
    assert run_cli(*EACH, cwd=box).error.code == "config-syntax"


def test_a_config_without_a_value_of_a_constant_is_one_broken_point(run_cli: RunCli, box: Path) -> None:
    (box / "Box.cfg").write_text(CONFIG + "INVARIANT Small\nCHECK_DEADLOCK FALSE\n")
    (box / "BoxBad.cfg").write_text((box / "Box.cfg").read_text().replace("N = 3", ""))
    [result] = run_cli(*EACH, cwd=box, code=2).reported.results
    assert [(row.point, row.verdict.value) for row in result.runs] == [(1, "violated"), (2, "broken")]
    assert "BoxBad.cfg: constant N has no value" in str(result.runs[1].message)
    (box / "s.toml").write_text('module = "Box.tla"\nconfig = "Box*.cfg"\n')
    assert run_cli("cfg", "--check", "s.toml", cwd=box).error.code == "unassigned"
    assert run_cli("lint", "s.toml", cwd=box).error.code == "unassigned"
    (box / "Box.cfg").unlink()
    assert run_cli(*EACH, cwd=box).error.code == "unassigned"


@pytest.mark.parametrize(
    ("post", "said"), [("FALSE", "can never be satisfied"), ("N > 1", "what TLC finds"), (None, "")]
)
def test_a_constant_postcondition_is_found_before_tlc_stops(
    post: str | None, said: str, run_cli: RunCli, box: Path, newer_tlc: Path
) -> None:
    given = post or 'TLCGet("distinct") > 1'
    text = MODULE.replace("\n====", f"\nDone == {given}\n====").replace("EXTENDS ", "EXTENDS TLC, ")
    (box / "Box.tla").write_text(text)
    (box / "Box.cfg").write_text(CONFIG + "CHECK_DEADLOCK FALSE\nPOSTCONDITION Done\n")
    jar = ("--tla2tools", newer_tlc)
    linted = run_cli("lint", "Box.cfg", "Box.tla", *jar, cwd=box)
    found = [each for each in linted.reported.findings if each.code == "constant-check"]
    assert [str(each.place) for each in found] == (["Box.cfg:4:15"] if post else [])
    assert all(said in each.message for each in found)
    done = run_cli("check", "Box.tla", *jar, cwd=box, code=2 if post else 0)
    assert ("cannot be a constant" in done.stdout) == bool(post)
