"""What a specification is graded on, the bench that runs what the grades need, and a reference beside it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

from tla2py.errors import ExitCode, InputError, writing
from tla2py.execution.check import ModelOptions, check_sweep
from tla2py.execution.executor import ExecutorFactory
from tla2py.execution.listener import Listener
from tla2py.execution.result import SweepResult
from tla2py.execution.sweeps import SweepOptions, run_sweeps
from tla2py.model.finding import Finding
from tla2py.model.model import Assignment, Config
from tla2py.model.mutant import MutantReport, MutantRow
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.mutation.mutate import run_mutation
from tla2py.mutation.operators import OPERATORS
from tla2py.mutation.plan import MutationChoice
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted
from tla2py.tla.copies import Edit, edited
from tla2py.tla.graph import ModuleGraph, Reached, named
from tla2py.tla.module import Expression, Module, Variable
from tla2py.tla.scope import Entity
from tla2py.tla.tree import deeply
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
class JudgeCase:
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


class JudgeBench(NamedTuple):
    """The case, what runs models, and the folder of their stores."""

    case: JudgeCase
    options: SweepOptions
    toolchain: Toolchain
    executors: ExecutorFactory
    folder: Path
    listener: Listener

    def sweep(self, module: Path, config: Path | None = None) -> Sweep:
        """The sweep of one point that a module with its config is."""
        sweep = check_sweep(module, ModelOptions(config=config), self.options, self.listener)
        return replace(sweep, vacuity=True, options=replace(sweep.options, coverage=True, find="each"))

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
        sweep = replace(sweep, vacuity=False)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two specifications; ``word`` is what names its definitions in the other."""

    word: str
    spec: ModuleGraph
    config: Config

    @property
    def stated(self) -> tuple[str, ...]:
        """The invariants and properties that it checks."""
        return (*self.config.invariants, *self.config.properties)

    @property
    def checks(self) -> tuple[str, ...]:
        """What it states, and ``deadlock`` if it checks that."""
        return (*self.stated, *(["deadlock"] if self.config.check_deadlock else []))

    @property
    def constants(self) -> set[str]:
        """The constants that it declares."""
        return {each.name for each in self.spec.constants}

    @property
    def replaced(self) -> dict[str, str]:
        """The definitions that its config replaces by others; those that stand for constants are not among them."""
        declared = self.constants
        return {name: by for name, by in self.config.replaced_names.items() if name not in declared}

    @property
    def names(self) -> set[str]:
        """What another module sees that extends it."""
        return {*self.spec.definitions, *self.constants, *(each.name for each in self.spec.variables)}

    @property
    def values(self) -> dict[str, str]:
        """The values of its constants in the config; definitions that stand for constants are not among them."""
        return {each.name: each.value for each in self.config.assignments}


def unmapped(inner: Side, outer: Side, maps: Mapping[str, str]) -> list[str]:
    """Return the variables of ``outer`` without a counterpart in ``inner``, as ``maps`` or the same name gives one.

    A name that ``maps`` gives one variable is not the counterpart of another one that happens to have that name.
    """
    known = {*maps, *(inner.names - set(maps.values()))}
    return [each.name for each in outer.spec.variables if each.name not in known]


# The position of the subscript among the arguments of these; the other one is the action.
_SUBSCRIPTS = {"[]_": 1, "<>_": 1, "WF_": 0, "SF_": 0}


@deeply
def read_variables(spec: ModuleGraph, parts: Iterable[Reached]) -> set[str]:
    """Return the variables that expressions read, directly or through definitions, other than in subscripts.

    In the subscript of an action, a variable that no step changes makes no difference.
    """
    variables: set[str] = set()
    seen: set[Entity] = set()
    pending = list(parts)
    while pending:
        part = pending.pop()
        expr = part.expr
        scope = spec.resolver.let(part.scope, expr) if expr.shape == "let" else part.scope
        pending += [Reached(expr=child, scope=scope) for child in _without_subscript(expr)]

        entity = part.entity
        if entity is None or entity in seen:
            continue
        seen.add(entity)
        if entity.kind == "variable" and isinstance(entity.declaration, Variable):
            variables.add(entity.declaration.name)
        elif entity.body is not None:
            pending.append(Reached(expr=entity.body, scope=entity.scope))
    return variables


def _without_subscript(expr: Expression) -> list[Expression]:
    if expr.shape != "build" or expr.operator not in _SUBSCRIPTS:
        return list(expr.children())
    action = expr.arguments[1 - _SUBSCRIPTS[expr.operator]]
    return [action]


