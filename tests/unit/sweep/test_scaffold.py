"""A first sweep file loads as it is, and has values of the right kind for every constant."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import RunCli
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.scaffold import scaffold_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.tla.parse import load_modules

SPECS = Path(__file__).parents[3] / "specs"
LIBRARY = SPECS / "lib"
MODULES = Path(__file__).parents[2] / "specs" / "first"


def scaffold(module: Path, folder: Path, *libraries: Path) -> tuple[Sweep, str]:
    path = folder / "first.toml"
    path.write_text(scaffold_sweep(load_modules(module, libraries, nearby=True), path, libraries))
    return load_sweep(path), path.read_text()


def test_every_kind_gets_a_value_that_the_assumptions_allow(tmp_path: Path) -> None:
    kinds = Path(shutil.copy(MODULES / "Kinds.tla", tmp_path))
    sweep, text = scaffold(kinds, tmp_path)
    assert dict(sweep.file.sections.constants) == {
        "Servers": "{s1, s2}",
        "Senders": "{se1, se2}",
        "Leader": "s1",
        "Faulty": "{s1}",
        "Quorums": "{Servers}",
        "Majorities": "{Servers}",
        "Shown": "{s1}",
        "Weights": "[y \\in Servers |-> 1]",
        "Sizes": "[y \\in Servers |-> [z \\in Senders |-> 2]]",
        "Heads": "[y \\in Servers |-> CHOOSE z \\in {q \\in {1, 3} : q > 1} : TRUE]",
        "Most": 2,
        "Least": 5,
        "Fast": False,
        "Word": '"a"',
        "Codes": "{1, 2}",
        "Pairs": "{<<s1, se1>>}",
        "Queue": "<<s1>>",
        "Config": "[port |-> 2, host |-> s1]",
        "Better": "LAMBDA y, z : TRUE",
    }
    assert "the model value of its own name: Nil." in " ".join(text.split())
    plan = plan_sweep(sweep, "0" * 64)
    config = plan.runs[0].config
    assert dict(config.assignments)["Nil"] == "Nil"
    # A model value replaces an unbounded CHOOSE.
    assert dict(sweep.file.sections.substitutions) == {"Absent": "AbsentValue"}
    assert dict(config.assignments)["AbsentValue"] == "AbsentValue"
    assert [name for name, _ in config.substitutions if name in {"Absent", "First"}] == ["Absent"]
    # Comments stand above, and guesses are marked.
    assert '# the servers\nServers = "{s1, s2}"' in text
    marked = re.findall(r"^(\w+) = .*# a guess", text, re.MULTILINE)
    assert {"Most", "Servers", "Senders", "Fast"} <= set(marked)
    # Candidates are comments that work when uncommented.
    assert (sweep.file.sections.model.specification, sweep.file.sections.model.invariants) == ("Spec", [])
    path = tmp_path / "second.toml"
    path.write_text(re.sub(r'^    # "', '    "', text, flags=re.MULTILINE))
    model = load_sweep(path).file.sections.model
    assert (model.invariants, model.properties) == (["TypeOK"], ["Done"])
    # Paths are relative to the sweep file.
    folder, library = tmp_path / "sweeps", tmp_path / "lib"
    folder.mkdir()
    library.mkdir()
    sweep, _ = scaffold(kinds, folder, library)
    assert (sweep.file.sections.module, sweep.file.sections.libraries) == ("../Kinds.tla", ["../lib"])


def test_comments_before_a_definition_choose_nothing_and_take_no_time(tmp_path: Path) -> None:
    kinds = Path(shutil.copy(MODULES / "Kinds.tla", tmp_path))
    text = kinds.read_text().replace("First ==", "First ==" + " (* a *)" * 40)
    kinds.write_text(text.replace("Done ==", "Done == \\* CHOOSE n : TRUE\n"))
    sweep, _ = scaffold(kinds, tmp_path)
    assert dict(sweep.file.sections.substitutions) == {"Absent": "AbsentValue"}


def test_values_are_as_assumed_or_what_is_not_is_told(tmp_path: Path) -> None:
    sweep, text = scaffold(MODULES / "Assumed.tla", tmp_path)
    assert dict(sweep.file.sections.constants) == {
        "N": 4,
        "T": 1,
        "F": 1,
        "Bridge": "{2, 3}",
        "Positions": "{1, 2, 3, 4}",
        "Ballot": "{0, 1}",
        "Items": "{i1, i2}",
        "Offers": "{Items}",
    }
    told = "# These values violate the module's assumption Assumed:12:"
    assert text.count("violate the module's assumption") == 1
    above = text[: text.index("\nOffers =")].splitlines()[-2:]
    assert " ".join(above) == f"{told} \\A o \\in Offers : Cardinality(o) = # Cardinality(Items) - 1"
    # Another assumption still says which values there are.
    assert sweep.file.sections.parameters == {"Mode": ['"async"', '"sync"']}
    # A comment shared by several constants appears once.
    assert "# replicas, and how many fail\nN = 4" in text
    assert text.count("how many fail") == 1


def test_a_sequence_is_as_long_and_as_distinct_as_assumed(tmp_path: Path) -> None:
    sweep, text = scaffold(MODULES / "Ring.tla", tmp_path)
    # A constant's value must not depend on the constant.
    assert dict(sweep.file.sections.constants) == {
        "N": 2,
        "Id": "<<1, 2>>",
        "Names": '<<"a">>',
        "Tower": "<<2, 2>>",
    }
    # Using numbers as names would only hide it.
    assert "assumption Ring:8: Len(Names) = 2\n" in text


def test_the_example_parameters_and_expectations_work_too(tiny_spec: Path, tmp_path: Path) -> None:
    _, text = scaffold(tiny_spec, tmp_path)
    text = re.sub(r"^Max = .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^# (Max = |\[|match|verdict|violates)", r"\1", text, flags=re.MULTILINE)
    path = tmp_path / "second.toml"
    path.write_text(text.replace('# "Small"', '"Small"'))
    sweep = load_sweep(path)
    assert [dict(point.parameters) for point in sweep.points] == [{"Max": "1"}, {"Max": "2"}, {"Max": "3"}]
    assert sweep.expect is not None
    assert [(row.match, row.violates) for row in sweep.expect.point] == [({"Max": 3}, ["Small"])]


def test_a_part_stands_for_numbers_that_tlc_would_have_to_go_through(tmp_path: Path) -> None:
    replaced = scaffold(MODULES / "Rounds.tla", tmp_path)[0].file.sections.substitutions
    assert replaced == {"Round": "0..2", "Shift": "-2..2", "[Above]Top": "0..2"}


def test_a_config_beside_the_module_is_offered(tiny_spec: Path, tmp_path: Path) -> None:
    assert "config" not in scaffold(tiny_spec, tmp_path)[1]
    tiny_spec.with_suffix(".cfg").write_text("SPECIFICATION Spec\nINVARIANT Small\n")
    _, text = scaffold(tiny_spec, tmp_path)
    assert re.findall(r'^    "(.*)",$', text, re.MULTILINE) == ["Small"]
    head, _, _ = text.partition("\n[model]")
    taken = head.replace('# config = "Counter.cfg"', 'config = "Counter.cfg"')
    sweep = tmp_path / "sweep.toml"
    sweep.write_text(taken + "[constants]\nMax = 2\n")
    assert plan_sweep(load_sweep(sweep), "jar").runs[0].config.invariants == ("Small",)


def test_the_config_beside_the_module_says_what_a_definition_is_for(tmp_path: Path) -> None:
    module = Path(shutil.copy(MODULES / "MC.tla", tmp_path))
    config = module.with_suffix(".cfg")
    sweep, text = scaffold(module, tmp_path)
    assert '# "constr_1571"' in text
    assert (sweep.file.sections.model.constraints, sweep.file.sections.model.action_constraints) == (
        ["Limit"],
        None,
    )
    config.write_text(
        "SPECIFICATION Spec\nCONSTRAINT constr_1571\nACTION_CONSTRAINT action_constr_1571\n"
        "VIEW view_1571\nINVARIANT Limit\nPROPERTY Elsewhere\n"
    )
    sweep, text = scaffold(module, tmp_path)
    model = sweep.file.sections.model
    assert (model.constraints, model.action_constraints) == (["constr_1571"], ["action_constr_1571"])
    assert (model.invariants, model.view) == (["Limit"], "view_1571")
    assert re.findall(r'^    # "(.*)",$', text, re.MULTILINE) == ["Small"]
    assert "Elsewhere" not in text
    config.write_text("CONSTRAINT constr_1571,\n")
    assert '# "constr_1571"' in scaffold(module, tmp_path)[1]


def test_what_a_config_gives_instead_of_a_standard_set_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "M.tla"
    path.write_text("---- MODULE M ----\nEXTENDS Integers\nVARIABLE x\nA == x \\in Int\n====\n")
    path.with_suffix(".cfg").write_text("CONSTANTS Int = {0, 1} Nat = {0} Seq = {2}\n")
    # Seq is not in scope, and TLC ignores it.
    assert scaffold(path, tmp_path)[0].file.sections.substitutions == {"Int": "{0, 1}", "Nat": "{0}"}


def test_a_comment_with_control_characters_is_still_toml(tmp_path: Path) -> None:
    path = tmp_path / "M.tla"
    comment = b"CONSTANT N \\* a \x07 number\x7f \xff\n"
    path.write_bytes(b"---- MODULE M ----\nEXTENDS Naturals\n" + comment + b"A == N + 1\n====\n")
    _, text = scaffold(path, tmp_path)
    assert "a number" in text


def test_without_a_specification_init_and_next_are_named(tmp_path: Path) -> None:
    path = tmp_path / "M.tla"
    path.write_text("---- MODULE M ----\nVARIABLE x\nStart == x = 0\nNext == x' = 1\n====\n")
    sweep, _ = scaffold(path, tmp_path)
    assert (sweep.file.sections.model.init, sweep.file.sections.model.next) == ("Start", "Next")
    # Without any behaviour the place for one is shown.
    path.write_text("---- MODULE M ----\nEXTENDS Naturals\nA == 1\n====\n")
    sweep, text = scaffold(path, tmp_path)
    assert sweep.file.sections.model.specification is None
    assert "# specification" in text


def two(**names: str) -> dict[str, object]:
    """Constants that are each a set of two model values with this name."""
    return {constant: f"{{{name}1, {name}2}}" for constant, name in names.items()}


KIP320 = two(Replicas="r") | dict.fromkeys(("LogSize", "MaxRecords", "MaxLeaderEpoch"), 2)
LIMITS = ("MessageSentLimit", "CompactionTimesLimit", "ConsumeTimesLimit", "MaxCrashTimes")
COMPACTION = {**dict.fromkeys(LIMITS, 2), **dict.fromkeys(("KeySpace", "ValueSpace"), "{1, 2}")}
KAFKA = two(TxnLogPartitions="tlp", TopicPartitions="tp", Brokers="b", Clients="c", TransactionIds="ti")


@pytest.mark.parametrize(
    ("module", "expected", "own"),
    [
        ("kip320/Kip320FirstTry.tla", KIP320, 0),
        ("compaction/compaction.tla", COMPACTION, 7),
        ("ledger_chaining/LedgerChaining.tla", two(Clients="c"), 6),
        ("kafka_transactions/kafka_transactions_for_web.tla", KAFKA | {"MaxCoordinatorChanges": 2}, 29),
    ],
)
def test_values_for_the_systems(module: str, expected: dict[str, object], own: int, tmp_path: Path) -> None:
    sweep, _ = scaffold(SPECS / module, tmp_path, LIBRARY)
    assert dict(sweep.file.sections.constants) == expected
    plan = plan_sweep(sweep, "0" * 64)
    # Three constants of compaction are assumed to be TRUE or FALSE.
    assert len(plan.runs) == (8 if module.startswith("compaction") else 1)
    assert sum(name == value for name, value in dict(plan.runs[0].config.assignments).items()) == own


@pytest.mark.parametrize("folder", [".", "models"])
def test_a_first_sweep_runs_the_model_of_the_config(tmp_path: Path, folder: str, run_cli: RunCli) -> None:
    module = Path(shutil.copy(MODULES / "Cluster.tla", tmp_path))
    (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / folder / "Cluster.cfg").write_text(
        "INIT Init NEXT Next INVARIANTS TypeOK AllUp CHECK_DEADLOCK FALSE CONSTANTS other = 1 InitServer = {s1}\n"
        'Server = {s1, s2, s3} Nil = Nil Limit = 3 Name = "a b" Op <- Twice\n'
    )
    sweep, text = scaffold(module, tmp_path)
    model = sweep.file.sections.model
    assert (model.init, model.next, model.invariants) == ("Init", "Next", ["TypeOK", "AllUp"])
    assert model.check_deadlock is False
    assert dict(sweep.file.sections.substitutions) == {"Op": "Twice"}
    assert dict(sweep.file.sections.constants) == {
        "InitServer": "{s1}",
        "Server": "{s1, s2, s3}",
        "Nil": "Nil",
        "Limit": 3,
        "Name": '"a b"',
        "Value": "{v1, v2}",
    }
    assert re.findall(r"^(\w+) = .*# a guess", text, re.MULTILINE) == ["Value"]
    # A part of the servers is not varied without them, and 4 would violate the assumption.
    assert '# Server = ["{s1, s2, s3}", "{s1, s2, s3, s4}"]' in text
    assert "# Limit = [2, 3]" in text
    ended = run_cli("sweep", sweep.file.path, "--executor", "local", cwd=tmp_path)
    assert ended.reported.errors == []
    (result,) = ended.reported.results
    assert [(row.verdict.value, row.distinct) for row in result.runs] == [("violated", 4)]


def test_a_set_named_after_another_is_guessed_within_it(tmp_path: Path) -> None:
    sweep, text = scaffold(MODULES / "Cluster.tla", tmp_path)
    assert (
        sweep.file.sections.constants["InitServer"] == sweep.file.sections.constants["Server"] == "{s1, s2}"
    )
    assert "# InitServer = " not in text


def test_a_model_of_the_toolbox_is_a_start(tmp_path: Path) -> None:
    spec = load_modules(Path(shutil.copy(MODULES / "T.tla", tmp_path)))
    text = scaffold_sweep(spec, None, [])
    assert "M = [1, 2, 3]" in text
    assert 'constraints = ["Len(y) < 4"]' in text
    (tmp_path / "T.toolbox").mkdir()
    launch = Path(shutil.copy(MODULES / "T.launch", tmp_path / "T.toolbox/T___Model_1.launch"))
    text = scaffold_sweep(spec, None, [])
    told = {'    "x # 3",', '    # "Small",', "check_deadlock = false", 'symmetry = ["P"]', 'N = "2 + 1"'}
    told |= {'constraints = ["x < 3"]', 'Nat = "0..3"', "# Not taken over: Gone (T does not define it)"}
    assert told - {*text.splitlines()} == set()
    written = launch.read_text().replace("Gone", "Größe")
    launch.write_bytes(f'<?xml version="1.0" encoding="ISO-8859-1"?>{written}'.encode("latin-1"))
    assert "# Not taken over: Größe" in scaffold_sweep(spec, None, [])
