"""The grades of a specification, what is graded, and the runner of the models that the grades need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

from tla2py.errors import ExitCode, writing
from tla2py.execution.check import ModelOptions, check_sweep
from tla2py.execution.executor import ExecutorFactory
from tla2py.execution.listener import Listener
from tla2py.execution.result import SweepResult
from tla2py.execution.sweeps import SweepOptions, run_sweeps
from tla2py.model.finding import Finding
from tla2py.model.model import Config
from tla2py.model.mutant import MutantReport, MutantRow
from tla2py.model.row import RunRow
from tla2py.mutation.mutate import run_mutation
from tla2py.mutation.operators import OPERATORS
from tla2py.mutation.plan import MutationChoice
from tla2py.sweep.sweep import Sweep
from tla2py.tlc.config.render import default_template, render_config
from tla2py.tlc.tools.toolchain import Toolchain

CheckName = Literal[
    "parses",
    "runs",
    "holds",
    "size",
    "vacuity",
    "coverage",
    "constraint",
    "mutants",
    "logs",
    "behaviour",
    "strength",
]
Grade = Literal["pass", "fail", "doubtful", "not_applicable"]
Verdicts = Literal["good", "doubtful", "bad"]
MOST_PROOFS = 10
"""The most mutants that are listed as evidence."""


@dataclass(frozen=True, slots=True)
class GradedCheck:
    """The grade of one thing, in words, the evidence as JSON values, and the command that repeats it."""

    name: CheckName
    verdict: Grade
    words: str
    evidence: Mapping[str, object] = field(default_factory=dict)
    command: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """The check as ``judge --json`` prints it."""
        evidence = {"summary": self.words, **self.evidence}
        return {"name": self.name, "verdict": self.verdict, "evidence": evidence, "command": [*self.command]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The checks of a specification, each graded."""

    checks: tuple[GradedCheck, ...]

    @property
    def verdict(self) -> Verdicts:
        """``bad`` if a check fails, ``doubtful`` if one is doubtful."""
        grades = {each.verdict for each in self.checks}
        return "bad" if "fail" in grades else "doubtful" if "doubtful" in grades else "good"

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of ``tla2py judge``; 2 if the specification could not be run."""
        ran = all(each.verdict == "pass" for each in self.checks if each.name in ("parses", "runs"))
        codes = {"good": ExitCode.OK, "bad": ExitCode.UNEXPECTED, "doubtful": ExitCode.INCONCLUSIVE}
        return codes[self.verdict] if ran else ExitCode.NOT_RUN

    def to_dict(self) -> dict[str, object]:
        """The judgement as ``judge --json`` prints it."""
        return {"verdict": self.verdict, "checks": [each.to_dict() for each in self.checks]}


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingCase:
    """What to judge: a module, its config, logs, and a reference with the config beside it.

    ``maps`` are the names of constants and variables of the reference, each with that of the specification. Mutants are a
    sample by ``seed``.
    """

    spec: Path
    config: Path | None = None
    reference: Path | None = None
    logs: tuple[Path, ...] = ()
    maps: tuple[tuple[str, str], ...] = ()
    sample: int = 60
    seed: int = 0

    @property
    def command(self) -> tuple[str, ...]:
        """The command that judges the case."""
        given: list[str] = ["tla2py", "judge", str(self.spec)]
        for option, values in (
            ("--config", [self.config]),
            ("--reference", [self.reference]),
            ("--log", self.logs),
            ("--map", ["=".join(each) for each in self.maps]),
            ("--sample", [self.sample]),
            ("--seed", [self.seed]),
        ):
            given += [text for value in values if value is not None for text in (option, str(value))]
        return tuple(given)


class GradingRunner(NamedTuple):
    """The case, what runs models, and the folder of their stores."""

    case: GradingCase
    options: SweepOptions
    toolchain: Toolchain
    executors: ExecutorFactory
    folder: Path
    listener: Listener

    def sweep(self, module: Path, config: Path | None = None) -> Sweep:
        """The sweep of one point that a module with its config is."""
        sweep = check_sweep(module, ModelOptions(config=config), self.options, self.listener)
        options = replace(sweep.selection.options, coverage=True, find="each")
        return sweep.select(vacuity=True, options=options)

    def run_all(self, sweep: Sweep, name: str) -> SweepResult:
        """The result of a sweep."""
        at, listener = self.folder / name, self.listener
        [result] = run_sweeps([sweep], self.toolchain, self.executors, store=at, listener=listener)
        return result

    def run(self, sweep: Sweep, name: str) -> tuple[SweepResult, RunRow]:
        """The result of a sweep of one point, and its row."""
        result = self.run_all(sweep, name)
        [row] = result.runs
        return result, row

    def mutate(self, sweep: Sweep, name: str) -> MutantReport:
        """What notices the mutants of its behaviour. Raises InputError as ``run_mutation`` does."""
        operators = tuple(name for name, concerns in OPERATORS.items() if concerns != "checks")
        choice = MutationChoice(operators=operators, sample=self.case.sample, seed=self.case.seed)
        at, listener = self.folder / name, self.listener
        sweep = sweep.select(vacuity=False)
        return run_mutation(sweep, self.toolchain, self.executors, choice, store=at, listener=listener).report

    def mutate_command(self, module: Path) -> tuple[str, ...]:
        """The command that tries as many mutants of a module."""
        case = self.case
        return ("tla2py", "mutate", str(module), "--sample", str(case.sample), "--seed", str(case.seed))


def findings_of(result: SweepResult, *codes: str) -> list[Finding]:
    """The findings of some kinds that nobody accepted."""
    return [each for each in result.findings.open if each.code in codes]


def counts(row: RunRow) -> dict[str, object]:
    """What TLC counted, as JSON values."""
    return {"generated": row.generated, "distinct": row.distinct, "depth": row.depth}


def mutant_object(row: MutantRow) -> dict[str, object]:
    """A mutant as a proof, as JSON values."""
    names = ("mutant", "module", "line", "definition", "before", "after")
    found = {name: getattr(row, name) for name in names}
    return {**found, "noticed_by": [each.label for each in row.killed_by]}


def write_config(file: Path, config: Config) -> None:
    """Write a config that ``tla2py check`` reads. Raises InputError (``output-unwritable``)."""
    text = render_config(config, default_template())
    with writing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "CHECK_DEADLOCK FALSE\n" * (not config.check_deadlock), encoding="utf-8")
