"""Expressions and definitions built from the nodes of a tree, and the comments that belong to declarations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

from tree_sitter import Node

from tla2py.tla.forms import EMPTY_TUPLE
from tla2py.tla.module import (
    Bound,
    Definition,
    Expression,
    Instance,
    InstanceSubstitution,
    Reference,
    Shape,
    Span,
)
from tla2py.tla.nodes import (
    BINDERS,
    LITERALS,
    NAMED_SETS,
    NOT_EXPRESSIONS,
    PLAIN,
    QUANTIFIERS,
    bare_symbol,
    declared_name,
    declared_parameters,
    digest_tokens,
    field,
    flatten,
    introduced_names,
    spell_symbol,
)
from tla2py.tla.tree import COMMENTS, SourceText

# The lines of a comment that draw a box or a rule.
_RULE = re.compile(r"^[\s*=\-~_+#/|]*$")
_PLUSCAL = re.compile(r"--(fair )?algorithm\b|(BEGIN|END) TRANSLATION\b")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, its words on one line; ``alone`` if its first line has nothing but comments before it."""

    span: Span
    text: str
    alone: bool


class Comments:
    """The comments of a file, by line, without PlusCal."""

    def __init__(self, nodes: Iterable[Node], source: SourceText) -> None:
        self._all: list[Comment] = []
        for node in nodes:
            span = source.span(node)
            line = source.lines[span.begin_line - 1]
            before = line[: source.row_and_offset(node.start_byte)[1]].decode(errors="replace").strip()
            # A second comment on a line belongs with the first.
            last = self._all[-1] if self._all else None
            follows = last is not None and last.alone and last.span.end_line == span.begin_line
            alone = not before or (follows and before.endswith("*)"))
            if not _PLUSCAL.search(text := _clean(source.text(node))):
                self._all.append(Comment(span, text, alone))

    def above(self, line: int) -> str:
        """The words of the comments right above a line."""
        found: list[str] = []
        expected = line - 1
        for comment in reversed(self._all):
            if comment.span.end_line > expected or not comment.alone:
                continue
            if comment.span.end_line < expected:
                break
            found.append(comment.text)
            expected = comment.span.begin_line - 1
        return " ".join(part for part in reversed(found) if part)

    def beside(self, name: Span, following: Span | None) -> tuple[str, int]:
        """The words of the comments after a name on its line, and their last line, 0 without any.

        Comments before the ``following`` name are its own, others on the line are for all names before them. Lines of
        comment below in the same column belong to them.
        """
        line = [each for each in self._all if each.span.begin_line == name.end_line]
        after = [each for each in line if each.span.begin_column > name.end_column]
        end = following.begin_column if following and following.begin_line == name.end_line else 0
        found = [each for each in after if not end or each.span.begin_column < end] or after
        for each in self._all if found else ():
            aligned = each.span.begin_column == found[0].span.begin_column
            if each.alone and aligned and each.span.begin_line == found[-1].span.end_line + 1:
                found.append(each)
        return " ".join(each.text for each in found if each.text), found[-1].span.end_line if found else 0


def comment_names(names: Sequence[Span], declaration: Span, comments: Comments) -> list[str]:
    """A comment for each declared name: the one after it, or right above it, or above the declaration."""
    found, taken = list[str](), declaration.begin_line - 1
    for name, following in zip_longest(names, names[1:]):
        words, last = comments.beside(name, following)
        if not words and name.begin_line > taken + 1:
            words = comments.above(name.begin_line)
        found.append(words or comments.above(declaration.begin_line))
        taken = max(taken, last)
    return found


def _clean(raw: str) -> str:
    """The words of a comment without its delimiters, rules and boxes."""
    lines = (
        line.strip().removeprefix("(*").removesuffix("*)").removeprefix("\\*") for line in raw.splitlines()
    )
    words = (line.strip("* \t") for line in lines if not _RULE.match(line))
    return " ".join(" ".join(words).split())


