"""Modules and expressions read from texts and files, with all modules that they need."""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from tree_sitter import Node

from tla2py.errors import InputError, reason_of
from tla2py.text import did_you_mean
from tla2py.tla.build import Builder, Comments, comment_names
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.module import (
    APALACHE_MODULES,
    COMMUNITY_MODULES,
    PROOF_MODULES,
    STANDARD_MODULES,
    Assumption,
    Constant,
    Definition,
    Expression,
    Instance,
    Module,
    Reference,
    SyntaxMistake,
    Variable,
    standard_module_of,
)
from tla2py.tla.nodes import declared_name, digest_tokens
from tla2py.tla.tree import (
    COMMENTS,
    SourceText,
    deeply,
    find_comments,
    find_mistake,
    has_algorithm,
    parse_tree,
    printable,
    units,
)


def read_module(path: Path) -> Module:
    """The module in a file, without the parts that do not parse; its ``syntax_error`` is the first of them.

    Raises ``InputError``: ``module-missing``, ``module-unreadable``, ``module-name`` if module and file have different names.
    """
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


@dataclass(frozen=True, slots=True)
class LineRange:
    """The lines from ``first`` to ``last``, counted from 1."""

    first: int
    last: int


def module_lines(text: str) -> LineRange | None:
    """Return the lines of the first module in a text, from its header to its end; None without a module."""
    source = SourceText.of(text)
    node = next((child for child in parse_tree(source).children if child.type == "module"), None)
    if node is None:
        return None
    span = source.span(node)
    return LineRange(span.begin_line, span.end_line)


@deeply
def read_appended(module: Module) -> dict[str, Module]:
    """The modules after the first one in its file, by name.

    Newer SANY treats them as files of their own. Each keeps its lines in the file.
    """
    source = SourceText.of(module.text)
    nodes = [child for child in parse_tree(source).children if child.type == "module"]
    found: dict[str, Module] = {}
    for node in nodes[1:]:
        each = read_text("\n" * source.row(node) + source.text(node) + "\n", module.path)
        found.setdefault(each.name, each)
    return found


@dataclass(frozen=True, slots=True)
class SanyRefusal:
    """SANY's answer about modules that it does not accept.

    ``message`` is its first error on one line; ``syntax`` is False if it is about what the modules mean.
    """

    message: str
    syntax: bool = True


def raise_mistake(module: Module, refusal: SanyRefusal | None = None) -> None:
    """Raise ``InputError`` ``module-syntax`` for a module's first syntax error.

    ``refusal`` is what SANY says of it; without one SANY was not asked, and nothing is said about TLC.
    """
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
        hint=_syntax_hint(module, refusal),
    )


def _syntax_hint(module: Module, refusal: SanyRefusal | None) -> str:
    """Return what SANY says of a module with a syntax error, or how to ask it."""
    if refusal is not None and refusal.syntax:
        return f"TLC's parser, SANY, refuses it too: {refusal.message}"
    if refusal is not None:
        return f"TLC's parser, SANY, finds no syntax error here, but rejects the specification for another reason: {refusal.message}"
    return (
        "tla2py's parser stops here; TLC's parser, SANY, was not run and may accept it; to check: "
        f'java -cp "$(tla2py tools path)" tla2sany.SANY {module.path or "FILE.tla"}'
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
        self._comments = Comments(find_comments(node), source)
        self._recursive: set[str] = set()
        self._extends: list[Reference] = []
        self._instances: list[Instance] = []
        self._constants: list[Constant] = []
        self._variables: list[Variable] = []
        self._definitions: list[Definition] = []
        self._assumptions: list[Assumption] = []
        self._facts: list[Definition] = []
        self._nested: list[Module] = []

    def module(self) -> Module:
        for child in units(self._node):
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
            facts=tuple(self._facts),
            nested=tuple(self._nested),
            has_pluscal=has_algorithm(self._source),
            syntax_error=find_mistake(self._source) if self._node.has_error else None,
        )

    def _unit(self, node: Node, *, local: bool = False) -> None:
        kind = node.type
        if kind == "local_definition":
            self._unit(node.named_children[-1], local=True)
        elif kind in {"operator_definition", "function_definition", "module_definition"}:
            comment = self._comments.above(self._source.row(node) + 1)
            self._definitions.append(self._builder.definition(node, local=local, comment=comment))
            if kind == "module_definition":
                self._instances.append(self._builder.instance(node, local=local))
        elif kind == "instance":
            self._instances.append(self._builder.instance(node, local=local))
        elif kind in {"constant_declaration", "variable_declaration"}:
            self._declare(node, constants=kind == "constant_declaration")
        elif kind == "recursive_declaration":
            self._recursive.update(declared_name(self._source, each) for each in node.named_children)
        elif kind == "extends":
            names = [child for child in node.named_children if child.type == "identifier_ref"]
            self._extends += [
                Reference(module=self._source.text(c), span=self._source.span(c)) for c in names
            ]
        elif kind == "assumption":
            self._assume(node)
        elif kind == "theorem":
            statement = node.child_by_field_name("statement")
            if statement is not None:
                self._add_fact(node, statement)
        elif kind == "module":
            self._nested.append(_Reader(self._source, self._path, node).module())

    def _declare(self, node: Node, *, constants: bool) -> None:
        declared = [c for c in node.named_children if c.type in {"identifier", "operator_declaration"}]
        spans = [self._source.span(child) for child in declared]
        comments = comment_names(spans, self._source.span(node), self._comments)
        for child, span, comment in zip(declared, spans, comments, strict=True):
            name = declared_name(self._source, child)
            if constants:
                arity = sum(1 for each in child.named_children if each.type == "placeholder")
                self._constants.append(
                    Constant(name=name, arity=arity, comment=comment, span=span, module=self._name)
                )
            else:
                self._variables.append(Variable(name=name, comment=comment, span=span, module=self._name))

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
                    axiom=node.children[0].type == "AXIOM",
                )
            )
            self._add_fact(node, parts[-1])

    def _add_fact(self, node: Node, formula: Node) -> None:
        """Add a theorem or an assumption to the facts if it has a name and its formula is an expression."""
        if node.child_by_field_name("name") is not None and formula.type != "assume_prove":
            self._facts.append(self._builder.fact(node, formula))


