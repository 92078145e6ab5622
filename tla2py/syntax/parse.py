"""From the text of a module to its declarations."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tree_sitter import Node

from tla2py.errors import InputError, reason_of
from tla2py.syntax.build import Builder
from tla2py.syntax.comments import Comments, comment_names
from tla2py.syntax.depth import deeply
from tla2py.syntax.module import (
    Assumption,
    Constant,
    Definition,
    Instance,
    Module,
    Reference,
    SyntaxMistake,
    Variable,
)
from tla2py.syntax.tokens import digest_tokens
from tla2py.syntax.tree import COMMENTS, SourceText, find_mistake, has_algorithm, parse_tree


def parse_module(path: Path | str) -> Module:
    """The module in a file.

    Raises ``InputError``: ``module-missing``, ``module-unreadable``, ``module-name`` if module and file have different
    names, and ``module-syntax`` at the first syntax error.
    """
    module = read_module(Path(path))
    raise_mistake(module)
    return module


def read_module(path: Path) -> Module:
    """The module in a file, without the parts that do not parse; its ``syntax_error`` is the first of them."""
    try:
        # Comments in old modules are in any encoding; TLA+ itself is ASCII.
        text = path.read_bytes().decode("utf-8-sig", errors="replace")
    except OSError as error:
        raise _unreadable(path, error) from None
    module = read_text(text, path)
    if not module.name:
        return replace(module, name=path.stem)
    if module.name != path.stem:
        raise InputError(
            "module-name",
            f"the module is named {module.name}, but its file is {path.name}",
            where=module.where(module.span),
            hint=f"the two names must be the same: rename the file to {module.name}.tla, or the module to {path.stem}",
        )
    return module


@deeply
def read_text(text: str, path: Path | None = None) -> Module:
    """The first module in a text."""
    source = SourceText.of(text)
    root = parse_tree(source)
    # SANY reads the first module of a file and stops.
    node = next((child for child in root.children if child.type == "module"), root)
    module = _Reader(source, path, node).module()
    if node is root and module.syntax_error is None:
        mistake = SyntaxMistake(span=source.span(root), message="there is no module here")
        return replace(module, syntax_error=mistake)
    return module


@deeply
def read_appended(module: Module) -> dict[str, Module]:
    """The modules after the first one in its file, by name.

    Newer SANY treats them as files of their own. Each keeps its lines in the file.
    """
    source = SourceText.of(module.text)
    nodes = [child for child in parse_tree(source).children if child.type == "module"]
    found: dict[str, Module] = {}
    for node in nodes[1:]:
        each = read_text("\n" * node.start_point.row + source.text(node) + "\n", module.path)
        found.setdefault(each.name, each)
    return found


def raise_mistake(module: Module) -> None:
    """Raise ``InputError`` ``module-syntax`` for a module's first syntax error."""
    mistake = module.syntax_error
    if mistake is None:
        return
    if module.path is not None and module.path.suffix in (".toml", ".cfg", ".json"):
        raise InputError(
            "module-syntax",
            f"not a TLA+ module: {module.path}",
            hint="name the .tla file; 'tla2py sweep' runs a sweep file, --config takes a config",
        )
    raise InputError(
        "module-syntax",
        f"syntax error in module {module.name or '(no name)'}: {mistake.message}",
        where=module.where(mistake.span),
        hint="TLC would stop here too; to see the message of its parser: "
        f'java -cp "$(tla2py tools path)" tla2sany.SANY {module.path or "FILE.tla"}',
    )