class Builder:
    """Builds expressions and definitions from the nodes of one module's tree."""

    def __init__(self, source: SourceText, module: str) -> None:
        self._source = source
        self._module = module
        self.instantiated: list[Reference] = []
        """The modules named after INSTANCE so far."""
        self._rules: dict[str, Callable[[Node], Expression]] = {
            "identifier_ref": self._name,
            **dict.fromkeys(("bound_op", "bound_nonfix_op"), self._bound_op),
            **dict.fromkeys(
                ("infix_op_symbol", "prefix_op_symbol", "postfix_op_symbol"),
                lambda node: self._make(node, "apply", bare_symbol(node)),
            ),
            **dict.fromkeys(("unbounded_quantification", "choose"), self._unbounded),
            "bound_infix_op": self._infix,
            "bound_prefix_op": lambda node: self._symbol(node, "rhs"),
            "bound_postfix_op": lambda node: self._symbol(node, "lhs"),
            "prefixed_op": self._prefixed,
            "subexpression": self._subexpression,
            "parentheses": self._inner,
            "label": lambda node: self.expression(field(node, "expression")),
            "lambda": self._lambda,
            **dict.fromkeys(("record_literal", "set_of_records"), self._record),
            "record_value": self._field_access,
            "except": self._except,
            "fairness": lambda n: self._make(n, "build", self._source.text(n)[:3], tuple(self._parts(n))),
            "case": self._case,
            "let_in": self._let,
            "conj_list": lambda node: self._bullets(node, "/\\"),
            "disj_list": lambda node: self._bullets(node, "\\/"),
        }

    def expression(self, node: Node) -> Expression:
        """The expression of a node; an unknown node type becomes a construct of that name."""
        kind = node.type
        if kind in self._rules:
            return self._rules[kind](node)
        if kind in LITERALS:
            return self._make(node, "literal", LITERALS[kind], text=self._source.text(node))
        if kind in NAMED_SETS:
            return self._make(node, "apply", spell_symbol(kind))
        if kind in BINDERS:
            return self._binder(node)
        return self._make(node, "build", PLAIN.get(kind, kind), tuple(self._parts(node)))

    def definition(self, node: Node, *, local: bool = False, comment: str = "") -> Definition:
        """The definition of an operator, a function or a named instance."""
        parameters = declared_parameters(self._source, node)
        body: Expression | None = None
        function = node.type == "function_definition"
        if function:
            bounds = self._bounds(node)
            value = self.expression(field(node, "definition"))
            body = self._make(node, "bind", "[|->]", (value,), bounds=bounds)
            parameters = ()
        elif node.type == "operator_definition":
            body = self.expression(field(node, "definition"))
        whole = node.parent if node.parent is not None and node.parent.type == "local_definition" else node
        return Definition(
            name=declared_name(self._source, field(node, "name")),
            parameters=parameters,
            local=local,
            span=self._source.span(whole),
            module=self._module,
            comment=comment,
            kind="function" if function else "operator" if body is not None else "instance",
            text=self._source.text(whole),
            digest=digest_tokens(self._source, node),
            body=body,
        )

    def fact(self, node: Node, formula: Node) -> Definition:
        """Return a named theorem or assumption as a definition without parameters."""
        return Definition(
            name=declared_name(self._source, field(node, "name")),
            parameters=(),
            local=False,
            span=self._source.span(node),
            module=self._module,
            comment="",
            kind="fact",
            text=self._source.text(node),
            digest=digest_tokens(self._source, formula),
            body=self.expression(formula),
        )

    def instance(self, node: Node, *, local: bool = False) -> Instance:
        """The INSTANCE of a node, or of a definition ``I == INSTANCE ...``."""
        named = node.type == "module_definition"
        inner = field(node, "definition") if named else node
        module = next((child for child in inner.named_children if child.type == "identifier_ref"), inner)
        substitutions = [self._substitution(c) for c in inner.named_children if c.type == "substitution"]
        reference = Reference(module=self._source.text(module), span=self._source.span(module))
        self.instantiated.append(reference)
        return Instance(
            module=reference.module,
            name=declared_name(self._source, field(node, "name")) if named else None,
            parameters=declared_parameters(self._source, node),
            substitutions=tuple(substitutions),
            local=local,
            span=reference.span,
        )

    def _substitution(self, node: Node) -> InstanceSubstitution:
        parts = [c for c in node.named_children if c.type not in COMMENTS and c.type != "gets"]
        target, value = parts[0], parts[-1]
        return InstanceSubstitution(
            name=declared_name(self._source, target) or self._source.text(target),
            value=self.expression(value),
            text=self._source.text(value),
            digest=digest_tokens(self._source, value),
        )

    def _make(
        self, node: Node, shape: Shape, operator: str, arguments: tuple[Expression, ...] = (), **more: Any
    ) -> Expression:
        span = self._source.span(node)
        return Expression(shape=shape, operator=operator, span=span, arguments=arguments, **more)

    def _parts(self, node: Node) -> list[Expression]:
        return [self.expression(child) for child in node.named_children if child.type not in NOT_EXPRESSIONS]

    def _name(self, node: Node) -> Expression:
        """Return a bare name, or the empty tuple that the grammar reads as one."""
        text = self._source.text(node)
        if text == EMPTY_TUPLE:
            return self._make(node, "build", "<<>>")
        return self._make(node, "apply", text)

    def _inner(self, node: Node) -> Expression:
        parts = self._parts(node)
        return parts[0] if len(parts) == 1 else self._make(node, "build", node.type, tuple(parts))

    def _bound_op(self, node: Node) -> Expression:
        name = declared_name(self._source, field(node, "name"))
        inner = [child for child in node.children_by_field_name("parameter") if child.is_named]
        arguments = tuple(self.expression(child) for child in inner if child.type not in COMMENTS)
        return self._make(node, "apply", name, arguments)

    def _symbol(self, node: Node, *sides: str) -> Expression:
        operator = spell_symbol(field(node, "symbol").type)
        operands = tuple(self.expression(field(node, side)) for side in sides)
        return self._make(node, "apply", operator, operands)

    def _infix(self, node: Node) -> Expression:
        """An infix application; long chains of one symbol lean left and are followed without recursion."""
        symbol = field(node, "symbol").type
        links: list[Node] = []
        left = node
        while left.type == "bound_infix_op" and field(left, "symbol").type == symbol:
            links.append(left)
            left = field(left, "lhs")
        result = self.expression(left)
        for link in reversed(links):
            pair = (result, self.expression(field(link, "rhs")))
            result = self._make(link, "apply", spell_symbol(symbol), pair)
        if symbol in {"land", "lor"}:
            return self._make(node, "apply", result.operator, flatten(result))
        return result

    def _bullets(self, node: Node, operator: str) -> Expression:
        items = [child for child in node.named_children if child.type in {"conj_item", "disj_item"}]
        inner = [child for item in items for child in item.named_children[1:] if child.type not in COMMENTS]
        return self._make(node, "apply", operator, tuple(map(self.expression, inner)))

    def _prefixed(self, node: Node) -> Expression:
        return self._composed(node, field(node, "prefix"), field(node, "op"))

    def _subexpression(self, node: Node) -> Expression:
        prefix = next(child for child in node.named_children if child.type == "subexpr_prefix")
        return self._make(node, "build", "!", (self._composed(node, prefix),))

    def _composed(self, node: Node, prefix: Node, *last: Node) -> Expression:
        """The application of a name such as ``I!Op``, with the arguments of all its components."""
        components = (
            part.named_children for part in prefix.named_children if part.type == "subexpr_component"
        )
        parts = [self.expression(each) for each in (*chain.from_iterable(components), *last)]
        arguments = tuple(argument for part in parts for argument in part.arguments)
        return self._make(node, "apply", "!".join(part.operator for part in parts), arguments)

    def _bounds(self, node: Node) -> tuple[Bound, ...]:
        found = []
        for each in (child for child in node.named_children if child.type == "quantifier_bound"):
            names, pattern = introduced_names(self._source, each)
            found.append(Bound(names=names, domain=self.expression(field(each, "set")), pattern=pattern))
        return tuple(found)

    def _binder(self, node: Node) -> Expression:
        operator = BINDERS[node.type] or QUANTIFIERS[field(node, "quantifier").type]
        parts = [c for c in node.named_children if c.type != "quantifier_bound"]
        body = tuple(self.expression(child) for child in parts if child.type not in NOT_EXPRESSIONS)
        return self._make(node, "bind", operator, body, bounds=self._bounds(node))

    def _unbounded(self, node: Node) -> Expression:
        """A quantifier without a set, or ``CHOOSE`` with or without one."""
        names, pattern = introduced_names(self._source, node)
        domain = node.child_by_field_name("set")
        inside = self.expression(domain) if domain is not None else None
        bound = Bound(names=names, pattern=pattern, domain=inside)
        operator = "CHOOSE" if node.type == "choose" else QUANTIFIERS[field(node, "quantifier").type]
        body = self.expression(field(node, "expression"))
        return self._make(node, "bind", operator, (body,), bounds=(bound,))

    def _lambda(self, node: Node) -> Expression:
        names = [self._source.text(child) for child in node.named_children if child.type == "identifier"]
        bound = Bound(names=tuple(names))
        return self._make(node, "bind", "LAMBDA", tuple(self._parts(node))[-1:], bounds=(bound,))

    def _record(self, node: Node) -> Expression:
        names = [self._source.text(child) for child in node.named_children if child.type == "identifier"]
        operator = "record" if node.type == "record_literal" else "[:]"
        return self._make(node, "build", operator, tuple(self._parts(node)), text=",".join(names))

    def _field_access(self, node: Node) -> Expression:
        parts = [child for child in node.named_children if child.type not in COMMENTS]
        return self._make(node, "build", ".", (self.expression(parts[0]),), text=self._source.text(parts[-1]))

    def _except(self, node: Node) -> Expression:
        """``EXCEPT``: the function, then for each update its path of indices and its value."""
        arguments = [self.expression(field(node, "expr_to_update"))]
        for update in node.named_children:
            if update.type != "except_update":
                continue
            indices: list[Expression] = []
            for specifier in update.children_by_field_name("update_specifier"):
                for step in specifier.named_children:
                    if step.type == "except_update_fn_appl":
                        indices.extend(self._parts(step))
                    else:
                        indices.append(self._make(step, "build", ".field", text=self._source.text(step)))
            arguments.append(self._make(update, "build", "path", tuple(indices)))
            arguments.append(self.expression(field(update, "new_val")))
        return self._make(node, "build", "EXCEPT", tuple(arguments))

    def _case(self, node: Node) -> Expression:
        """``CASE``: guards and values in turn, ``OTHER`` as the guard TRUE."""
        arguments: list[Expression] = []
        for arm in node.named_children:
            if arm.type == "other_arm":
                arguments.append(self._make(arm, "literal", "boolean", text="TRUE"))
            if arm.type in {"case_arm", "other_arm"}:
                arguments.extend(self._parts(arm))
        return self._make(node, "build", "CASE", tuple(arguments))

    def _let(self, node: Node) -> Expression:
        definitions: list[Definition] = []
        instances: list[Instance] = []
        for child in node.children_by_field_name("definitions"):
            if child.type == "module_definition":
                instances.append(self.instance(child))
            elif child.type in {"operator_definition", "function_definition"}:
                definitions.append(self.definition(child))
        body = self.expression(field(node, "expression"))
        return self._make(
            node, "let", "LET", (body,), definitions=tuple(definitions), instances=tuple(instances)
        )
