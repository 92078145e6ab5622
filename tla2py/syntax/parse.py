"""From the text of a module to its declarations."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tree_sitter import Node

from tla2py.errors import InputError
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
    SyntaxProblem,
    Theorem,
    Variable,
)
from tla2py.syntax.tree import COMMENTS, Source, find_problem, has_algorithm, parse_tree


def parse_module(path: Path | str) -> Module:
    """Return the module in a file.

    Raises ``InputError``: ``module-missing``, ``module-unreadable``, ``module-name`` if the module has not the file's name, and
    ``module-syntax`` at the first place that cannot be read.
    """
    module = read_module(Path(path))
    raise_problem(module)
    return module


def read_module(path: Path) -> Module:
    """Return the module in a file; what cannot be read in it is left out and told in ``syntax_error``."""
    try:
        # Comments in old modules are in any encoding; TLA+ itself needs none of it.
        text = path.read_bytes().decode("utf-8-sig", errors="replace")
    except OSError as error:
        raise _not_found(path, error) from None
    module = read_text(text, path)
    if not module.name:
        return replace(module, name=path.stem)
    if module.name != path.stem:
        raise InputError(
            "module-name",
            f"the module is named {module.name}, its file {path.name}",
            where=module.where(module.span),
            hint=f"TLC wants both to be the same: rename the file to {module.name}.tla, or the module to {path.stem}",
        )
    return module


@deeply
def read_text(text: str, path: Path | None = None) -> Module:
    """Return the first module in a text."""
    # One kind of line end, so that lines count as TLC counts them.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    source = Source.of(text)
    root = parse_tree(source)
    # SANY reads the first module of a file and stops.
    node = next((child for child in root.children if child.type == "module"), root)
    module = _Reader(source, path, text).module(node)
    if node is root and module.syntax_error is None:
        problem = SyntaxProblem(span=source.span(root), message="there is no module here")
        return replace(module, syntax_error=problem)
    return module


@deeply
def read_appended(module: Module) -> dict[str, Module]:
    """Return the modules that stand after the first one in its file, by name.

    Newer SANY takes them for files of their own. The text of each keeps its place in the file.
    """
    source = Source.of(module.text)
    nodes = [child for child in parse_tree(source).children if child.type == "module"]
    found: dict[str, Module] = {}
    for node in nodes[1:]:
        each = read_text("\n" * node.start_point.row + source.text(node) + "\n", module.path)
        found.setdefault(each.name, each)
    return found


_NO_MODULES = (".toml", ".cfg", ".json")


def raise_problem(module: Module) -> None:
    """Raise ``InputError`` ``module-syntax`` for the first thing in a module that cannot be read."""
    problem = module.syntax_error
    if problem is None:
        return
    if module.path is not None and Path(module.path).suffix in _NO_MODULES:
        raise InputError(
            "module-syntax",
            f"{module.path} is no TLA+ module",
            hint="name the .tla; a sweep file is run by 'tla2py sweep', a config goes with --config",
        )
    raise InputError(
        "module-syntax",
        f"syntax error in module {module.name or '(no name)'}: {problem.message}",
        where=module.where(problem.span),
        hint="TLC would stop here too; what its own parser says: "
        f'java -cp "$(tla2py tools path)" tla2sany.SANY {module.path or "FILE.tla"}',
    )


class _Reader:
    def __init__(self, source: Source, path: Path | None, text: str) -> None:
        self._source = source
        self._path = path
        self._text = text

    def module(self, node: Node) -> Module:
        """Return the module of a node, which is the whole file's where no module could be made out."""
        named = node.child_by_field_name("name")
        name = self._source.text(named) if named is not None else ""
        return _Declarations(self, node, name).module()

    def make(self, node: Node, name: str, declared: _Declarations) -> Module:
        """Return the module with its declarations."""
        named = node.child_by_field_name("name")
        return Module(
            name=name,
            path=self._path,
            text=self._text,
            span=self._source.span(named if named is not None else node),
            extends=tuple(declared.extends),
            references=tuple(declared.references),
            instances=tuple(declared.instances),
            constants=tuple(declared.constants),
            variables=tuple(declared.variables),
            definitions=tuple(declared.definitions),
            assumptions=tuple(declared.assumptions),
            theorems=tuple(declared.theorems),
            nested=tuple(declared.nested),
            has_pluscal=has_algorithm(self._source),
            syntax_error=find_problem(self._source) if node.has_error else None,
        )

    @property
    def source(self) -> Source:
        return self._source


