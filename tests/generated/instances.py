"""Models that check what an instance defines; the reading has the instance's definitions written out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from tests.generated.comparison import Comparison, GeneratedModel, MutantRunner, counted, counted_row
from tests.generated.machines import Machine, draw_machine

# What the abstract module checks of its variable n.
_CHECKS = {
    "invariants": ("n < 2", "n # 1", "n < Limit"),
    "properties": (
        "n = 0 /\\ [][n' \\in {n, n + 1, 0}]_(n)",
        "[][n' # n + 1]_(n)",
        "[]<>(n = 0)",
        "[](n < Limit)",
    ),
}
_MAPPINGS = ("x", "x + t", "IF t = 0 THEN x ELSE 0", "x + x")


@dataclass(frozen=True, kw_only=True)
class InstanceModel(GeneratedModel):
    """A machine that checks ``text`` of an abstract module, whose n is ``mapping`` and whose Limit is ``limit``."""

    kind: ClassVar[str] = "instance"
    machine: Machine
    key: str
    text: str
    mapping: str
    limit: int
    parametrized: bool

    def compare(self, bench: MutantRunner) -> Comparison:
        keyword = "INVARIANT" if self.key == "invariants" else "PROPERTY"
        written = re.sub(r"\bn\b", f"({self.mapping})", self.text).replace("Limit", str(self.limit))
        module = f"{self.machine.text}Checked == {written}\n====\n"
        config = f"SPECIFICATION Spec\n{keyword} Checked\n"
        truth = counted(bench.run_reading({"M.tla": module, "M.cfg": config}, "-deadlock"))

        abstract = f"---- MODULE Abstract ----\nEXTENDS Naturals\nCONSTANT Limit\nVARIABLE n\nHolds == {self.text}\n====\n"
        if self.parametrized:
            instance = "A(Limit) == INSTANCE Abstract WITH n <- mapped"
            checked = f"A({self.limit})!Holds"
        else:
            instance = f"A == INSTANCE Abstract WITH n <- mapped, Limit <- {self.limit}"
            checked = "A!Holds"
        module = f"{self.machine.text}mapped == {self.mapping}\n{instance}\nChecked == {checked}\n====\n"
        sweep = (
            'module = "M.tla"\n[model]\nspecification = "Spec"\ncheck_deadlock = false\n'
            f'{self.key} = ["Checked"]\n'
        )
        files = {"M.tla": module, "Abstract.tla": abstract, "sweep.toml": sweep}
        ended = bench.run_tla2py(bench.write("tla2py", files), "sweep", "sweep.toml", "--json")
        (row,) = ended.json
        answer = counted_row(row)
        return Comparison(
            agrees=answer == truth,
            answer=f"{answer[0]}, as written out" if answer == truth else "differs",
            detail=f"{self.text} with n <- {self.mapping}: {truth} written out, {answer} by tla2py ({row['message']})",
        )


def draw_instance(random: Random) -> InstanceModel:
    """Draw a model that checks what an instance defines."""
    key = random.choice(list(_CHECKS))
    text = random.choice(_CHECKS[key])
    # TLC stops at a box around an action of an instance with parameters.
    has_action = "]_" in text
    return InstanceModel(
        machine=draw_machine(random),
        key=key,
        text=text,
        mapping=random.choice(_MAPPINGS),
        limit=random.randint(1, 4),
        parametrized=not has_action and random.random() < 0.4,
    )
