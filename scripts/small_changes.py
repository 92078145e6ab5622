"""Try small changes of the package with the tests of two checkouts, and say how many each notices.

``small_changes.py BEFORE AFTER --state FILE`` draws changes in functions that both checkouts have word for word: an operator
swapped, a condition negated, a statement dropped. Each is tried in both with the core tests that execute its line, for two
minutes at most. FILE has a line for each trial, so that the script goes on where it stopped.

Each checkout needs a .venv with pytest-cov; a run of its core with coverage comes first.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import subprocess
import tempfile
import textwrap
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

SECONDS = 120
_PAIRS: tuple[tuple[type[ast.AST], type[ast.AST]], ...] = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn), (ast.Is, ast.IsNot)),
    *((ast.And, ast.Or), (ast.Add, ast.Sub)),
)
SWAPPED = {**dict(_PAIRS), **{other: one for one, other in _PAIRS}}
DROPPED = (ast.Assign, ast.AugAssign, ast.Delete, ast.Raise)


class Function(NamedTuple):
    """A function of a checkout: its file, the lines it takes, its indentation and its tree."""

    file: Path
    first: int
    last: int
    column: int
    tree: ast.FunctionDef


class Change(NamedTuple):
    """The number of a node of a function's tree, what is done to it, and its line from the function's first, which is 0."""

    number: int
    what: str
    line: int


def functions(checkout: Path) -> dict[str, Function]:
    """The functions of a checkout by their text; a text that stands twice is left out."""
    found: dict[str, Function] = {}
    texts: Counter[str] = Counter()
    for file in sorted((checkout / "tla2py").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
                first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                text = ast.unparse(node)
                texts[text] += 1
                found[text] = Function(file, first, node.end_lineno, node.col_offset, node)
    return {text: each for text, each in found.items() if texts[text] == 1}


def changes(function: Function) -> Iterator[Change]:
    """The changes of a function."""
    for number, node in enumerate(ast.walk(function.tree)):
        line = getattr(node, "lineno", 0) - function.first
        if isinstance(node, (ast.Compare, ast.BoolOp, ast.BinOp)):
            operator = node.ops[0] if isinstance(node, ast.Compare) else node.op
            if type(operator) in SWAPPED:
                yield Change(number, "swap", line)
        elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
            yield Change(number, "negate", line)
        elif isinstance(node, DROPPED) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            yield Change(number, "drop", line)


def changed(function: Function, change: Change) -> str:
    """The text of a function's file after a change."""
    tree = deepcopy(function.tree)
    node = next(each for number, each in enumerate(ast.walk(tree)) if number == change.number)
    if isinstance(node, ast.Compare):
        node.ops[0] = SWAPPED[type(node.ops[0])]()  # type: ignore[assignment]
    elif isinstance(node, (ast.BoolOp, ast.BinOp)):
        node.op = SWAPPED[type(node.op)]()  # type: ignore[assignment]
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    else:
        for parent in ast.walk(tree):
            for body in (value for value in vars(parent).values() if isinstance(value, list)):
                if node in body:
                    body[body.index(node)] = ast.Pass()
    lines = function.file.read_text("utf-8").split("\n")
    text = textwrap.indent(ast.unparse(ast.fix_missing_locations(tree)), " " * function.column)
    lines[function.first - 1 : function.last] = text.split("\n")
    return "\n".join(lines)


def executing(checkout: Path) -> dict[str, dict[int, list[str]]]:
    """The core tests that execute each line of each file of a checkout."""
    report = checkout / "contexts.json"
    if not report.exists():
        run = [checkout / ".venv/bin/pytest", "--group=core", "-n2", "--dist=loadfile", "-q", "--cov=tla2py"]
        subprocess.run([*run, "--cov-context=test", "--cov-report="], cwd=checkout, check=True)
        show = [checkout / ".venv/bin/coverage", "json", "--show-contexts", "-q", "-o", report]
        subprocess.run(show, cwd=checkout, check=True)
    files = json.loads(report.read_text())["files"]
    return {
        name: {
            # Unit tests first: they are the fastest.
            int(line): sorted(
                {each.partition("|")[0] for each in tests if each},
                key=lambda test: (not test.startswith("tests/unit/"), test),
            )
            for line, tests in facts["contexts"].items()
        }
        for name, facts in files.items()
    }


def trial(checkout: Path, function: Function, change: Change, tests: list[str]) -> str:
    """Whether some tests notice a change: ``noticed``, ``unnoticed`` or ``time``."""
    before = function.file.read_text("utf-8")
    try:
        function.file.write_text(changed(function, change), "utf-8")
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as listed:
            listed.write("\n".join(tests))
            listed.flush()
            run = [
                checkout / ".venv/bin/pytest",
                "--group=core",
                "-xq",
                "-p",
                "no:cacheprovider",
                f"@{listed.name}",
            ]
            ended = subprocess.run(run, cwd=checkout, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "time"
    finally:
        function.file.write_text(before, "utf-8")
    return "noticed" if ended.returncode else "unnoticed"


def main() -> None:
    """Draw the changes, try those that the state lacks, and print the sums."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkouts", nargs=2, type=Path, metavar="BEFORE AFTER")
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    checkouts: list[Path] = [each.resolve() for each in given.checkouts]
    have = [functions(each) for each in checkouts]
    runs = [executing(each) for each in checkouts]

    def tests(side: int, text: str, change: Change) -> list[str]:
        function = have[side][text]
        # Comments may move a line.
        line = next(each.line for each in changes(function) if each.number == change.number)
        lines = runs[side].get(str(function.file.relative_to(checkouts[side])), {})
        return lines.get(function.first + line, [])

    both = sorted(have[0].keys() & have[1].keys())
    drawn = [(text, change) for text in both for change in changes(have[1][text])]
    drawn = [each for each in drawn if tests(0, *each) and tests(1, *each)]
    drawn = random.Random(given.seed).sample(drawn, min(given.count, len(drawn)))  # noqa: S311
    known = (
        [json.loads(line) for line in given.state.read_text().splitlines()] if given.state.exists() else []
    )
    done = {(each["change"], each["side"]): each["found"] for each in known}
    for text, change in drawn:
        after = have[1][text]
        # Not the number of the draw: another count or seed may draw it too.
        name = f"{after.file.relative_to(checkouts[1])}:{after.first + change.line} {change.what} {change.number}"
        left = [side for side in range(2) if (name, side) not in done]
        # Both at once, so that both get the same share of the processor.
        with ThreadPoolExecutor() as pool:
            found = pool.map(
                lambda side, text=text, change=change: trial(
                    checkouts[side], have[side][text], change, tests(side, text, change)
                ),
                left,
            )
            for side, answer in zip(left, found, strict=True):
                done[name, side] = answer
                row = {"change": name, "side": side, "found": answer}
                with given.state.open("a") as state:
                    state.write(json.dumps(row) + "\n")
                print(json.dumps(row), flush=True)
    for side, checkout in enumerate(checkouts):
        print(checkout, dict(Counter(found for (_, at), found in done.items() if at == side)))


if __name__ == "__main__":
    main()