def without_checks(config: Config) -> Config:
    """Return a config that checks nothing, and in which no two states count as one."""
    return replace(
        config,
        invariants=(),
        properties=(),
        postconditions=(),
        check_deadlock=False,
        symmetry=None,
        view=None,
        alias=None,
    )


def join(
    inner: Side, outer: Side, maps: Mapping[str, str], values: Mapping[str, str], folder: Path
) -> tuple[Path, Config, Mapping[str, str]]:
    """Write the module that extends ``inner``, with an instance of ``outer`` under its mapping, and its config.

    Returned are both, and the properties of ``outer`` by the names that they have here.
    ``maps`` gives names of ``outer`` expressions of ``inner``, ``values`` the values of the constants. A variable
    of ``outer`` without a counterpart, see ``unmapped``, becomes some variable of ``inner``: only properties
    that do not read it may be used.
    """
    name = f"{inner.word}With{outer.word}"
    texts = {each.name: each.text for each in inner.spec.modules if each.path is not None}
    renamed = _renamed(outer, texts)
    root = renamed.get(outer.spec.root.name, outer.spec.root.name)
    for each in outer.spec.modules:
        if each.path is not None:
            texts[renamed.get(each.name, each.name)] = _renaming(each, renamed)
    declared = [each.name for each in outer.spec.constants] + [each.name for each in outer.spec.variables]
    known = {*maps, *inner.names}
    missing = [each.name for each in outer.spec.constants if each.name not in known and not each.arity]
    stand_ins: dict[str, str] = {}
    if inner.spec.variables:
        stand_ins = dict.fromkeys(unmapped(inner, outer, maps), inner.spec.variables[0].name)
    pairs = ", ".join(f"{each} <- {maps.get(each, stand_ins.get(each, each))}" for each in declared)
    shown = {f"{outer.word}_{each}": each for each in outer.stated}
    lines = [
        f"---- MODULE {name} ----",
        f"EXTENDS {inner.spec.root.name}",
        *([f"CONSTANTS {', '.join(missing)}"] if missing else []),
        f"{outer.word} == INSTANCE {root}" + (f" WITH {pairs}" if pairs else ""),
        *(f"{here} == {outer.word}!{outer.replaced.get(there, there)}" for here, there in shown.items()),
        "====",
        "",
    ]
    taken = [each for each in (*inner.constants, *missing) if each in values]
    assigned = {**inner.values, **{each: values[each] for each in taken}}
    config = replace(
        inner.config,
        assignments=tuple(Assignment(*each) for each in assigned.items()),
        substitutions=tuple(each for each in inner.config.substitutions if each.name not in assigned),
        invariants=(*inner.config.invariants, *(f"{outer.word}_{each}" for each in outer.config.invariants)),
        properties=(*inner.config.properties, *(f"{outer.word}_{each}" for each in outer.config.properties)),
        symmetry=None,
        view=None,
        alias=None,
    )
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for module, text in {**texts, name: "\n".join(lines)}.items():
            (folder / f"{module}.tla").write_text(text, encoding="utf-8")
    write_config(folder / f"{name}.cfg", config)
    return folder / f"{name}.tla", config, shown


def _renamed(side: Side, others: Mapping[str, str]) -> dict[str, str]:
    """New names for the modules of a side that differ from ``others`` of the same name, or that lead to such a module."""
    modules = [each for each in side.spec.modules if each.path is not None and each.name in others]
    found = {each.name for each in modules if each.text != others[each.name]}
    for _ in modules:
        found |= {each.name for each in modules if found.intersection(ref.module for ref in each.references)}
    return {each: f"{each}Of{side.word}" for each in found}


def _renaming(module: Module, names: Mapping[str, str]) -> str:
    """The text of a module in which modules have other names."""
    edits = [
        Edit(ref.span.begin_line, ref.span.begin_column, names[ref.module], len(ref.module))
        for ref in module.references
        if ref.module in names
    ]
    text = "\n".join(edited(module.text.split("\n"), edits))
    new = names.get(module.name, module.name)
    return re.sub(rf"(-{{4,}}\s*MODULE\s+){re.escape(module.name)}\b", rf"\g<1>{new}", text, count=1)


