"""What released TLCs answer wrongly: each fault's module under every jar, and the rule that names it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest

from tests import command
from tests.conftest import JARS, RunCli
from tests.plain import run_plain_tlc
from tla2py.execution.check import Checked, ModelOptions, run_check
from tla2py.execution.sweeps import SweepOptions
from tla2py.gate.second import checked_second
from tla2py.lint.faults import FAULTS, Fault
from tla2py.tlc.tools.jar import Jar, read_jar

pytestmark = pytest.mark.jars

FOLDER = Path(__file__).resolve().parent.parent / "specs" / "faults"
# The config of each fault, the right verdict (broken: TLC should refuse it), and what the three TLCs say.
CASES: Mapping[str, tuple[str, str, tuple[str, str, str]]] = {
    "lazy-except": ("LazyExcept", "violated", ("holds", "holds", "violated")),
    "shared-except": ("SharedExcept", "violated", ("holds", "holds", "holds")),
    "instance-enabled": ("InstanceEnabled", "violated", ("holds", "holds", "holds")),
    "instance-enabled fairness": ("InstanceEnabledFair", "violated", ("holds", "holds", "holds")),
    "recurrence": ("ImpliesEventually", "holds", ("holds", "holds", "violated")),
    "recurrence tautology": ("EventuallyTrue", "holds", ("holds", "holds", "violated")),
    "constant-formula": ("ConstantLeadsTo", "holds", ("violated", "violated", "holds")),
    "random-eval": ("CachedEval", "holds", ("violated", "violated", "holds")),
    "instance-names": ("InstanceNames", "holds", ("violated", "holds", "holds")),
    "let-variable": ("LetBound", "violated", ("holds", "violated", "violated")),
    "boxed-conjunct": ("BoxedConjunct", "broken", ("violated", "violated", "broken")),
    "negated-conjunct": ("NegatedConjunct", "holds", ("violated", "violated", "violated")),
    "level-from-zero": ("LevelBound", "holds", ("violated", "violated", "holds")),
    "named-temporal": ("NamedTemporal", "holds", ("broken", "broken", "holds")),
    "state-argument": ("StateArgument", "holds", ("holds", "holds", "broken")),
    "eval-constant": ("EvalConstant", "holds", ("holds", "holds", "broken")),
    "instance-prime": ("InstancePrime", "holds", ("broken", "broken", "broken")),
    "many-fairness": ("ManyFairness", "holds", ("broken", "broken", "broken")),
    "empty-functions": ("EmptyFunctions", "holds", ("violated", "violated", "violated")),
    "empty-functions range": ("EmptyRange", "holds", ("violated", "violated", "violated")),
    "instance-fairness": ("InstanceFairness", "holds", ("broken", "broken", "broken")),
    "unequal-domains": ("UnequalDomains", "holds", ("broken", "broken", "holds")),
    "unequal-domains record": ("UnequalRecords", "holds", ("broken", "broken", "holds")),
}
VERSIONS = ("2.15", "2.19", "2.20")


@dataclass(frozen=True, kw_only=True)
class PlainCase:
    """A fault that tla2py makes up for or reports by a rule of its own: what the three TLCs say by themselves.

    ``right`` is the right verdict, ``options`` are those of TLC.
    """

    config: str
    right: str
    answers: tuple[str, str, str]
    options: tuple[str, ...] = ()


_SIMULATION = ("-simulate", "num=5", "-depth", "30", "-seed", "1", "-deadlock")
PLAIN: Mapping[str, PlainCase] = {
    "view-liveness": PlainCase(
        config="ViewedLiveness", right="violated", answers=("holds", "holds", "holds")
    ),
    "substitution-instance": PlainCase(
        config="InstanceSubstituted", right="holds", answers=("violated", "violated", "violated")
    ),
    "simulated-liveness": PlainCase(
        config="SimulatedLasso",
        right="holds",
        answers=("violated", "violated", "violated"),
        options=_SIMULATION,
    ),
    "simulated-assumption": PlainCase(
        config="SimulatedAssume",
        right="excluded",
        answers=("holds", "excluded", "excluded"),
        options=_SIMULATION,
    ),
}
BY_CODE = {fault.code: fault for fault in FAULTS}


def fault_of(case: str) -> Fault:
    return BY_CODE[case.split()[0]]


def check(name: str, jar: Path, workers: int | None = None) -> Checked:
    """The answer of a TLC to a fault's module."""
    module = FOLDER / f"{name.removesuffix('Fair')}.tla"
    options = SweepOptions(tla2tools=jar, workers=workers, no_lint=True)
    return run_check(module, ModelOptions(config=FOLDER / f"{name}.cfg"), options)


# A race is asked anew each time.
checked = cache(check)


@pytest.mark.parametrize("case", CASES)
def test_each_tlc_answers_as_the_table_says(case: str, jar: Path) -> None:
    name, right, answers = CASES[case]
    tlc = read_jar(jar, "the test")
    said = checked(name, jar).verdict.value
    assert said == answers[VERSIONS.index(tlc.version)]
    fault = fault_of(case)
    assert fault.concerns(tlc) == (said != right)
    files = (f"{name}.cfg", f"{name.removesuffix('Fair')}.tla")
    linted = command.run("lint", *files, "--tla2tools", jar, "--format", "json", cwd=FOLDER)
    found = {each["subject"] for each in linted.json["findings"] if each["code"] == "jar-known-wrong"}
    assert (fault.code in found) == (fault.concerns(tlc) and fault.kind != "loud")