def _unreadable(path: Path, error: OSError) -> InputError:
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        return InputError(
            "module-unreadable",
            f"cannot read the module: {reason_of(error)}",
            where=str(path),
            hint="a module is a text file; check its permissions",
        )
    folder = path.parent
    there = sorted(each.name for each in folder.glob("*.tla"))
    near = difflib.get_close_matches(path.name, there, n=3, cutoff=0.4) or there[:5]
    hint = f"{folder} has {', '.join(near) or 'no modules'}"
    return InputError("module-missing", "no such module", where=str(path), hint=hint)


# Returns the module to read in place of one that contains PlusCal.
Translate: TypeAlias = Callable[[Module], Module]
SanyAnswer: TypeAlias = "str | Mapping[str, Module] | SanyRefusal | None"
# Returns modules, of which some do not parse, as SANY reads those; the name of a module that is missing among them; its
# refusal; or None if it could not be asked.
Sany: TypeAlias = Callable[[str, Mapping[str, Module]], SanyAnswer]


def load_modules(
    path: Path | str,
    libraries: Sequence[Path] = (),
    *,
    nearby: bool = False,
    translate: Translate | None = None,
    installed: Path | None = None,
    sany: Sany | None = None,
) -> ModuleGraph:
    """A module with all it extends and instantiates.

    Like TLC it searches the folder of the root module, then the libraries in their order, and last the modules after
    the root in its own file. What is missing then comes from ``installed``, the folder of an installed library. With
    ``nearby`` it also takes a module from a folder beside the root's, if exactly one has it. Standard modules need no
    file, and those of the proof system come from ``PROOFS``. Without ``translate`` PlusCal is left as it is; without ``sany``
    a module that does not parse is an error even if SANY accepts it.

    Raises ``InputError``: those of ``read_module``, ``module-syntax`` at the first syntax error, and ``module-cycle``.
    """
    library = [installed] if installed is not None else []
    search = _Search([Path(path).parent, *libraries], nearby, translate, library, strict=sany is None)
    root = search.read(Path(path))
    search.appended = read_appended(root)
    search.follow(root, (root.name,))
    while mistaken := [module for module in search.found.values() if module.syntax_error is not None]:
        answer = sany(root.name, search.found) if sany is not None else None
        if isinstance(answer, str):
            search.take(mistaken[0], Reference(module=answer, span=mistaken[0].span), (root.name,))
        elif isinstance(answer, SanyRefusal):
            raise_mistake(mistaken[0], answer)
        elif answer is not None:
            search.found = dict(answer)
            # Standard modules that only the unread part names.
            for module in mistaken:
                for each in answer[module.name].references:
                    search.take(module, each, ())
        else:
            raise_mistake(mistaken[0])
    return ModuleGraph(
        root=search.found[root.name],
        modules=tuple(search.found.values()),
        standard=tuple(sorted(search.standard)),
        installed=tuple(search.found[module.name] for module in search.from_library),
    )


