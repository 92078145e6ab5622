"""Models with a VIEW; the reading is plain TLC without it."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from tests.generated.comparison import Comparison, GeneratedModel, MutantRunner, gate_reasons
from tests.generated.machines import Check, Machine, draw_check, draw_machine

# Each view with the variables that it determines.
_VIEWS = {
    "x": frozenset("x"),
    "<<x>>": frozenset("x"),
    "t": frozenset("t"),
    "<<t, x>>": frozenset("xt"),
    "[first |-> x, second |-> t]": frozenset("xt"),
}
_RED = {"view-liveness", "view-hides"}


@dataclass(frozen=True, kw_only=True)
class ViewModel(GeneratedModel):
    """A machine under a view, with one check, read directly or through a definition."""

    kind: ClassVar[str] = "view"
    machine: Machine
    check: Check
    view: str
    through_definition: bool

    @property
    def module(self) -> str:
        """The text of the module."""
        text = self.check.text
        definitions = f"Checked == {text}\n"
        if self.through_definition and self.check.key == "invariants":
            definitions = f"Condition == {text}\nChecked == Condition\n"
        return f"{self.machine.text}Seen == {self.view}\n{definitions}====\n"

    def compare(self, bench: MutantRunner) -> Comparison:
        config = f"SPECIFICATION Spec\n{self.check.keyword} Checked\n"
        truth = bench.run_reading({"M.tla": self.module, "M.cfg": config}, "-deadlock").verdict

        sweep = (
            'module = "M.tla"\n[model]\nspecification = "Spec"\nview = "Seen"\ncheck_deadlock = false\n'
            f'{self.check.key} = ["Checked"]\n[expect]\nverdict = "holds"\n'
        )
        folder = bench.write("tla2py", {"M.tla": self.module, "sweep.toml": sweep})
        ended = bench.run_tla2py(folder, "gate", "sweep.toml", "--json")
        (gated,) = ended.json
        reasons = gate_reasons(gated) & _RED
        verdict = gated["points"][0]["verdict"]

        sees_all = _VIEWS[self.view] == frozenset("xt")
        if reasons:
            needless = sees_all and not self.check.temporal
            answer = f"red for {', '.join(sorted(reasons))}"
            agrees = ended.code != 0 and not needless
        else:
            answer = f"{verdict}, as without the view"
            agrees = verdict == truth and (ended.code == 0) == (truth == "holds")
        detail = f"VIEW {self.view}: {truth} without it, gate exit {ended.code}, {verdict}, {sorted(reasons)}"
        return Comparison(agrees=agrees, answer=answer if agrees else "differs", detail=detail)


def draw_view(random: Random) -> ViewModel:
    """Draw a model with a view."""
    machine = draw_machine(random)
    return ViewModel(
        machine=machine,
        check=draw_check(random, machine),
        view=random.choice(list(_VIEWS)),
        through_definition=random.random() < 0.5,
    )