class _Declarations:
    """Gathers the declarations of one module, unit by unit."""

    def __init__(self, reader: _Reader, node: Node, name: str) -> None:
        self._reader = reader
        self._source = reader.source
        self._node = node
        self._name = name
        self._builder = Builder(self._source, name)
        self._comments = Comments(_find_comments(node), self._source)
        self._recursive: set[str] = set()
        self.extends: list[Reference] = []
        self.instances: list[Instance] = []
        self.constants: list[Constant] = []
        self.variables: list[Variable] = []
        self.definitions: list[Definition] = []
        self.assumptions: list[Assumption] = []
        self.theorems: list[Theorem] = []
        self.nested: list[Module] = []

    @property
    def references(self) -> list[Reference]:
        return [*self.extends, *self._builder.instantiated]

    def module(self) -> Module:
        for child in _units(self._node):
            self._unit(child)
        self.definitions = [
            replace(d, recursive=True) if d.name in self._recursive else d for d in self.definitions
        ]
        return self._reader.make(self._node, self._name, self)

    def _unit(self, node: Node, *, local: bool = False) -> None:
        kind = node.type
        if kind == "local_definition":
            self._unit(node.named_children[-1], local=True)
        elif kind in {"operator_definition", "function_definition", "module_definition"}:
            comment = self._comments.above(node.start_point.row + 1)
            self.definitions.append(self._builder.definition(node, local=local, comment=comment))
            if kind == "module_definition":
                self.instances.append(self._builder.instance(node, local=local))
        elif kind == "instance":
            self.instances.append(self._builder.instance(node, local=local))
        elif kind in {"constant_declaration", "variable_declaration"}:
            self._declare(node, constants=kind == "constant_declaration")
        elif kind == "recursive_declaration":
            self._recursive.update(self._source.text(_name_of(each)) for each in node.named_children)
        elif kind == "extends":
            found = [child for child in node.named_children if child.type == "identifier_ref"]
            self.extends += [Reference(module=self._source.text(c), span=self._source.span(c)) for c in found]
        elif kind == "assumption":
            self._assume(node)
        elif kind == "theorem":
            self._theorem(node)
        elif kind == "module":
            self.nested.append(self._reader.module(node))

    def _declare(self, node: Node, *, constants: bool) -> None:
        declared = [c for c in node.named_children if c.type in {"identifier", "operator_declaration"}]
        spans = [self._source.span(child) for child in declared]
        group, comments = comment_names(spans, self._source.span(node), self._comments)
        for child, span, comment in zip(declared, spans, comments, strict=True):
            name = self._source.text(_name_of(child))
            if constants:
                arity = sum(1 for each in child.named_children if each.type == "placeholder")
                self.constants.append(
                    Constant(
                        name=name, arity=arity, comment=comment, group=group, span=span, module=self._name
                    )
                )
            else:
                self.variables.append(
                    Variable(name=name, comment=comment, group=group, span=span, module=self._name)
                )

    def _assume(self, node: Node) -> None:
        named = node.child_by_field_name("name")
        skip = {*COMMENTS, "def_eq", "identifier"}
        parts = [child for child in node.named_children if child.type not in skip]
        if parts:
            self.assumptions.append(
                Assumption(
                    name=self._source.text(named) if named is not None else None,
                    text=self._source.text(parts[-1]),
                    span=self._source.span(node),
                    body=self._builder.expression(parts[-1]),
                )
            )

    def _theorem(self, node: Node) -> None:
        named = node.child_by_field_name("name")
        statement = node.child_by_field_name("statement")
        self.theorems.append(
            Theorem(
                name=self._source.text(named) if named is not None else None,
                text=self._source.text(statement) if statement is not None else "",
                span=self._source.span(node),
            )
        )


def _units(node: Node) -> Iterator[Node]:
    """Yield the units of a module, also those that an error swallowed."""
    for child in node.children:
        if child.type in {"ERROR", "source_file"}:
            yield from _units(child)
        else:
            yield child


def _name_of(node: Node) -> Node:
    named = node.child_by_field_name("name")
    return named if named is not None else node


def _find_comments(node: Node) -> Iterator[Node]:
    """Yield the comments between and inside the units; those inside expressions say nothing of declarations."""
    for child in node.children:
        if child.type in COMMENTS:
            yield child
        elif child.type in {"constant_declaration", "variable_declaration", "ERROR"}:
            yield from _find_comments(child)


def _not_found(path: Path, error: OSError) -> InputError:
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        return InputError(
            "module-unreadable",
            f"the module cannot be read: {error.strerror or error}",
            where=str(path),
            hint="a module is a text file that you may read",
        )
    folder = path.parent
    there = sorted(each.name for each in folder.glob("*.tla")) if folder.is_dir() else []
    near = difflib.get_close_matches(path.name, there, n=3, cutoff=0.4) or there[:5]
    hint = f"in {folder} there is {', '.join(near)}" if near else f"there is no module in {folder}"
    return InputError("module-missing", "there is no such module", where=str(path), hint=hint)
