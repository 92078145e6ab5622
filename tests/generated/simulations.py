"""Models that are simulated; the reading is plain TLC's search of all states, and Python's value of the assumption."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from tests.generated.assumptions import draw_formula, is_true
from tests.generated.comparison import Comparison, GeneratedModel, MutantRunner
from tests.generated.machines import Check, Machine, draw_check, draw_machine


@dataclass(frozen=True, kw_only=True)
class SimulationModel(GeneratedModel):
    """A machine with an assumption about the constants N and M, and one check."""

    kind: ClassVar[str] = "simulation"
    machine: Machine
    check: Check
    assumption: str
    constants: tuple[tuple[str, int], ...]
    seed: int

    def compare(self, bench: MutantRunner) -> Comparison:
        checked = f"Checked == {self.check.text}\n====\n"
        config = f"SPECIFICATION Spec\n{self.check.keyword} Checked\n"
        reading = {"M.tla": f"{self.machine.text}{checked}", "M.cfg": config}
        truth = bench.run_reading(reading, "-deadlock").verdict
        assumed = is_true(self.assumption, dict(self.constants))

        module = f"{self.machine.text}CONSTANTS N, M\nASSUME {self.assumption}\n{checked}"
        parameters = "".join(f"{name} = [{value}]\n" for name, value in self.constants)
        sweep = (
            'module = "M.tla"\n[model]\nspecification = "Spec"\ncheck_deadlock = false\n'
            f'{self.check.key} = ["Checked"]\n[parameters]\n{parameters}'
            f'[tlc]\nmode = "simulate"\nnum = 20\ndepth = 15\nseed = {self.seed}\n'
        )
        folder = bench.write("tla2py", {"M.tla": module, "sweep.toml": sweep})
        ended = bench.run_tla2py(folder, "sweep", "sweep.toml", "--json")
        (row,) = ended.json
        verdict = row["verdict"]

        lacks_assumptions = "tlc-lacks" in {finding.code for finding in ended.reported.findings}
        allowed = {"inconclusive", "violated"} if truth == "violated" else {"inconclusive"}
        if not assumed and not lacks_assumptions:
            allowed = {"excluded"}

        agrees = verdict in allowed
        answer = f"{verdict}, a search says {truth}"
        if not assumed:
            answer = (
                f"{verdict}, the assumption is FALSE{' and TLC does not look' if lacks_assumptions else ''}"
            )
        return Comparison(
            agrees=agrees,
            answer=answer if agrees else "differs",
            detail=(
                f"{self.check.text}: {truth} by a search, ASSUME {self.assumption} of {self.constants} is {assumed}; "
                f"{verdict} by tla2py's simulation ({row['message']})"
            ),
        )


def draw_simulation(random: Random) -> SimulationModel:
    """Draw a model to be simulated."""
    machine = draw_machine(random)
    return SimulationModel(
        machine=machine,
        check=draw_check(random, machine),
        assumption=draw_formula(random, 1),
        constants=(("N", random.randint(0, 4)), ("M", random.randint(0, 3))),
        seed=random.randint(1, 1000),
    )
