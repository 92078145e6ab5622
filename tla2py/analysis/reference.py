"""A specification compared with a reference: sizes, actions that fire, and whose properties notice more."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from tla2py.analysis.grade_model import (
    MOST_PROOFS,
    Grade,
    GradedCheck,
    GradingRunner,
    counts,
    findings_of,
    mutant_object,
    write_config,
)
from tla2py.analysis.reference_join import Side, join, read_variables, unmapped
from tla2py.errors import InputError
from tla2py.execution.result import SweepResult
from tla2py.model.model import Config
from tla2py.model.mutant import MutantRow
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted
from tla2py.tla.graph import find_bodies


class BesideReference:
    """A specification, of which ``own`` is the result at its own constants, beside a reference.

    ``here`` is what it answers at the reference's constants, with the properties of the reference; None with the reason
    in ``refused``. Raises InputError for a reference that cannot be loaded.
    """

    def __init__(
        self, bench: GradingRunner, sweep: Sweep, own: tuple[SweepResult, RunRow], reference: Path
    ) -> None:
        self.bench, self.own = bench, own
        self.maps = dict(bench.case.maps)
        self.alone = bench.sweep(reference).select(vacuity=False)
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
            variables = lost & read_variables(spec, find_bodies(spec, [definition]))
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
