"""Every error that the code can raise, read from its source: code, message, hint."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tla2py

PACKAGE = Path(tla2py.__file__).parent
CLASSES = ("InputError", "ToolchainError", "StoreError")


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """A place that creates an error; ``message`` has placeholders in capitals for values known only at run time."""

    code: str
    error: str
    message: str
    hint: str | None
    where: str


@cache
def raised_errors() -> tuple[Raised, ...]:
    """All errors in the code, by code and place. Raises ValueError for a code that is not a literal."""
    texts = {path: path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    constants = {name: value for tree in trees.values() for name, value in _constants(tree).items()}
    found = [each for path, tree in trees.items() for each in _in_module(path, texts[path], tree, constants)]
    return tuple(sorted(found, key=lambda each: (each.code, each.message, each.where)))


def _in_module(
    path: Path, text: str, tree: ast.Module, constants: Mapping[str, ast.expr]
) -> Iterator[Raised]:
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if not isinstance(call.func, ast.Name) or call.func.id not in CLASSES:
            continue
        inside = [each for each in functions if each.lineno <= call.lineno <= (each.end_lineno or 0)]
        local = {name: value for each in inside for name, value in _assigned(each).items()}
        said = _Words({**constants, **_constants(tree), **local}, {each.name: each for each in functions})
        where = f"{path.relative_to(PACKAGE.parent)}:{call.lineno}"
        code, message = call.args[:2]
        if isinstance(code, ast.Attribute) and code.attr == "code":
            continue  # a re-raised error
        hint = next((each.value for each in call.keywords if each.arg == "hint"), None)
        for one in said.codes(code, where, text.splitlines()[call.lineno - 2 : call.end_lineno]):
            yield Raised(
                code=one,
                error=call.func.id,
                message=said.text(message),
                hint=None if hint is None else said.text(hint),
                where=where,
            )


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    """The constants of a module."""
    top = ast.Module(body=[each for each in tree.body if isinstance(each, ast.Assign)], type_ignores=[])
    return _assigned(top)


def _assigned(node: ast.AST) -> dict[str, ast.expr]:
    """The names assigned within a node; several texts for one name are alternatives."""
    found: dict[str, ast.expr] = {}

    def give(target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for name, part in zip(target.elts, value.elts, strict=False):
                give(name, part)
        elif isinstance(target, ast.Name):
            before = found.get(target.id)
            both = _is_text(before) and _is_text(value)
            found[target.id] = ast.IfExp(ast.Constant(True), before, value) if both and before else value

    for each in ast.walk(node):
        if isinstance(each, ast.Assign):
            for target in each.targets:
                give(target, each.value)
    return found


class _Words:
    """Renders expressions as text, with names resolved to the texts they stand for."""

    def __init__(self, names: Mapping[str, ast.expr], functions: Mapping[str, ast.FunctionDef]) -> None:
        self._names, self._functions = names, functions

    def codes(self, node: ast.expr, where: str, lines: Sequence[str]) -> list[str]:
        """The possible codes of an expression; a computed one needs a comment, ``# codes: one, two``."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return [node.value]
        if isinstance(node, ast.IfExp):
            return [*self.codes(node.body, where, lines), *self.codes(node.orelse, where, lines)]
        for line in lines:
            if said := re.search(r"# codes: (.*)", line):
                return re.split(r",\s*", said[1].strip())
        raise ValueError(
            f"{where}: write the code as a literal, or its alternatives in a comment: # codes: one, two"
        )

    def text(self, node: ast.expr, depth: int = 4) -> str:
        """The text; alternatives are separated by " / "."""
        if isinstance(node, ast.Constant):
            return "" if node.value is None else str(node.value)
        if isinstance(node, ast.JoinedStr):
            parts = [
                self._placeholder(each.value, depth)
                if isinstance(each, ast.FormattedValue)
                else self.text(each)
                for each in node.values
            ]
            return "".join(parts)
        if isinstance(node, ast.IfExp):
            return " / ".join(dict.fromkeys(filter(None, (self.text(node.body), self.text(node.orelse)))))
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and _is_text(node.values[-1]):
            return self.text(node.values[-1])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.text(node.left) + self.text(node.right)
        if isinstance(node, ast.Name) and depth and _is_text(self._names.get(node.id)):
            return self.text(self._names[node.id], depth - 1)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "did_you_mean":
            return f"did you mean CLOSE? / {self.text(node.args[2], depth)}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self._functions:
            returned = [
                each.value
                for each in ast.walk(self._functions[node.func.id])
                if isinstance(each, ast.Return) and each.value is not None
            ]
            return " / ".join(dict.fromkeys(self.text(each) for each in returned))
        if isinstance(node, ast.Subscript):
            return self.text(node.value, depth)
        return self._placeholder(node, depth)

    def _placeholder(self, node: ast.expr, depth: int) -> str:
        """The placeholder for a value: its name in the code, in capitals."""
        if isinstance(node, ast.Constant):
            return str(node.value)
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if (
                isinstance(node, ast.Name)
                and name.isupper()
                and isinstance(self._names.get(name), ast.Constant)
            ):
                return self.text(self._names[name], depth - 1)
            return {"strerror": "REASON", "error": "REASON"}.get(name, name.strip("_").upper())
        if isinstance(node, ast.BoolOp):
            return self._placeholder(node.values[0], depth)
        if isinstance(node, ast.IfExp):
            return self._placeholder(node.body, depth)
        if isinstance(node, ast.Call):
            if (
                isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Constant)
                and node.args
            ):
                return f"{self._placeholder(node.args[0], depth)}..."  # ", ".join(names)
            if isinstance(node.func, ast.Name) and node.func.id == "counted":
                return f"{self._placeholder(node.args[0], depth)} {self.text(node.args[1])}s"
            if node.args:
                return self._placeholder(node.args[0], depth)
            if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.JoinedStr):
                return self.text(node.func.value)  # f"...".strip()
            return self._placeholder(node.func, depth)
        if isinstance(node, ast.Subscript):
            return self._placeholder(node.value, depth)
        return re.sub(r"\W+", " ", ast.unparse(node)).split()[0].upper() if depth else "..."


def _is_text(node: ast.expr | None) -> bool:
    return isinstance(node, (ast.JoinedStr, ast.IfExp)) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
