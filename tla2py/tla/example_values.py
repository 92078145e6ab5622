"""Small example values for constants that satisfy simple assumptions of their module."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType

from tla2py.tla.constant_types import ConstantType
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.module import Constant, Expression
from tla2py.tla.parse import StandaloneExpression, parse_expression
from tla2py.tla.scope import Scope
from tla2py.tla.types import Type

_SMALL = 2
# Deeper than any real assumption.
_DEPTH = 12
_OWN = "model value"
_ELEMENTS = {**dict.fromkeys(("Nat", "Int", "Real"), str(_SMALL)), "BOOLEAN": "FALSE", "STRING": '"a"'}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def guess_values(
    spec: ModuleGraph, types: Mapping[str, ConstantType], given: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """The example values of constants, as TLA+ text by name.

    ``given`` are the values of some constants. Constants that are the model value of their own name are left out. If an assumption puts a model value in a set, the
    example is an element of that set.
    """
    guesser = _Guesser(spec, types, given)
    values = {each.name: guesser.value(each.name) for each in spec.constants}
    return {name: text for name, text in values.items() if text != name}


@dataclass(frozen=True, slots=True)
class _Domain:
    """The domain that an assumption gives a constant.

    By ``relation`` the constant is an element (``\\in``) or a subset (``\\subseteq``) of ``expression``, or each of its
    elements is a subset (``each``).
    """

    relation: str
    expression: Expression
    scope: Scope


def assumed_conjuncts(spec: ModuleGraph) -> Iterator[tuple[Expression, Scope]]:
    """The conjuncts of a module's assumptions, definitions expanded."""
    pending = [(a.body, spec.scope_of(m), 0) for m in spec.extended for a in m.assumptions]
    while pending:
        expr, scope, depth = pending.pop(0)
        entity = scope.named(expr)
        if expr.shape == "apply" and expr.operator == "/\\":
            pending += [(part, scope, depth) for part in expr.arguments]
        elif entity is not None and entity.body is not None and depth < _DEPTH:
            pending.append((entity.body, entity.scope, depth + 1))
        else:
            yield expr, scope