@pytest.mark.parametrize("case", CASES)
def test_a_second_tlc_reveals_what_one_of_the_two_answers_wrongly(case: str) -> None:
    name, _, _ = CASES[case]
    fault = fault_of(case)
    for one, other in permutations(JARS.values(), 2):
        jars = [read_jar(one, "the test"), read_jar(other, "the test")]
        first, again = checked(name, one), checked(name, other)

        def repeated(_: Path, answer: Checked = again) -> Checked:
            return answer

        second, wrong = checked_second(first, repeated, other)
        assert (wrong is None) == (first.verdict is again.verdict)
        if wrong is not None:
            expected = ("second-broken", 2) if again.verdict.value == "broken" else ("second-differs", 1)
            assert (wrong.reason.value, wrong.exit_code) == expected
        if fault.kind != "loud":
            named = fault.source or fault.code
            has = [fault.concerns(jar) for jar in jars]
            assert (named in second.known) == (has[0] != has[1])
            assert (named in second.shared) == all(has)


def test_several_workers_miss_a_violation_of_liveness_in_some_tries(jar: Path) -> None:
    tries = [check("LivenessRace", jar, workers=2).verdict.value for _ in range(10)]
    concerns = BY_CODE["liveness-workers"].concerns(read_jar(jar, "the test"))
    assert ("holds" in tries) == concerns
    assert "violated" in tries or concerns


def test_tlc_stops_without_a_message_where_the_table_says_so(jar: Path) -> None:
    answer = run_plain_tlc("SilentError", FOLDER, jar)
    assert answer.verdict == "broken"
    silent = "Attempted to check equality of the set {}" not in answer.output
    assert silent == BY_CODE["silent-error"].concerns(read_jar(jar, "the test"))


@pytest.mark.parametrize("case", PLAIN)
def test_tlc_itself_answers_as_the_table_says(case: str, jar: Path) -> None:
    plain = PLAIN[case]
    tlc = read_jar(jar, "the test")
    answer = run_plain_tlc(plain.config, FOLDER, jar, *plain.options).verdict
    assert answer == plain.answers[VERSIONS.index(tlc.version)]
    assert BY_CODE[case].concerns(tlc) == (answer != plain.right)


def gate_problems(name: str, settings: str, jar: Path, folder: Path) -> set[tuple[str, str]]:
    """The reason and the subject of what a gate says of a fault's module, at a point or as a whole."""
    for file in (f"{name}.tla", f"{name}.cfg"):
        shutil.copy(FOLDER / file, folder)
    sweep = f'module = "{name}.tla"\nconfig = "{name}.cfg"\n{settings}'
    (folder / "sweep.toml").write_text(sweep)
    gate = command.run("gate", "sweep.toml", "--tla2tools", jar, "--json", cwd=folder)
    (gated,) = gate.json
    problems = list(gated["problems"])
    for point in gated["points"]:
        problems += point["problems"]
    return {(problem["reason"], problem["subject"]) for problem in problems}


def test_a_gate_is_red_for_liveness_under_a_view(jar: Path, tmp_path: Path) -> None:
    assert ("view-liveness", "Settles") in gate_problems("ViewedLiveness", "", jar, tmp_path)


def test_a_gate_believes_no_loop_that_a_simulation_made_up(jar: Path, tmp_path: Path) -> None:
    settings = '[tlc]\nmode = "simulate"\nnum = 5\ndepth = 30\nseed = 1\n'
    problems = gate_problems("SimulatedLasso", settings, jar, tmp_path)
    assert {reason for reason, _ in problems} == {"inconclusive"}


def test_lint_refuses_a_substitution_that_tlc_ignores(jar: Path) -> None:
    files = ("InstanceSubstituted.cfg", "InstanceSubstituted.tla")
    linted = command.run("lint", *files, "--tla2tools", jar, "--format", "json", cwd=FOLDER, code=1)
    assert [each["code"] for each in linted.json["findings"]] == ["substitution-instance"]


def jar_of(built: str) -> Jar:
    texts = dict.fromkeys(("sha256", "version", "revision", "origin"), "")
    return Jar(path=Path("j"), named=Path("j"), built=built, commits=0, project=None, tag="master", **texts)


def test_every_fault_ends_with_its_fix() -> None:
    today = datetime.now(UTC).date().isoformat()
    for fault in FAULTS:
        assert fault.concerns(jar_of(today)) == (not fault.fixed), fault.code
        assert fault.since < (fault.fixed or today)
        assert not (fault.fixed and fault.concerns(jar_of(fault.fixed)))


def test_each_fault_has_its_module() -> None:
    others = {"liveness-workers", "silent-error"}
    assert {case.split()[0] for case in CASES} | PLAIN.keys() | others == set(BY_CODE)


def copy_modules(folder: Path) -> None:
    """Copy the modules of the fault without its config."""
    for module in FOLDER.glob("InstanceFairness*.tla"):
        shutil.copy(module, folder)


@pytest.mark.parametrize(
    "check", [("--property", "Refines"), ("--property", "Strong"), ("--invariant", "Possible")]
)
def test_what_an_instance_makes_undefined_is_no_fault_of_the_config(
    run_cli: RunCli, tmp_path: Path, jar: Path, check: tuple[str, str]
) -> None:
    copy_modules(tmp_path)
    model = ("--specification", "Spec", *check, "--tla2tools", jar)
    found = run_cli("check", "InstanceFairness.tla", *model, code=2)
    assert "broken (a definition cannot be evaluated)" in found.stdout
    assert "TLC calls i undefined." in found.stdout
    assert "(tlaplus#748)" in found.stdout
    assert "as in Inner!Fairness" in found.stdout


def test_fairness_inside_of_the_instance_is_a_way_round(run_cli: RunCli, tmp_path: Path, jar: Path) -> None:
    copy_modules(tmp_path)
    model = ("--specification", "Spec", "--property", "Inside", "--tla2tools", jar)
    run_cli("check", "InstanceFairness.tla", *model, code=0)
