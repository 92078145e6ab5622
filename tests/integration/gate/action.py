"""The action's steps, each run as GitHub's runner would: its expressions replaced, its shell a real bash."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.command import tool
from tests.integration.gate.lift import NO_CI

ROOT = Path(__file__).resolve().parents[3]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")
Completed = subprocess.CompletedProcess[str]


def environment(**given: str | None) -> dict[str, str]:
    """The environment of a job: no variables of the CI that runs the tests, and this Python first; None removes one."""
    kept = {name: value for name, value in os.environ.items() if name not in NO_CI}
    kept["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
    merged: dict[str, str | None] = {**kept, **given}
    return {name: value for name, value in merged.items() if value is not None}


@dataclass
class Job:
    """A job that uses the action in the folder of a checkout."""

    checkout: Path
    temporary: Path
    event: str = "push"
    index: int = 0
    variables: Mapping[str, str | None] = field(default_factory=dict)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)

    def value(self, text: str, inputs: Mapping[str, str]) -> str:
        """A text with its expressions replaced. Raises KeyError if one names what nothing has written."""
        return re.sub(r"\$\{\{ *(.*?) *\}\}", lambda found: self._lookup(found[1], inputs), text)

    def _lookup(self, expression: str, inputs: Mapping[str, str]) -> str:
        match expression.split("."):
            case ["inputs", name]:
                return inputs[name] if name in inputs else str(ACTION["inputs"][name]["default"])
            case ["steps", step, "outputs", name]:
                return self.outputs[step][name]
        contexts = {
            "github.action_path": str(ROOT),
            "github.event_name": self.event,
            "github.run_id": "7",
            "runner.os": "Linux",
            "runner.arch": "X64",
            "runner.temp": str(self.temporary),
            "strategy.job-index": str(self.index),
        }
        return contexts[expression]

    def step(self, name: str, code: int = 0, /, **inputs: str) -> Completed:
        """The step of this name, run, which ends with this code; what it writes to GITHUB_OUTPUT is kept."""
        [step] = [each for each in STEPS if each["name"] == name]
        written = self.temporary / "output"
        written.unlink(missing_ok=True)
        github = {"GITHUB_ACTIONS": "true", "GITHUB_JOB": "tlc", "GITHUB_WORKSPACE": str(self.checkout)}
        files = {"OUTPUT": "output", "ENV": "env", "PATH": "path", "STEP_SUMMARY": "summary"}
        github |= {f"GITHUB_{key}": str(self.temporary / name) for key, name in files.items()}
        given = {key: self.value(value, inputs) for key, value in step.get("env", {}).items()}
        env = environment(**{**github, **self.variables}) | given
        ended = tool(*BASH, step["run"], cwd=self.checkout, env=env, timeout=600)
        lines = written.read_text().splitlines() if written.exists() else []
        found = {key: value for key, _, value in (line.partition("=") for line in lines)}
        self.outputs.setdefault(step.get("id", name), {}).update(found)
        assert ended.returncode == code, ended.stdout + ended.stderr
        return ended

    def use(self, code: int = 0, /, **inputs: str) -> Completed:
        """The action with tla2py already installed: that of the tests."""
        self.step("prepare", **inputs)
        venv = Path(self.outputs["prepare"]["venv"])
        (venv / "bin").mkdir(parents=True, exist_ok=True)
        (venv / "ready").touch()
        if not (venv / "bin" / "tla2py").exists():
            (venv / "bin" / "tla2py").symlink_to(Path(sys.executable).with_name("tla2py"))
        self.step("install", **inputs)
        return self.step("gate", code, **inputs)

    @property
    def reports(self) -> Path:
        return Path(self.outputs["prepare"]["reports"])
