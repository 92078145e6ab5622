"""A small module and its sweep file in a folder, to be gated and broken."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.command import CommandResult
from tests.conftest import SPECS, RunCli, spec
from tla2py.gate.reasons import Drift, Reason

LIFT = spec("gate/Lift")
SWEEP = (SPECS / "gate/lift.toml").read_text()
NO_CI = dict.fromkeys(("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE", "CI_PROJECT_DIR"))
Env = dict[str, str | None]


class Folder:
    def __init__(self, path: Path, run_cli: RunCli) -> None:
        self.path = path
        self.module = path / "Lift.tla"
        self.sweep = path / "sweep.toml"
        self.lock = path / "sweep.lock"
        self.store = path / "store"
        self.module.write_text(LIFT)
        self.sweep.write_text(SWEEP)
        self._run = run_cli

    def gate(self, *options: str | Path, env: Env | None = None, code: int | None = None) -> CommandResult:
        asked = ("gate", "sweep.toml", "-o", self.store, "--executor", "local", *options)
        return self.cli(*asked, env=env, code=code)

    def cli(
        self, *args: str | Path, env: Env | None = None, prefix: Sequence[str] = (), code: int | None = None
    ) -> CommandResult:
        return self._run(*args, cwd=self.path, env={**NO_CI, **(env or {})}, prefix=prefix, code=code)

    def change(self, file: Path, old: str, new: str) -> None:
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))

    def sweep_over(self, values: str, more: str = "") -> None:
        """Sweep these values of Top, without the row about one of them; what is added ends the sweep file."""
        self.change(self.sweep, SWEEP[SWEEP.index("[[expect.point]]") :], more)
        self.change(self.sweep, "Top = [1, 2]", f"Top = {values}")


def red(ended: CommandResult, code: int, *reasons: tuple[Reason, int | None]) -> None:
    """Assert that a gate ended with this code, for these reasons at these points, and shows each of them."""
    assert ended.code == code, ended
    assert ended.reasons == set(reasons), ended
    assert "Traceback" not in ended.stderr
    shown = " ".join(ended.stdout.split())
    told = {problem.point for problem in ended.problems if problem.reason is Reason.UNEXPECTED}
    for problem in ended.problems:
        drift = problem.cause if isinstance(problem.cause, Drift) else None
        new = drift is not None and drift.kind == "violation" and drift.now is not None
        if drift and problem.point in told and (new or drift.kind == "verdict"):
            continue  # said by the unexpected result
        assert f"{problem.reason.value}: {' '.join(problem.text.split())}" in shown


def refused(ended: CommandResult, code: str, where: str | None = None, *names: str) -> None:
    """Assert that a gate did not run because of this error, whose message or hint has these names."""
    assert ended.code == 2, ended
    assert ended.refusal == (code, where), ended.error
    for name in names:
        assert name in str(ended.error)
    assert "Traceback" not in ended.stderr


def drifts(ended: CommandResult) -> set[tuple[int | None, str, str | int | None, str | int | None]]:
    """The drifts: the point, None for the whole sweep, the kind, and what was and is there, or twice the changed name."""
    return {(at, each.kind, each.name or each.before, each.name or each.now) for at, each in ended.drifts}