def load_texts(main: str, modules: Mapping[str, str]) -> ModuleGraph:
    """A module, given with the others that it needs as texts by file name. Raises as ``load_modules`` does."""
    with tempfile.TemporaryDirectory(prefix="tla2py-") as folder:
        for name, text in modules.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        return load_modules(Path(folder) / f"{main}.tla")


_ADVICE = {
    **dict.fromkeys(
        COMMUNITY_MODULES,
        "it is one of the CommunityModules: tla2py tools install rolling installs them with a TLC that they work with; "
        "tla2py tools install community-modules installs only them",
    ),
    **dict.fromkeys(
        PROOF_MODULES,
        "it belongs to the library of the TLA+ proof system: "
        "get the folder library of https://github.com/tlaplus/tlapm, then -L THAT-FOLDER",
    ),
    **dict.fromkeys(APALACHE_MODULES, "it belongs to Apalache: copy it, or add its folder with -L"),
}

# The definitions of the TLA+ proof system's library, for modules with proofs without that library.
PROOFS = Path(__file__).parent / "proofs"


@dataclass(slots=True)
class _Search:
    folders: Sequence[Path]
    nearby: bool
    translate: Translate | None
    installed: Sequence[Path]
    strict: bool
    found: dict[str, Module] = field(default_factory=dict)
    from_library: list[Module] = field(default_factory=list)
    standard: set[str] = field(default_factory=set)
    appended: dict[str, Module] = field(default_factory=dict)

    def read(self, path: Path) -> Module:
        module = read_module(path)
        if module.has_pluscal and self.translate is not None:
            module = self.translate(module)
        return self._add(module)

    def _add(self, module: Module) -> Module:
        if self.strict:
            raise_mistake(module)
        self.found[module.name] = module
        return module

    def follow(self, module: Module, trail: tuple[str, ...]) -> None:
        for reference in _references(module, frozenset()):
            self.take(module, reference, trail)

    def take(self, module: Module, reference: Reference, trail: tuple[str, ...]) -> None:
        name = reference.module
        if name in trail:
            circle = [*trail[trail.index(name) :], name]
            raise InputError(
                "module-cycle",
                f"module {name} depends on itself: {' needs '.join(circle)}",
                where=module.where(reference.span),
                hint="EXTENDS and INSTANCE must not form a cycle",
            )
        if name in self.found:
            return
        file = _first_file(name, self.folders)
        if file is None and name in STANDARD_MODULES:
            self.standard.add(name)
        elif file is None and name in self.appended:
            self.follow(self._add(self.appended[name]), (*trail, name))
        elif file is None and (library := _first_file(name, self.installed)):
            self.from_library.append(self.read(library))
            self.follow(self.found[name], (*trail, name))
        elif file := file or self._elsewhere(name):
            self.follow(self.read(file), (*trail, name))
        else:
            raise self._missing(module, reference)

    def _elsewhere(self, name: str) -> Path | None:
        """The file of a module outside the folders: in one beside the root's, or of the proof system."""
        beside = self._below(Path(os.path.normpath(self.folders[0] / "..")), name) if self.nearby else []
        return _first_file(name, [*beside, PROOFS] if len(beside) == 1 else [PROOFS])

    def _below(self, folder: Path, name: str) -> list[Path]:
        """The folders in a folder that have a module."""
        return sorted(file.parent for file in folder.glob(f"*/{name}.tla") if file.is_file())

    def _missing(self, module: Module, reference: Reference) -> InputError:
        searched = ", ".join(dict.fromkeys(str(folder) for folder in self.folders))
        around: list[Path] = []
        for outer in (Path(os.path.normpath(self.folders[0] / up)) for up in ("..", "../..")):
            # It may be closed to this user.
            with contextlib.suppress(OSError):
                file = _first_file(reference.module, [outer, *self._below(outer, reference.module)])
                around += [file.parent] if file is not None else []
        if around:
            advice = f"{around[0]} has one: add -L {around[0]}"
        elif (advice := _ADVICE.get(reference.module, "")) == "":
            there = {file.stem for folder in self.folders if folder.is_dir() for file in folder.glob("*.tla")}
            known = sorted(there | STANDARD_MODULES)
            advice = did_you_mean(reference.module, known, "add its folder with -L")
        return InputError(
            "module-missing",
            f"module {reference.module} not found",
            where=module.where(reference.span),
            hint=f"looked in {searched}; {advice}",
        )