class _Reader:
    """Collects the declarations of one module, or of a whole file in which no module could be found."""

    def __init__(self, source: SourceText, path: Path | None, node: Node) -> None:
        named = node.child_by_field_name("name")
        self._source = source
        self._path = path
        self._node = node
        self._span = source.span(named if named is not None else node)
        self._name = source.text(named) if named is not None else ""
        self._builder = Builder(source, self._name)
        self._comments = Comments(_find_comments(node), source)
        self._recursive: set[str] = set()
        self._extends: list[Reference] = []
        self._instances: list[Instance] = []
        self._constants: list[Constant] = []
        self._variables: list[Variable] = []
        self._definitions: list[Definition] = []
        self._assumptions: list[Assumption] = []
        self._nested: list[Module] = []

    def module(self) -> Module:
        for child in _units(self._node):
            self._unit(child)
        definitions = (
            replace(d, recursive=True) if d.name in self._recursive else d for d in self._definitions
        )
        return Module(
            name=self._name,
            path=self._path,
            text=self._source.whole,
            span=self._span,
            extends=tuple(self._extends),
            references=(*self._extends, *self._builder.instantiated),
            instances=tuple(self._instances),
            constants=tuple(self._constants),
            variables=tuple(self._variables),
            definitions=tuple(definitions),
            assumptions=tuple(self._assumptions),
            nested=tuple(self._nested),
            has_pluscal=has_algorithm(self._source),
            syntax_error=find_mistake(self._source) if self._node.has_error else None,
        )

    def _unit(self, node: Node, *, local: bool = False) -> None:
        kind = node.type
        if kind == "local_definition":
            self._unit(node.named_children[-1], local=True)
        elif kind in {"operator_definition", "function_definition", "module_definition"}:
            comment = self._comments.above(node.start_point.row + 1)
            self._definitions.append(self._builder.definition(node, local=local, comment=comment))
            if kind == "module_definition":
                self._instances.append(self._builder.instance(node, local=local))
        elif kind == "instance":
            self._instances.append(self._builder.instance(node, local=local))
        elif kind in {"constant_declaration", "variable_declaration"}:
            self._declare(node, constants=kind == "constant_declaration")
        elif kind == "recursive_declaration":
            self._recursive.update(self._source.text(_name_of(each)) for each in node.named_children)
        elif kind == "extends":
            names = [child for child in node.named_children if child.type == "identifier_ref"]
            self._extends += [
                Reference(module=self._source.text(c), span=self._source.span(c)) for c in names
            ]
        elif kind == "assumption":
            self._assume(node)
        elif kind == "module":
            self._nested.append(_Reader(self._source, self._path, node).module())

    def _declare(self, node: Node, *, constants: bool) -> None:
        declared = [c for c in node.named_children if c.type in {"identifier", "operator_declaration"}]
        spans = [self._source.span(child) for child in declared]
        group, comments = comment_names(spans, self._source.span(node), self._comments)
        for child, span, comment in zip(declared, spans, comments, strict=True):
            name = self._source.text(_name_of(child))
            if constants:
                arity = sum(1 for each in child.named_children if each.type == "placeholder")
                self._constants.append(
                    Constant(
                        name=name, arity=arity, comment=comment, group=group, span=span, module=self._name
                    )
                )
            else:
                self._variables.append(
                    Variable(name=name, comment=comment, group=group, span=span, module=self._name)
                )

    def _assume(self, node: Node) -> None:
        named = node.child_by_field_name("name")
        parts = [c for c in node.named_children if c.type not in {*COMMENTS, "def_eq", "identifier"}]
        if parts:
            self._assumptions.append(
                Assumption(
                    name=self._source.text(named) if named is not None else None,
                    text=self._source.text(parts[-1]),
                    digest=digest_tokens(self._source, parts[-1]),
                    span=self._source.span(node),
                    body=self._builder.expression(parts[-1]),
                )
            )


def _units(node: Node) -> Iterator[Node]:
    """The units of a module, including those inside an ERROR node."""
    for child in node.children:
        if child.type in {"ERROR", "source_file"}:
            yield from _units(child)
        else:
            yield child


def _name_of(node: Node) -> Node:
    named = node.child_by_field_name("name")
    return named if named is not None else node


def _find_comments(node: Node) -> Iterator[Node]:
    """The comments between units and inside declarations, but not those inside expressions."""
    for child in node.children:
        if child.type in COMMENTS:
            yield child
        elif child.type in {"constant_declaration", "variable_declaration", "ERROR"}:
            yield from _find_comments(child)


def _unreadable(path: Path, error: OSError) -> InputError:
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        return InputError(
            "module-unreadable",
            f"cannot read the module: {reason_of(error)}",
            where=str(path),
            hint="a module is a text file; check its permissions",
        )
    folder = path.parent
    there = sorted(each.name for each in folder.glob("*.tla")) if folder.is_dir() else []
    near = difflib.get_close_matches(path.name, there, n=3, cutoff=0.4) or there[:5]
    hint = f"{folder} has {', '.join(near)}" if near else f"{folder} has no modules"
    return InputError("module-missing", "no such module", where=str(path), hint=hint)
