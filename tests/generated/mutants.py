"""Mutants of a machine that the root module has by INSTANCE or EXTENDS; the reading has each change written out."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, Literal

from tests.generated.comparison import Comparison, GeneratedModel, MutantRunner
from tests.generated.machines import Machine, draw_machine


@dataclass(frozen=True, kw_only=True)
class MutantModel(GeneratedModel):
    """A machine in a module of its own, with an invariant in the root module."""

    kind: ClassVar[str] = "mutant"
    machine: Machine
    has: Literal["EXTENDS", "INSTANCE"]
    bound: int

    def files(self, machine: str) -> dict[str, str]:
        """The modules and the config, with this text of the machine's module."""
        if self.has == "EXTENDS":
            head = "EXTENDS Machine\n"
        else:
            head = "EXTENDS Naturals\nVARIABLES x, t\nINSTANCE Machine\n"
        return {
            "M.tla": f"---- MODULE M ----\n{head}Small == x + t < {self.bound}\n====\n",
            "Machine.tla": machine,
            "M.cfg": "SPECIFICATION Spec\nINVARIANT Small\n",
        }

    def compare(self, bench: MutantRunner) -> Comparison:
        machine = self.machine.text.replace("MODULE M ", "MODULE Machine ") + "====\n"
        sweep = 'module = "M.tla"\n[model]\nspecification = "Spec"\ninvariants = ["Small"]\ncheck_deadlock = false\n'
        folder = bench.write("tla2py", {**self.files(machine), "sweep.toml": sweep})
        ended = bench.run_tla2py(folder, "mutate", "sweep.toml", "--sample", "2", "--json")
        if ended.code:
            # There is nothing to mutate where the model itself is violated.
            original = bench.run_reading(self.files(machine), "-deadlock").verdict
            detail = f"the model is {original}, mutate exit {ended.code}: {ended.reported.errors}"
            return Comparison(agrees=original == "violated", answer="the model is violated", detail=detail)
        mutants = [mutant for mutant in ended.json if mutant["module"] == "Machine"]

        differing = []
        for number, mutant in enumerate(mutants):
            if mutant["status"] in ("unknown", "duplicate"):
                # It claims nothing; an unknown one may have no end, as with x - 1 for x + 1.
                continue
            place = MutantRunner(folder=bench.folder / f"mutant-{number}", jar=bench.jar)
            truth = place.run_reading(self.files(apply_mutant(machine, mutant)), "-deadlock").verdict
            allowed = {"violated": {"killed"}, "holds": {"survived", "equivalent"}, "broken": {"stillborn"}}
            if mutant["status"] not in allowed[truth]:
                differing.append(f"{mutant}: {truth} written out")
        return Comparison(
            agrees=not differing,
            answer="differs" if differing else f"{len(mutants)} as written out",
            detail="; ".join(differing),
        )


def apply_mutant(text: str, mutant: dict[str, Any]) -> str:
    """Return a module with the change of a mutant written out."""
    lines = text.splitlines(keepends=True)
    row, column = mutant["line"] - 1, mutant["column"] - 1
    before = mutant["before"]
    line = lines[row]
    if line[column : column + len(before)] != before:
        raise ValueError(f"{before} is not at line {row + 1}, column {column + 1}: {line}")
    lines[row] = line[:column] + mutant["after"] + line[column + len(before) :]
    return "".join(lines)


def draw_mutant(random: Random) -> MutantModel:
    """Draw a machine whose invariant holds, with a bound near the largest sum."""
    machine = draw_machine(random)
    return MutantModel(
        machine=machine,
        has=random.choice(("EXTENDS", "INSTANCE")),
        bound=machine.x_values + machine.t_values - random.randint(1, 2),
    )
