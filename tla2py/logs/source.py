"""Parts of modules copied into a module that extends the root."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tla2py.syntax import ModuleGraph, Span
from tla2py.syntax.expression import Expression
from tla2py.syntax.scope import Scope
from tla2py.syntax.standard import standard_module_of

_BRINGS = {"Integers": ("Naturals",), "Reals": ("Integers", "Naturals")}
_NUMBERS = frozenset({"Naturals", "Integers", "Reals"})


NEW = "tla2py"
"""The text of an expression that is a name of the root, and not a part of a module."""


class HiddenError(Exception):
    """A part uses names that the module that extends the root cannot see."""


class Source:
    """Copies of parts of a specification's modules, with the names that they have below the root."""

    def __init__(self, spec: ModuleGraph) -> None:
        self.spec = spec
        extended = {each.module for module in spec.extended for each in module.extends}
        self._standard = extended.union(*(_BRINGS.get(each, ()) for each in extended))
        self.needed: set[str] = set()
        """The standard modules that copies need and the root does not extend."""

    def text(self, expr: Expression, scope: Scope, prefix: str) -> str:
        """The text of an expression, in parentheses on lines of its own, because TLA+ depends on columns.

        Raises HiddenError.
        """
        if expr.text == NEW:
            return expr.operator
        return f"({self.slice(expr.span, scope, self.renamed([expr], scope, prefix))})"

    def slice(self, span: Span, scope: Scope, names: dict[tuple[int, int], tuple[str, str]]) -> str:
        """The text of a span in its columns, with names replaced. Raises HiddenError."""
        lines = scope.module.text.split("\n")[span.begin_line - 1 : span.end_line]
        if names and len(lines) > 1:
            # Other lengths would move what follows on the line out of its column.
            raise HiddenError
        for (line, column), (old, new) in sorted(names.items(), reverse=True):
            text = lines[line - span.begin_line]
            if not text.startswith(old, column - 1):
                raise HiddenError
            lines[0] = text[: column - 1] + new + text[column - 1 + len(old) :]
            if line == span.end_line:
                span = Span(
                    begin_line=span.begin_line,
                    begin_column=span.begin_column,
                    end_line=span.end_line,
                    end_column=span.end_column + len(new) - len(old),
                )
        lines[-1] = lines[-1][: span.end_column]
        if len(lines) == 1:
            return lines[0][span.begin_column - 1 :].strip()
        lines[0] = " " * (span.begin_column - 1) + lines[0][span.begin_column - 1 :]
        return "\n" + "\n".join(lines)

    def renamed(
        self, parts: Iterable[Expression], scope: Scope, prefix: str
    ) -> dict[tuple[int, int], tuple[str, str]]:
        """The names that change in some parts, by place. Raises HiddenError for a name that cannot be seen."""
        changed = {}
        for part in parts:
            for expr, inside in self._within(part, scope):
                if expr.shape != "apply":
                    continue
                new = self.visible(expr, inside, prefix)
                if new != expr.operator:
                    changed[(expr.span.begin_line, expr.span.begin_column)] = (expr.operator, new)
        return changed

    def visible(self, expr: Expression, scope: Scope, prefix: str) -> str:
        """What the operator of an expression is called below the root. Raises HiddenError."""
        name = expr.operator
        entity = scope.find(name)
        if entity is None:
            module = standard_module_of(name)
            if module is not None and not self._has(module):
                if any(standard_module_of(each) == module for each in self.spec.scope.names):
                    raise HiddenError
                self.needed.add(module)
            return name
        root = self.spec.scope
        if entity.enclosed or (root.find(name) is entity and entity.exported):
            return name
        seen = root.find(prefix + name)
        if (
            entity.kind == "definition"
            and seen is not None
            and seen.declaration is entity.declaration
            and seen.exported
        ):
            return prefix + name
        if entity.kind == "substituted" and entity.scope is root and entity.body is not None:
            return self.text(entity.body, root, "")
        raise HiddenError

    def _has(self, module: str) -> bool:
        """Whether the names of a standard module can be seen below the root."""
        return module in self._standard or (module in _NUMBERS and bool(self._standard & _NUMBERS))

    def check_new(self, names: Iterable[str]) -> None:
        """Raises HiddenError if the root has one of these names, which a copy would bind again."""
        if any(name in self.spec.scope.names for name in names):
            raise HiddenError

    def _within(self, expr: Expression, scope: Scope) -> Iterator[tuple[Expression, Scope]]:
        """An expression and all inside it, each with its scope; binds what they bind. Raises HiddenError."""
        pending = [(expr, scope)]
        while pending:
            each, around = pending.pop()
            yield each, around
            inside = around
            if each.shape == "let":
                if each.instances:
                    raise HiddenError
                inside = self.spec.resolver.let(around, each)
                self.check_new(name for found in each.definitions for name in (found.name, *found.parameters))
            self.check_new(name for bound in each.bounds for name in bound.names)
            pending += [(child, inside) for child in each.children()]
