"""Modules as engineers have them: over several folders, LOCAL, in PlusCal, in Unicode, with Java classes."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.conftest import JARS, SPECS, RunCli, spec
from tests.integration.spy import java_class
from tla2py.analysis.view import open_view
from tla2py.gate.reasons import Reason
from tla2py.model.run import digest_text
from tla2py.tla.module import Remark
from tla2py.tla.parse import read_module
from tla2py.tlc.tools.jar import bundled_jar
from tla2py.tlc.tools.pluscal import Translator
from tla2py.tlc.tools.toolchain import find_toolchain

TWICE, TWICE_CLASS = spec("classes/Twice"), java_class("Twice")
USE = spec("modules/Use")


def write(folder: Path, **modules: str) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in modules.items():
        (folder / f"{name}.tla").write_text(text, encoding="utf-8")


def test_chains_over_folders_with_instances_and_a_module_inside(run_cli: RunCli, tmp_path: Path) -> None:
    shutil.copytree(SPECS / "modules/chain", tmp_path, dirs_exist_ok=True)
    options = ("--invariant", "Low", "--no-deadlock")
    ended = run_cli("check", "models/Whole.tla", "-L", "middle", "-L", "base", *options, code=1)
    assert "Low is violated, 3 states" in ended.stdout
    ended = run_cli("check", "models/Whole.tla", "-L", "middle", *options)
    assert (ended.code, ended.refusal) == (2, ("module-missing", "middle/Middle.tla:2:9"))
    assert "Base" in ended.error.message
    ended = run_cli("sweep", "models/sweep.toml", "--executor", "local", "-o", "store")
    assert "violated: Low in 3" in ended.stdout, ended


def test_what_is_local_is_seen_through_a_wrapper(run_cli: RunCli, tmp_path: Path) -> None:
    hidden = spec("modules/hidden/Hidden")
    shutil.copytree(SPECS / "modules/hidden", tmp_path, dirs_exist_ok=True)
    ended = run_cli("sweep", "sweep.toml", "--executor", "local")
    assert "violated: Small in 4" in ended.stdout, ended
    view = open_view(tmp_path / "runs/sweep")
    with view.store.archive(next(iter(view.points)).run_id) as archive:
        record = archive.record
    # The record says which text TLC had and which is the user's.
    assert record.originals == (("Hidden.tla", digest_text(hidden)),)
    given = view.store.source(dict(record.modules)["Hidden.tla"])
    assert view.store.source(record.originals[0][1]) == hidden
    assert [len(line) for line in given.split("\n")] == [len(line) for line in hidden.split("\n")]
    assert "LOCAL Next" in given
    assert "LOCAL Spec" not in given
    assert run_cli("trace", "runs/sweep", "1", "--verify").code == 0


COUNTDOWN = spec("modules/Countdown")
CHECK = ("-c", "N=2", "--invariant", "Above")


@pytest.fixture
def countdown(tmp_path: Path) -> Path:
    write(tmp_path, Countdown=COUNTDOWN)
    return tmp_path / "Countdown.tla"


def translated(module: Path) -> str:
    """The text of a module with the translation of its algorithm."""
    return Translator(find_toolchain, lambda _: None)(read_module(module)).text


def test_pluscal_that_is_not_translated(run_cli: RunCli, countdown: Path) -> None:
    ended = run_cli("check", countdown, *CHECK, code=1)
    [remark] = ended.reported.remarks
    assert (remark.where, remark.doubtful) == (f"{countdown}:4:4", False)
    assert str(remark) in ended.stderr
    # Steps are at the labels of the algorithm, in the file as it is.
    places = [line.split()[1:3] for line in ended.stdout.splitlines() if line[2:3].isdigit()]
    assert places[1:] == [["loop", f"{countdown}:7"], ["step", f"{countdown}:8"]]
    assert countdown.read_text() == COUNTDOWN
    assert [each.name for each in countdown.parent.iterdir()] == ["Countdown.tla"]
    ended = run_cli("check", countdown, *CHECK, "--no-translate")
    assert (ended.code, ended.error.code) == (2, "no-specification")
    assert "Countdown" in ended.error.message


def test_pluscal_that_changed_since_it_was_translated(run_cli: RunCli, countdown: Path) -> None:
    text = translated(countdown)
    countdown.write_text(text)
    sweep = countdown.with_name("sweep.toml")
    sweep.write_text('module = "Countdown.tla"\n[model]\ninvariants = ["Above"]\n[constants]\nN = 2\n')
    ended = run_cli("sweep", sweep, "--executor", "local")
    assert ended.reported.remarks == []
    assert "violated: Above in 3" in ended.stdout
    countdown.write_text(text.replace("left := left - 1", "left := left - 2"))
    ended = run_cli("sweep", sweep, "--executor", "local", "--fresh")
    assert [(each.where, each.doubtful) for each in ended.reported.remarks] == [(f"{countdown}:4:4", False)]
    states = open_view(countdown.parent / "runs/sweep").trace(1).states
    assert [state.values["left"] for state in states] == [2, 2, 0]
    # Who wants the old translation says so.
    sweep.write_text(sweep.read_text() + "[tlc]\ntranslate = false\n")
    assert run_cli("sweep", sweep, "--executor", "local", "--fresh").reported.remarks == []
    states = open_view(countdown.parent / "runs/sweep").trace(1).states
    assert [state.values["left"] for state in states] == [2, 2, 1]
    sweep.unlink()
    countdown.with_suffix(".cfg").write_text("SPECIFICATION Spec\nINVARIANT Above\nCONSTANT N = 2\n")
    countdown.with_name("models.toml").write_text("[tlc]\ntranslate = false\n")
    assert run_cli("sweep", countdown.parent, "--executor", "local").reported.remarks == []


def test_pluscal_with_the_checksum_of_another_translator(countdown: Path) -> None:
    told: list[Remark] = []
    translate = Translator(find_toolchain, told.append)
    ours = text = translated(countdown)
    # As translators since 2.16 mark theirs.
    mark = 'BEGIN TRANSLATION (chksum(pcal) = "1d547bc3" /\\ chksum(tla) = "8de86c82")'
    text = re.sub("BEGIN TRANSLATION.*", lambda _: mark, text)
    countdown.write_text(text)
    assert translate(read_module(countdown)).original is None
    assert told == []
    countdown.write_text(text.replace("left := left - 1", "left := left - 2"))
    assert translate(read_module(countdown)).original is None
    assert (told[0].where, told[0].doubtful) == (f"{countdown}:4:4", True)
    assert "(step)" in told[0].text
    assert "the checksum of another translator" in told[0].text
    # Releases that write checksums of one kind may count differently: what is the same is not called changed.
    countdown.write_text(re.sub("PCal-[0-9a-f]+", "PCal-0", ours))
    told.clear()
    assert translate(read_module(countdown)).original is None
    assert told == []


def test_pluscal_whose_translation_has_no_checksum(run_cli: RunCli, countdown: Path) -> None:
    told: list[Remark] = []
    translate = Translator(find_toolchain, told.append)
    text = re.sub("BEGIN TRANSLATION.*", "BEGIN TRANSLATION", translated(countdown))
    assert "/\\ left' = left\n" in text
    # As older translators lay it out.
    for same in (text, text.replace("/\\ left' = left\n", "/\\ UNCHANGED  left \\* none\n")):
        countdown.write_text(same)
        assert translate(read_module(countdown)).original is None
        assert told == []
    # What cannot be compared is checked as before.
    for old, new, step in ((":= left - 1", ":= left - 2", True), ("end while;", "end whle;", False)):
        countdown.write_text(text.replace(old, new))
        ended = run_cli("check", countdown, *CHECK)
        assert "violated" in ended.stdout
        [remark] = ended.reported.remarks
        assert (remark.where, remark.doubtful, "(step)" in remark.text) == (f"{countdown}:4:4", True, step)
    # An empty translation is none.
    countdown.write_text(re.sub(r"(?s)(BEGIN TRANSLATION\n).*\n(?=.*END TRANSLATION)", r"\1", text))
    assert translate(read_module(countdown)).original is not None
    assert [each.doubtful for each in told] == [False]


EITHER = "---- MODULE Ei ----\nEXTENDS Naturals\n(*--algorithm ei\nbegin\n{}    either\n      skip;\n    else\nend algorithm; *)\n====\n"
# Its first else is right, and the other one is the third.
TWO_MORE = "    if TRUE then skip; \\* or else\n    else skip; end if;\n"


@pytest.mark.parametrize(("before", "place"), [("", "7:5"), (TWO_MORE, "9:5")])
def test_an_internal_error_of_the_translator_has_a_place_and_no_stack(
    run_cli: RunCli, tmp_path: Path, before: str, place: str
) -> None:
    write(tmp_path, Ei=EITHER.format(before))
    for jar in JARS.values():
        error = run_cli("inspect", "Ei.tla", env={"TLA2TOOLS_JAR": str(jar)}).error
        assert (error.code, error.where) == ("pluscal-syntax", f"Ei.tla:{place}"), jar
        assert error.message.startswith('PlusCal cannot be translated: Expected "end" but found "else"'), jar
        assert "pcal" not in error.message.removeprefix("PlusCal"), jar
        assert "bug" not in error.message, jar


OUTER = "(*\n--algorithm outer { variable x = 0; { x := 1; } }\n*)\n"
PLAIN = "---- MODULE M ----\nEXTENDS Naturals\n====\n"


def test_an_algorithm_outside_of_its_module_is_named(run_cli: RunCli, tmp_path: Path) -> None:
    write(tmp_path, M=f"{OUTER}\n{PLAIN}")
    above = "M.tla:2:1: the PlusCal algorithm is outside the module, above its header in line 5. "
    assert above in run_cli("inspect", "M.tla", code=0).stderr
    # Below its end too; a module that needs no translation has none of it.
    write(tmp_path, M=f"{PLAIN}{OUTER}")
    below = "M.tla:5:1: the PlusCal algorithm is outside the module, below its end in line 3. "
    assert below in run_cli("inspect", "M.tla", code=0).stderr
    defined = PLAIN.replace("====", "Init == TRUE\n====")
    write(tmp_path, M=f"{OUTER}{defined}")
    assert run_cli("inspect", "M.tla", code=0).stderr == ""


def test_a_gate_reports_a_translation_that_differs(run_cli: RunCli, countdown: Path) -> None:
    text = translated(countdown)
    edited = text.replace("left := left - 1", "left := left - 2")
    unmarked = re.sub("BEGIN TRANSLATION.*", "BEGIN TRANSLATION", edited)
    sweep, summary, sarif = (countdown.with_name(name) for name in ("sweep.toml", "gate.md", "gate.sarif"))
    model = '[model]\ninvariants = ["Above"]\n[constants]\nN = 2\n[expect]\nverdict = "violated"\nviolates = ["Above"]\n'
    sweep.write_text(f'module = "Countdown.tla"\n{model}')
    asked = ("gate", sweep, "--executor", "local", "--summary", summary, "--sarif", sarif)
    # Checked is what the algorithm says, which the file's translation does not.
    countdown.write_text(edited)
    ended = run_cli(*asked, code=0)
    [remark] = ended.reported.remarks
    assert not remark.doubtful
    assert f"note: Countdown.tla:4:4: {remark.text}" in ended.stdout
    assert remark.text in summary.read_text()
    # Checked is the file's translation, and the algorithm says something else, or nothing.
    for other in (unmarked, unmarked.replace("end while;", "end whle;")):
        countdown.write_text(other)
        ended = run_cli(*asked, code=2)
        assert ended.reasons == {(Reason.TRANSLATION, None)}
        [remark] = ended.reported.remarks
        assert remark.doubtful
        assert "translation: Countdown.tla:4:4: " in ended.stdout
        assert "Countdown.tla:4:4" in summary.read_text().replace("\\", "")
        [result] = json.loads(sarif.read_text())["runs"][0]["results"]
        assert result["ruleId"] == "gate/translation"
        place = result["locations"][0]["physicalLocation"]
        assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("Countdown.tla", 4)
    sweep.write_text(sweep.read_text() + "[tlc]\ntranslate = false\n")
    ended = run_cli(*asked, code=0)
    assert "algorithm" not in summary.read_text()


UNICODE = spec("modules/Signs")


def test_unicode_is_refused_by_a_tlc_that_does_not_read_it(run_cli: RunCli, tmp_path: Path) -> None:
    write(tmp_path, Signs=UNICODE)
    (tmp_path / "sweep.toml").write_text('module = "Signs.tla"\n')
    for command in (("check", "Signs.tla"), ("sweep", "sweep.toml", "--executor", "local")):
        ended = run_cli(*command)
        assert (ended.code, ended.refusal) == (2, ("unicode", "Signs.tla:8:6"))
        assert "≜" in ended.error.message
        assert "ASCII" in ended.hint
    assert not (tmp_path / "runs").exists()
    # Nothing reads what follows a module.
    write(tmp_path, Signs=UNICODE.replace("≜ x'", "== x'").replace("∈ {x}", "\\in {x}") + "∀ ≜\n")
    assert run_cli("check", "Signs.tla").code == 0
    assert run_cli("inspect", "Signs.tla").code == 0


def test_classes_are_loaded_on_request_only_also_by_a_sweep(run_cli: RunCli, tmp_path: Path) -> None:
    write(tmp_path, Use=USE)
    write(tmp_path / "classes", Twice=TWICE)
    (tmp_path / "classes/Twice.class").write_bytes(TWICE_CLASS)
    with zipfile.ZipFile(tmp_path / "twice.jar", "w") as jar:
        for name in ("Twice.class", "Twice.tla"):
            jar.write(tmp_path / "classes" / name, name)
    asked = ("check", "Use.tla", "--invariant", "Four", "--json")
    found = run_cli(*asked, "--overrides", "twice.jar").json
    assert found["verdict"] == "violated"
    assert run_cli(*asked, "--overrides", "classes").json["verdict"] == "violated"
    # Beside the module, in a library, beside the tools under the name that their manifest has: nothing is loaded.
    tools = tmp_path / "tools"
    tools.mkdir()
    shutil.copy(bundled_jar(), tools / "tla2tools.jar")
    shutil.copy(tmp_path / "twice.jar", tools / "CommunityModules.jar")
    (tmp_path / "Twice.class").write_bytes(TWICE_CLASS)
    plain = run_cli(*asked, "-L", "classes", "--tla2tools", tools / "tla2tools.jar").json
    assert plain["verdict"] == "holds"
    assert plain["run_id"] != found["run_id"]
    write(tmp_path, Use=USE, Twice=TWICE)
    text = 'module = "Use.tla"\n[model]\ninvariants = ["Four"]\n[tlc]\noverrides = ["twice.jar"]\n'
    (tmp_path / "sweep.toml").write_text(text)
    with zipfile.ZipFile(tmp_path / "twice.jar", "w") as jar:
        jar.writestr("Twice.class", TWICE_CLASS)
    assert "violated: Four in 1" in run_cli("sweep", "sweep.toml", "--executor", "local").stdout
    view = open_view(tmp_path / "runs/sweep")
    with view.store.archive(next(iter(view.points)).run_id) as archive:
        ((name, sha256),) = archive.record.options.overrides
    assert (name, len(sha256)) == ("twice.jar", 64)


def test_a_module_with_proofs_is_checked_without_the_proof_system(run_cli: RunCli, tmp_path: Path) -> None:
    write(tmp_path, Proved=spec("modules/Proved"))
    ended = run_cli("check", "Proved.tla", "--invariant", "Low", "--no-deadlock")
    assert ended.stdout.startswith("holds: Low; 4 states generated, 4 distinct")
    assert ended.code == 0
    assert "found" not in run_cli("inspect", "Proved.tla").stderr
    assert "libraries" not in run_cli("init", "Proved.tla").stdout


def test_several_sweeps_also_say_why_a_point_is_broken(run_cli: RunCli, tmp_path: Path) -> None:
    for name, value in (("A", '"a"'), ("B", "2")):
        body = f"VARIABLE x\nInit == x = 1\nNext == x' = 1 /\\ x # {value}"
        write(tmp_path, **{name: f"---- MODULE {name} ----\n{body}\n====\n"})
        (tmp_path / f"{name}.toml").write_text(
            f'module = "{name}.tla"\n[model]\ninit = "Init"\nnext = "Next"\n'
        )
    told = run_cli("sweep", "A.toml", "B.toml", "--executor", "local", code=2).stderr
    assert "A.tla:4:" in told
    assert "Attempted to check equality of integer 1 with non-integer" in " ".join(told.split())