class BesideReference:
    """A specification, of which ``own`` is the result at its own constants, beside a reference.

    ``here`` is what it answers at the reference's constants, with the properties of the reference; None with the reason
    in ``refused``. Raises InputError for a reference that cannot be loaded.
    """

    def __init__(
        self, bench: JudgeBench, sweep: Sweep, own: tuple[SweepResult, RunRow], reference: Path
    ) -> None:
        self.bench, self.own = bench, own
        self.maps = dict(bench.case.maps)
        self.alone = replace(bench.sweep(reference), vacuity=False)
        self.candidate, self.reference = (
            Side(word=word, spec=each.spec({}), config=each.model(each.points[0]).config)
            for word, each in (("Candidate", sweep), ("Reference", self.alone))
        )
        self.here: tuple[SweepResult, RunRow] | None = None
        self.refused = ""
        if lost := unmapped(self.candidate, self.reference, self.maps):
            self.refused = f"it has no {', '.join(lost)}: --map {lost[0]}=NAME"
            return
        values = {self.maps.get(name, name): value for name, value in self.reference.values.items()}
        try:
            module, config, _ = join(self.candidate, self.reference, self.maps, values, bench.folder / "size")
            if self.reference.config.check_deadlock:
                write_config(module.with_suffix(".cfg"), replace(config, check_deadlock=True))
            result, row = bench.run(bench.sweep(module), "size/candidate")
        except InputError as error:
            self.refused = str(error)
            return
        if row.verdict in (Verdict.BROKEN, Verdict.EXCLUDED):
            self.refused = row.message or row.unanswered
        else:
            self.here = result, row

    def size(self, alone: GradedCheck) -> GradedCheck:
        """Whether the model is as large as the reference's; ``alone`` is what its own config shows."""
        own, declared = self.candidate.constants, self.reference.constants
        lacking = [name for name in self.reference.values if self.maps.get(name, name) not in own]
        # A definition of the reference that stands for a constant is not seen here.
        lacking += [name for name, _ in self.reference.config.substitutions if name in declared]
        evidence = {**alone.evidence, "reference": dict(self.reference.values), "not_taken": lacking}
        grade: Grade = alone.verdict
        words = alone.words
        if self.here is None:
            grade, words = "doubtful", f"it cannot take the reference's constants: {self.refused}"
        else:
            result, row = self.here
            broken = [each for each in row.violated_names if each in self.candidate.checks]
            woken = sorted(_never_enabled(self.own[0]) - _never_enabled(result))
            evidence |= {"there": counts(row), "violated": broken, "enabled_there": woken}
            if broken:
                grade, words = "fail", f"at the reference's constants it violates {', '.join(broken)}"
            elif woken:
                grade, words = "fail", f"too small: only the reference's constants enable {', '.join(woken)}"
        if grade == "pass" and lacking:
            grade, words = "doubtful", f"it does not take the reference's {', '.join(lacking)}"
        if alone.verdict == "fail":
            grade, words = "fail", alone.words
        return replace(alone, verdict=grade, words=words, evidence=evidence, command=self.bench.case.command)

    def enabled(self, actions: Iterable[str]) -> list[str]:
        """Those of some actions that are enabled in the reference, where they have the same name."""
        result, row = self.bench.run(self.alone, "reference")
        known = self.reference.spec.definitions if row.verdict is Verdict.HOLDS else ()
        return [each for each in actions if each in known and each not in _never_enabled(result)]

    def strength(self) -> GradedCheck:
        """Whether the properties of the specification are as strong as the reference's."""
        doubts: list[str] = []
        violated: list[str] = []
        evidence: dict[str, object] = {}
        if self.here is None:
            doubts.append(f"the reference's properties were not checked: {self.refused}")
        else:
            _, row = self.here
            names = {f"{self.reference.word}_{each}": each for each in self.reference.stated}
            names |= {"deadlock": "deadlock"} if self.reference.config.check_deadlock else {}
            violated = [names[each] for each in row.violated_names if each in names]
            held = {names[each] for each in row.held if each in names}
            open_ = [each for each in names.values() if each not in violated and each not in held]
            evidence["reference_on_candidate"] = {"violated": violated, "held": sorted(held), "open": open_}
            if open_:
                doubts.append(f"not decided on it: {', '.join(open_)}")
        missed, command = self._missed(evidence, doubts)
        grade: Grade = "fail" if violated or missed else "doubtful" if doubts else "pass"
        words = [f"it violates what the reference checks: {', '.join(violated)}"] if violated else []
        if missed:
            first = missed[0]
            words.append(
                f"weaker: it misses {counted(len(missed), 'mutant')} of the reference, noticed there by "
                f"{' and '.join(self._noticed(missed, self.reference))}, such as "
                f"{first.module}:{first.line} {first.words}"
            )
        text = "; ".join([*words, *doubts]) or "as strong as the reference on every mutant that it notices"
        return GradedCheck("strength", grade, text, evidence, command)

    def _missed(
        self, evidence: dict[str, object], doubts: list[str]
    ) -> tuple[list[MutantRow], tuple[str, ...]]:
        """The mutants of the reference that it notices and the specification does not, and the command that runs them."""
        inverse = {there: here for here, there in self.maps.items() if there.isidentifier()}
        unevaluated = self._unevaluated(inverse)
        left_out = ""
        if unevaluated:
            variables = sorted(set().union(*unevaluated.values()))
            evidence["not_evaluated"] = list(unevaluated)
            left_out = (
                f"not evaluated on the reference, which has no {', '.join(variables)}: "
                f"{', '.join(unevaluated)}; --map NAME={variables[0]}"
            )
            if len(unevaluated) == len(self.candidate.stated):
                doubts.append(left_out)
                return [], self.bench.case.command
        candidate = replace(self.candidate, config=_without(self.candidate.config, unevaluated))
        theirs = {*self.reference.replaced, *self.candidate.stated}
        left = [f"{name} <- {new}" for name, new in self.candidate.replaced.items() if name not in theirs]
        if left:
            doubts.append(f"evaluated on the reference without what its config replaces: {', '.join(left)}")
        values = {**self.candidate.values, **self.reference.values}
        try:
            folder = self.bench.folder / "strength"
            module, config, shown = join(self.reference, candidate, inverse, values, folder)
            _, row = self.bench.run(self.bench.sweep(module), "strength/reference")
            wrong = [shown.get(each, each) for each in row.violated_names]
            if wrong:
                evidence["candidate_on_reference"] = {"violated": wrong}
                doubts.append(f"violated by the reference itself: {', '.join(wrong)}")
                write_config(module.with_suffix(".cfg"), _without(config, row.violated_names))
            report = self.bench.mutate(self.bench.sweep(module), "strength/mutants")
        except InputError as error:
            doubts.append(f"the reference's mutants were not run: {error}")
            return [], self.bench.case.command
        by_reference = [each for each in report.mutants if self._noticed([each], self.reference)]
        missed = [each for each in by_reference if not self._noticed([each], self.candidate)]
        seen = self._noticed(by_reference, self.reference)
        unseen = [each for each in self.reference.stated if each not in seen]
        evidence["mutants"] = {
            "noticed_by_reference": len(by_reference),
            "missed": len(missed),
            "proof": [mutant_object(each) for each in missed[:MOST_PROOFS]],
            "properties_without_mutants": unseen,
        }
        if not by_reference:
            doubts.append("no mutant of the reference breaks a property of the reference")
        if missed and left_out:
            doubts.append(
                f"the properties evaluated there miss {counted(len(missed), 'mutant')} of the reference; "
                f"{left_out}"
            )
            return [], self.bench.mutate_command(module)
        return missed, self.bench.mutate_command(module)

    def _unevaluated(self, maps: Mapping[str, str]) -> dict[str, set[str]]:
        """Return the properties of the specification that read variables the reference lacks, with these."""
        spec = self.candidate.spec
        lost = set(unmapped(self.reference, self.candidate, maps))
        unevaluated: dict[str, set[str]] = {}
        for name in self.candidate.stated:
            definition = self.candidate.replaced.get(name, name)
            variables = lost & read_variables(spec, named(spec, [definition]))
            if variables:
                unevaluated[name] = variables
        return unevaluated

    def _noticed(self, mutants: Iterable[MutantRow], side: Side) -> list[str]:
        """The properties of a side that notice mutants; the specification's stand in the reference's module under other names."""
        labels = {killer.label for each in mutants for killer in each.killed_by}
        own = side.stated if side is self.candidate else ()
        return [each for each in side.checks if (f"{side.word}_{each}" if each in own else each) in labels]


def _without(config: Config, names: Collection[str]) -> Config:
    """Return a config without the checks of some names; ``deadlock`` is one."""
    return replace(
        config,
        invariants=tuple(name for name in config.invariants if name not in names),
        properties=tuple(name for name in config.properties if name not in names),
        check_deadlock=config.check_deadlock and "deadlock" not in names,
    )


def _never_enabled(result: SweepResult) -> set[str]:
    return {str(each.subject) for each in findings_of(result, "never-enabled")}
