"""Models in which a name gets another value, by every way of naming it; the reading has the value written out."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import ClassVar, Literal

from tests.generated.comparison import Comparison, GeneratedModel, MutantRunner, counted, counted_row

Origin = Literal[
    "constant", "extended-constant", "passed-constant", "own", "extended", "instance", "named", "nested"
]
Route = Literal["constants", "substitutions", "parameters", "option", "set", "config", "module-config"]

_CONSTANTS: tuple[Origin, ...] = ("constant", "extended-constant", "passed-constant")
_INSTANCES: tuple[Origin, ...] = ("instance", "named", "nested")

_CONFIG = "INIT Init\nNEXT Next\nINVARIANT Small\n"
_SWEEP = """\
module = "M.tla"
[model]
init = "Init"
next = "Next"
invariants = ["Small"]
check_deadlock = false
"""


@dataclass(frozen=True, kw_only=True)
class Values:
    """The steps of a machine that reads a name D, its definition, and other values of D."""

    steps: str
    definition: str
    others: tuple[str, ...]


_VALUES = (
    Values(steps="x' \\in D", definition="{i \\in 0..8 : i % 2 = 0}", others=("{0, 2}", "{0, 2, 6}", "1..3")),
    Values(steps="x' = IF x < D THEN x + 1 ELSE 0", definition="5", others=("1", "3", "7")),
    Values(steps="x' = (x + D[1]) % 7", definition="<<1, 2>>", others=("<<2, 5>>", "<<3>>")),
    Values(
        steps="x' = IF D.on THEN (x + D.by) % 5 ELSE x",
        definition="[on |-> FALSE, by |-> 1]",
        others=("[on |-> TRUE, by |-> 2]",),
    ),
)


@dataclass(frozen=True, kw_only=True)
class ValueModel(GeneratedModel):
    """A machine whose name D, declared at ``origin``, is given ``value`` by ``route``."""

    kind: ClassVar[str] = "value"
    values: Values
    value: str
    origin: Origin
    route: Route
    bound: int

    @property
    def files(self) -> dict[str, str]:
        """The modules."""
        machine = f"Init == x = 0\nNext == {self.values.steps}\n"
        constant = self.origin in _CONSTANTS
        declared = "CONSTANT D\n" if constant else f"D == {self.values.definition}\n"
        base = f"---- MODULE Base ----\nEXTENDS Naturals\nVARIABLE x\n{declared}{machine}====\n"
        variable = "VARIABLE x\n"
        head, middle = {
            "constant": ("EXTENDS Naturals", f"{variable}{declared}{machine}"),
            "own": ("EXTENDS Naturals", f"{variable}{declared}{machine}"),
            "extended-constant": ("EXTENDS Base", ""),
            "extended": ("EXTENDS Base", ""),
            "passed-constant": ("EXTENDS Naturals", f"{variable}{declared}INSTANCE Base\n"),
            "instance": ("EXTENDS Naturals", f"{variable}INSTANCE Base\n"),
            "named": (
                "EXTENDS Naturals",
                f"{variable}W == INSTANCE Base\nInit == W!Init\nNext == W!Next\n",
            ),
            "nested": ("EXTENDS Middle", ""),
        }[self.origin]
        other = f"Other == {self.value}\nSmall == x < {self.bound}\n"
        files = {"M.tla": f"---- MODULE M ----\n{head}\n{middle}{other}====\n"}
        if self.origin not in ("constant", "own"):
            files["Base.tla"] = base
        if self.origin == "nested":
            files["Middle.tla"] = (
                f"---- MODULE Middle ----\nEXTENDS Naturals\n{variable}INSTANCE Base\n====\n"
            )
        return files

    @property
    def name(self) -> str:
        """The name as the root module sees it."""
        return "W!D" if self.origin == "named" else "D"

    @property
    def written_out(self) -> str:
        """The module M with the value in the place of D."""
        definitions = f"D == {self.value}\nSmall == x < {self.bound}\n"
        machine = f"Init == x = 0\nNext == {self.values.steps}\n"
        return f"---- MODULE M ----\nEXTENDS Naturals\nVARIABLE x\n{definitions}{machine}====\n"

    @property
    def config(self) -> str:
        """The config of a check."""
        substitution = {"config": f"{self.name} <- Other", "module-config": "D <- [Base]Other"}
        given = substitution.get(self.route)
        return _CONFIG if given is None else f"{_CONFIG}CONSTANT {given}\n"

    @property
    def sweep(self) -> str:
        """The sweep file."""
        first = self.values.definition.replace("\\", "\\\\")
        varied = self.route == "set" and self.origin not in _CONSTANTS
        table = {
            "constants": f'[constants]\n"{self.name}" = "{self.value}"\n',
            "substitutions": f'[substitutions]\n"{self.name}" = "Other"\n',
            "parameters": f'[parameters]\n"{self.name}" = ["{self.value}"]\n',
            "set": f'[parameters]\n"{self.name}" = ["{first}"]\n'
            if varied
            else f'[constants]\nD = "{first}"\n',
        }
        return _SWEEP + table.get(self.route, "")

    @property
    def command(self) -> list[str]:
        """The command of tla2py that gives D its value."""
        if self.route in ("option", "config", "module-config"):
            words = ["check", "M.tla", "--config", "M.cfg", "--no-deadlock", "--json"]
            return [*words, "-c", f"{self.name}={self.value}"] if self.route == "option" else words
        words = ["sweep", "sweep.toml", "--json"]
        return [*words, "--set", f"{self.name}={self.value}"] if self.route == "set" else words

    def compare(self, bench: MutantRunner) -> Comparison:
        reading = {"M.tla": self.written_out, "M.cfg": _CONFIG}
        truth = counted(bench.run_reading(reading, "-deadlock"))

        folder = bench.write("tla2py", {**self.files, "M.cfg": self.config, "sweep.toml": self.sweep})
        ended = bench.run_tla2py(folder, *self.command)
        what = f"{self.name} ({self.origin}) is {self.value}, by {self.route}"
        if ended.code == 2 and ended.reported.errors:
            return Comparison(
                agrees=self.may_be_refused,
                answer=f"refused: {ended.error.code}" if self.may_be_refused else "differs",
                detail=f"{what}: {truth} written out, refused by tla2py: {ended.error}",
            )

        rows = ended.json
        answer = counted_row(rows[0] if isinstance(rows, list) else rows)
        return Comparison(
            agrees=answer == truth,
            answer=f"{answer[0]}, as written out" if answer == truth else "differs",
            detail=f"{what}: {truth} written out, {answer} by tla2py",
        )

    @property
    def may_be_refused(self) -> bool:
        """Whether TLC cannot give the name this value, so that an error is the right answer."""
        # A config by hand, whose substitution TLC ignores.
        return self.route == "config" and self.origin in _INSTANCES


def draw_value(random: Random) -> ValueModel:
    """Draw a model in which a name gets another value."""
    values = random.choice(_VALUES)
    origins: tuple[Origin, ...] = (*_CONSTANTS, "own", "extended", *_INSTANCES)
    origin = random.choice(origins)
    routes: list[Route] = ["substitutions", "parameters", "option", "set", "config"]
    if origin in _CONSTANTS:
        routes.append("constants")
    if origin in ("extended", "instance", "named", "nested"):
        routes.append("module-config")
    return ValueModel(
        values=values,
        value=random.choice(values.others),
        origin=origin,
        route=random.choice(routes),
        bound=random.randint(2, 7),
    )
