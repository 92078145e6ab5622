"""Models with assumptions about their constants; the reading is Python's value of the assumptions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import ClassVar, Literal

from tests.generated.comparison import Comparison, GeneratedModel, MutantRunner, gate_reasons

_OPERATORS = ((r"/\\", "and"), (r"\\/", "or"), ("~", "not "), ("#", "!="), (r"(?<![<>!])=(?!=)", "=="))


def is_true(assumption: str, constants: dict[str, int]) -> bool:
    """Return the value of an assumption, by Python."""
    text = assumption
    for operator, python in _OPERATORS:
        text = re.sub(operator, python, text)
    return bool(eval(text, {}, constants))


def draw_formula(random: Random, depth: int = 2) -> str:
    """Draw a formula over the constants N and M."""
    if depth and random.random() < 0.5:
        left, right = draw_formula(random, depth - 1), draw_formula(random, depth - 1)
        operator = random.choice(("/\\", "\\/"))
        return f"({left}) {operator} ({right})"
    number = random.randint(0, 4)
    atoms = (
        f"N > {number}",
        f"N # {number}",
        f"N + M < {number + 2}",
        "N = M",
        f"N % 2 = {number % 2}",
        f"~(M < {number})",
    )
    return random.choice(atoms)


@dataclass(frozen=True, kw_only=True)
class AssumptionModel(GeneratedModel):
    """A module with assumptions, run as a grid over its constants or as a folder with one config."""

    kind: ClassVar[str] = "assumption"
    assumptions: tuple[str, ...]
    way: Literal["grid", "folder", "folder-without-variables"]
    bound: int
    constants: tuple[tuple[str, int], ...]

    @property
    def module(self) -> str:
        """The text of the module."""
        lines = "".join(f"ASSUME {each}\n" for each in self.assumptions)
        head = f"---- MODULE M ----\nEXTENDS Naturals\nCONSTANTS N, M\n{lines}"
        if self.way == "folder-without-variables":
            return f"{head}====\n"
        return f"{head}VARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % (N + 1)\nInv == x < {self.bound}\n====\n"

    def verdict(self, constants: dict[str, int]) -> str:
        """The right verdict of the values of the constants, by Python."""
        if not all(is_true(assumption, constants) for assumption in self.assumptions):
            return "excluded"
        has_states = self.way != "folder-without-variables"
        return "violated" if has_states and constants["N"] >= self.bound else "holds"

    def compare(self, bench: MutantRunner) -> Comparison:
        return self.compare_grid(bench) if self.way == "grid" else self.compare_folder(bench)

    def compare_grid(self, bench: MutantRunner) -> Comparison:
        """Compare each point of a grid."""
        sweep = (
            'module = "M.tla"\n[model]\ninit = "Init"\nnext = "Next"\ninvariants = ["Inv"]\n'
            "[parameters]\nN = [0, 1, 2, 4]\nM = [0, 3]\n"
        )
        folder = bench.write("tla2py", {"M.tla": self.module, "sweep.toml": sweep})
        ended = bench.run_tla2py(folder, "sweep", "sweep.toml", "--json")
        answers = {(int(row["N"]), int(row["M"])): row["verdict"] for row in ended.json}
        right = {(n, m): self.verdict({"N": n, "M": m}) for n, m in product((0, 1, 2, 4), (0, 3))}
        excluded = "some" if "excluded" in right.values() else "none"
        return Comparison(
            agrees=answers == right,
            answer=f"a grid, {excluded} excluded" if answers == right else "differs",
            detail=f"{self.assumptions}: {right} by Python, {answers} by tla2py",
        )

    def compare_folder(self, bench: MutantRunner) -> Comparison:
        """Compare the gate of a folder, in which nothing chose the values."""
        constants = dict(self.constants)
        config = "".join(f"CONSTANT {name} = {value}\n" for name, value in self.constants)
        if self.way == "folder":
            config += "INIT Init\nNEXT Next\nINVARIANT Inv\n"
        right = self.verdict(constants)
        folder = bench.write("tla2py", {"M.tla": self.module, "M.cfg": config})
        ended = bench.run_tla2py(folder, "gate", ".", "--json")
        (gated,) = ended.json
        verdict = gated["points"][0]["verdict"]
        green = ended.code == 0
        agrees = verdict == right and green == (right == "holds")
        return Comparison(
            agrees=agrees,
            answer=f"{self.way}: {right}" if agrees else "differs",
            detail=(
                f"{self.way}, {self.assumptions}, {constants}: {right} by Python; "
                f"gate exit {ended.code}, {verdict}, {sorted(gate_reasons(gated))}"
            ),
        )


def draw_assumption(random: Random) -> AssumptionModel:
    """Draw a model with one or two assumptions."""
    return AssumptionModel(
        assumptions=tuple(draw_formula(random) for _ in range(random.randint(1, 2))),
        way=random.choice(("grid", "folder", "folder-without-variables")),
        bound=random.randint(1, 5),
        constants=(("N", random.randint(0, 4)), ("M", random.randint(0, 3))),
    )