class _Guesser:
    def __init__(
        self, spec: ModuleGraph, types: Mapping[str, ConstantType], given: Mapping[str, str]
    ) -> None:
        self._spec = spec
        self._types = types
        self._constants: dict[str, Constant] = {each.name: each for each in spec.constants}
        self._values = dict(given)
        self._domains: dict[str, _Domain] = {}
        self._least: dict[str, int] = {}
        self._prefixes: set[str] = set()
        # One for each depth: TLA+ does not allow redeclaring a name in its scope.
        self._bounds = self._unused(_DEPTH + 1)
        for expr, scope in assumed_conjuncts(spec):
            self._note(expr, scope)

    def value(self, name: str) -> str:
        """The example value of a constant."""
        if name not in self._values:
            # For a domain that depends on the constant itself.
            self._values[name] = self._by_type(name, self._types[name].type)
            self._values[name] = self._choose(name)
        return self._values[name]

    def _choose(self, name: str) -> str:
        constant, wanted = self._constants[name], self._types[name].type
        if constant.arity:
            parameters = ", ".join(self._unused(constant.arity))
            return f"LAMBDA {parameters} : {self._result(name, wanted.element)}"
        if wanted.kind == "number":
            return str(max(_SMALL, self._least.get(name, 0)))
        domain = self._domains.get(name)
        simple = wanted.element.kind if wanted.kind == "set" and wanted.element is not None else wanted.kind
        if domain is None or simple in {"number", "string", "boolean"}:
            return self._values[name]
        read = self._text_in_root if domain.relation == "each" else self._element
        found = read(domain.expression, domain.scope)
        if found is not None:
            found = found if domain.relation == "\\in" else f"{{{found}}}"
            parsed = _parsed(found)
            if parsed is not None and name not in parsed.names:
                return found
        return self._values[name]

    def _result(self, name: str, wanted: Type | None) -> str:
        """Return an example of what an operator constant returns, of the type that its uses show."""
        if wanted is None or wanted.kind == "boolean":
            return "TRUE"
        domain = self._domains.get(name)
        if domain is not None:
            read = self._text_in_root if domain.relation == "\\subseteq" else self._element
            value = read(domain.expression, domain.scope)
            if value is not None:
                return value
        return self._by_type(name, wanted)

    def _by_type(self, name: str, wanted: Type, depth: int = 0) -> str:
        """A value of a type, its model values named after the constant ``name``."""
        element = wanted.element
        if wanted.kind == "set" and (element is None or element.kind == _OWN):
            whole = self._whole_set(name) if depth == 0 else None
            return self.value(whole) if whole is not None else f"{{{', '.join(self._names(name))}}}"
        if wanted.kind == "set" and element is not None and element.kind in {"number", "string", "boolean"}:
            return {"number": "{1, 2}", "string": '{"a", "b"}'}.get(element.kind, "{FALSE, TRUE}")
        inner = self._by_type(name, element, depth + 1) if element is not None else str(_SMALL)
        simple = {
            "number": str(_SMALL),
            "boolean": "FALSE",
            "string": '"a"',
            "set": f"{{{inner}}}",
            "function": f"[{self._bounds[min(depth, _DEPTH)]} \\in {{1, 2}} |-> {inner}]",
            "sequence": f"<<{inner}, {inner}>>",
            "tuple": "<<1, 2>>",
            "record": "[field |-> 1]",
            "value": str(_SMALL),
        }
        return simple.get(wanted.kind, name)

    def _whole_set(self, name: str) -> str | None:
        """The set of model values that a constant is a part of by its name, as InitServer is of Server."""
        words, kind = _words(name), self._types[name].kind
        for other, each in self._types.items():
            whole = _words(other)
            if each.kind == kind and words[-len(whole) :] == whole and len(words) > len(whole):
                return other
        return None

    def _names(self, name: str) -> tuple[str, str]:
        """Two names for model values: r1 and r2 for Replicas, tp1 and tp2 for TopicPartitions."""
        words = _words(name) or ["v"]
        initials = "".join(word[0] for word in words).lower()
        whole = "".join(words).lower()
        for prefix in (initials, *(whole[:length] for length in range(1, len(whole) + 1)), f"{whole}x"):
            made = (f"{prefix}1", f"{prefix}2")
            if prefix not in self._prefixes and not any(each in self._spec.scope.names for each in made):
                self._prefixes.add(prefix)
                return made
        return (f"{name}_1", f"{name}_2")

    def _unused(self, count: int) -> list[str]:
        """Names for parameters that are not declared in the module."""
        names = (f"{letter}{suffix}" for suffix in ("", *range(1, 100)) for letter in "xyzuvwabc")
        return list(islice((name for name in names if name not in self._spec.scope.names), count))

    def _note(self, expr: Expression, scope: Scope) -> None:
        if expr.shape == "bind" and expr.operator == "\\A":
            self._note_results(expr, scope)
            if len(expr.bounds) == 1:
                self._note_each(expr, scope)
        if expr.shape != "apply" or len(expr.arguments) != 2:
            return
        left, right = expr.arguments
        if expr.operator in {"\\in", "\\subseteq"} and self._is_constant(left, scope):
            self._domains.setdefault(left.operator, _Domain(expr.operator, right, scope))
            low = right.arguments[0] if right.operator == ".." and right.arguments else None
            if expr.operator == "\\in" and low is not None and low.text.isdigit():
                self._raise(left.operator, int(low.text))
        mirrored = _MIRRORED.get(expr.operator, "")
        for one, operator, other in ((left, expr.operator, right), (right, mirrored, left)):
            if operator in {">", ">="} and self._is_constant(one, scope) and other.text.isdigit():
                self._raise(one.operator, int(other.text) + (operator == ">"))

    def _note_each(self, expr: Expression, scope: Scope) -> None:
        """Note an assumption on each element of a constant, such as that every quorum is a set of acceptors."""
        names, domain = expr.bounds[0].names, expr.bounds[0].domain
        if domain is None or len(names) != 1 or not self._is_constant(domain, scope):
            return
        body = expr.arguments[0]
        for part in body.arguments if body.operator == "/\\" else (body,):
            relation = {"\\in": "\\subseteq", "\\subseteq": "each"}.get(part.operator)
            if relation and part.arguments[0].is_name() and part.arguments[0].operator == names[0]:
                self._domains.setdefault(domain.operator, _Domain(relation, part.arguments[1], scope))

    def _note_results(self, expr: Expression, scope: Scope) -> None:
        """Note an assumption on every result of an operator constant, such as that each Quorum(i) is a set of nodes."""
        bound = set[str]().union(*(binder.names for binder in expr.bounds))
        body = expr.arguments[0]
        for part in body.arguments if body.operator == "/\\" else (body,):
            if part.operator not in {"\\in", "\\subseteq"}:
                continue
            applied, domain = part.arguments
            entity = scope.find(applied.operator)
            is_constant = entity is not None and entity.kind == "constant" and bool(applied.arguments)
            mentions_bound = any(inner.operator in bound for inner in domain.walk())
            if is_constant and not mentions_bound:
                self._domains.setdefault(applied.operator, _Domain(part.operator, domain, scope))

    def _raise(self, name: str, least: int) -> None:
        self._least[name] = max(self._least.get(name, 0), least)

    def _is_constant(self, expr: Expression, scope: Scope) -> bool:
        entity = scope.named(expr)
        return entity is not None and entity.kind == "constant"

    def _element(self, expr: Expression, scope: Scope, depth: int = _DEPTH) -> str | None:
        """An element of a set as text, None if its expression does not show one."""
        operator, parts = expr.operator, expr.arguments
        if depth == 0:
            return None
        if expr.shape == "apply":
            entity = scope.find(operator)
            if entity is not None and entity.kind == "constant":
                first = re.match(r"\{([\w\"]+)[,}]", self.value(operator))
                return first[1] if first else f"CHOOSE {self._bounds[-depth - 1]} \\in {operator} : TRUE"
            if entity is not None:
                body = None if parts else entity.body
                return self._element(body, entity.scope, depth - 1) if body is not None else None
            if operator in _ELEMENTS:
                return _ELEMENTS[operator]
            if operator == "..":
                return parts[0].text if parts[0].shape == "literal" else None
            if operator == "SUBSET":
                return self._text_in_root(parts[0], scope)
            inner = [self._element(part, scope, depth - 1) for part in parts]
            if operator == "Seq" and inner[0] is not None:
                return f"<<{inner[0]}>>"
            if operator == "\\X" and None not in inner:
                return f"<<{', '.join(str(each) for each in inner)}>>"
            return inner[0] if operator in {"\\", "\\cup"} else None
        if expr.shape == "build" and operator == "[->]":
            result = self._element(parts[1], scope, depth - 1)
            domain = self._text_in_root(parts[0], scope)
            if result is None or domain is None:
                return None
            return f"[{self._bounds[-depth - 1]} \\in {domain} |-> {result}]"
        if expr.shape == "build" and operator == "[:]":
            values = [self._element(part, scope, depth - 1) for part in parts]
            fields = [f"{key} |-> {value}" for key, value in zip(expr.text.split(","), values, strict=False)]
            return f"[{', '.join(fields)}]" if None not in values else None
        if expr.shape == "build" and operator == "{}" and parts:
            return self._text_in_root(parts[0], scope)
        if expr.operator != "{:}":
            return None
        filtered = expr.bounds[0].domain if expr.bounds else None
        if filtered is not None and self._numbers(filtered):
            # TLC cannot choose from an infinite set.
            return str(_SMALL)
        whole = self._text_in_root(expr, scope)
        return f"CHOOSE {self._bounds[-depth - 1]} \\in {whole} : TRUE" if whole is not None else None

    def _numbers(self, expr: Expression) -> bool:
        return expr.is_name() and expr.operator in {"Nat", "Int", "Real"}

    def _text_in_root(self, expr: Expression, scope: Scope) -> str | None:
        """Return the text of an expression, None if its names mean something else in the root module."""
        if self._numbers(expr):
            return "{1, 2}"
        text = scope.module.excerpt(expr.span)
        parsed = _parsed(text)
        known = self._spec.scope.names
        if parsed is None or any(scope.find(name) is not known.get(name) for name in parsed.names):
            return None
        return text


def _words(name: str) -> list[str]:
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)


def _parsed(text: str) -> StandaloneExpression | None:
    try:
        return parse_expression(text)
    except ValueError:
        return None