def _first_file(name: str, folders: Sequence[Path]) -> Path | None:
    files = (folder / f"{name}.tla" for folder in folders)
    return next((file for file in files if file.is_file()), None)


def _references(module: Module, known: frozenset[str]) -> Iterator[Reference]:
    """The references in a file to modules that are not nested in it; a module does not extend those nested in itself."""
    inside = known | {each.name for each in module.nested}
    for reference in module.references:
        if reference.module not in (known if reference in module.extends else inside):
            yield reference
    for nested in module.nested:
        yield from _references(nested, inside)


_HEAD = "---- MODULE Expression ----\nExpression =="
_FIRST_LINE = _HEAD.count("\n") + 2
# Such a line ends a module, and the rest is ignored.
_END = re.compile(r"^\s*={4}", re.MULTILINE)
_IDENTIFIER = re.compile(r"\w+(!\w+)*")
# Operators of the language that look like identifiers.
_WORDS = frozenset({"BOOLEAN", "STRING", "SUBSET", "UNION", "DOMAIN", "ENABLED", "UNCHANGED"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StandaloneExpression:
    """An expression outside a module.

    names: its free identifiers, including those of standard modules; ``I!Op`` is one name.
    applied: the ``names`` that have arguments.
    standard: the standard modules that define names and symbols it uses.
    """

    body: Expression
    names: frozenset[str]
    applied: frozenset[str]
    standard: frozenset[str]


@deeply
def parse_expression(text: str) -> StandaloneExpression:
    """The expression of a text. Raises ``InputError`` ``expression-syntax`` with the column, and the line if there are several."""
    if not text.strip():
        raise InputError(
            "expression-syntax", "an expression is missing", hint='write a TLA+ expression, such as "1..3"'
        )
    module = read_text(f"{_HEAD}\n{text}\n====\n")
    # A text that goes on with another definition or declaration does not parse in parentheses.
    enclosed = read_text(f"{_HEAD}(\n{text}\n)\n====\n")
    if module.syntax_error is not None or enclosed.syntax_error is not None or _END.search(text):
        raise _error(text, module.syntax_error, enclosed.syntax_error)
    body = module.definitions[0].body
    assert body is not None
    expressions = list(_free(body, frozenset()))
    used = frozenset(expr.operator for expr in expressions)
    names = frozenset(name for name in used if _IDENTIFIER.fullmatch(name)) - _WORDS
    return StandaloneExpression(
        body=body,
        names=names,
        applied=names & {expr.operator for expr in expressions if expr.arguments},
        standard=frozenset(found for name in used if (found := standard_module_of(name)) is not None),
    )


def _error(text: str, *mistakes: SyntaxMistake | None) -> InputError:
    """The error, with the place of the last mistake that is inside the text, or else its end."""
    lines = re.split(r"\r\n|\r|\n", text)
    line, column, message = len(lines), len(lines[-1]) + 1, "it ends too early"
    for each in mistakes:
        if each is not None and _FIRST_LINE <= each.span.begin_line < _FIRST_LINE + len(lines):
            line, column = each.span.begin_line - _FIRST_LINE + 1, each.span.begin_column
            message = each.message
    place = f"line {line}, column {column}" if len(lines) > 1 else f"column {column}"
    shown = printable(" ".join(text.split()))
    return InputError(
        "expression-syntax",
        f"not a TLA+ expression: {shown} ({place}: {message})",
        hint='write it as in a module, such as "x < 3", "{1, 2}" or "[n |-> 1]"',
    )


def without_place(text: str, message: str) -> tuple[str, str]:
    """The message of an ``expression-syntax`` about a text, without the place in it, and the text up to that place."""
    found = re.search(r"\((?:line (\d+), )?column (\d+): ", message)
    if found is None:
        return message, ""
    lines, line = text.split("\n"), int(found[1] or 1)
    before = "\n".join([*lines[: line - 1], lines[line - 1][: int(found[2]) - 1]])
    return message.replace(found[0], "(", 1), before


def _free(expr: Expression, bound: frozenset[str]) -> Iterator[Expression]:
    """The expressions in an expression that apply a free name or symbol."""
    if expr.shape == "apply" and expr.operator not in bound:
        yield expr
    for each in expr.bounds:
        if each.domain is not None:
            yield from _free(each.domain, bound)
    inside = bound.union(*(each.names for each in expr.bounds), (each.name for each in expr.definitions))
    for definition in expr.definitions:
        if definition.body is not None:
            yield from _free(definition.body, inside.union(definition.parameters))
    for part in expr.arguments:
        yield from _free(part, inside)
