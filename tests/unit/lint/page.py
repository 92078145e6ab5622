"""The examples of docs/lint.md: for each rule a wrong and a right file, and TLC's exit code for the wrong one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tla2py.model.finding import Finding
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.rules import lint_sweep

_PAGE = Path(__file__).resolve().parents[3] / "docs" / "lint.md"
_EXAMPLE = re.compile(
    r"#### `(?P<code>[\w-]+)`\n\n\*An? (?P<severity>\w+)(?:; TLC 2\.15 ends with (?P<exit>\d+))?\.\*.*?"
    r"```(?P<kind>cfg|toml)\n(?P<wrong>.*?)```\n```(?P=kind)\n(?P<right>.*?)```\n",
    re.DOTALL,
)


@dataclass(frozen=True)
class Example:
    code: str
    severity: str
    exit_code: int | None
    suffix: str
    wrong: str
    right: str


def _texts() -> tuple[str, str, list[Example]]:
    page = _PAGE.read_text()
    (module,) = re.findall(r"```tla\n(.*?)```", page, re.DOTALL)
    begin, _, rest = page.partition("```cfg\n")[2].partition("```\n")

    def whole(kind: str, text: str) -> str:
        if kind == "toml":
            return f'module = "Box.tla"\n{text}'
        return text if text.startswith("\\* whole\n") else begin + text

    examples = []
    for found in _EXAMPLE.finditer(rest):
        kind, exit_code = found["kind"], int(found["exit"]) if found["exit"] else None
        sides = whole(kind, found["wrong"]), whole(kind, found["right"])
        examples.append(Example(found["code"], found["severity"], exit_code, f".{kind}", *sides))
    return module, rest, examples


MODULE, RULES_TEXT, EXAMPLES = _texts()


def lint_text(path: Path, text: str) -> tuple[Finding, ...]:
    path.write_text(text)
    sweep = load_sweep(path)
    return lint_sweep(sweep, plan_sweep(sweep, ""))
