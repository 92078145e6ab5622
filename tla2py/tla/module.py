"""A module with its declarations and expressions, the standard modules, and places in texts that moved.

Such a text is a value indented in a wrapper module, or a string with escapes in a TOML file. Only white space changes, so a place is mapped back by counting the other characters. Lines of a copy with its PlusCal
translated are mapped back by the labels of the algorithm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

_LITERAL = re.compile(
    r'#[^\n]*|"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.DOTALL
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\s+)|(.))", re.DOTALL)
_CONTROL = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}
# TLC counts columns in UTF-16 units, with a tab stop every eight columns.
_TAB = 8
_DEFINITION = re.compile(r"\s*(?:LOCAL\s+)?(\w+)\s*(?:\([^)]*\)|\[[^\]]*\])?\s*==")
ALGORITHM = re.compile(r"--(?:fair\s+)?algorithm\b|--fair\b")


def character_column(line: str, column: int) -> int:
    """The column in characters for a column in TLC's output, both from 1."""
    reached = 0
    for position, character in enumerate(line, 1):
        width = _TAB - reached % _TAB if character == "\t" else 2 if ord(character) > 0xFFFF else 1
        reached += width
        if reached >= column:
            return position
    return max(column - reached, 0) + len(line)


def blank(text: str) -> str:
    """White space of the same width."""
    return re.sub(r"[^\t]", " ", text)


def count_visible(text: str) -> int:
    """The number of characters of a text that are not white space."""
    return sum(not character.isspace() for character in text)


def visible_offsets(text: str) -> list[int]:
    """The offsets of the characters of a text that are not white space."""
    return [offset for offset, character in enumerate(text) if not character.isspace()]


def find_string(text: str, start: int, value: str) -> list[int] | None:
    """The offsets of the characters, without white space, of the first TOML string after ``start`` that has a value."""
    wanted = "".join(value.split())
    for found in _LITERAL.finditer(text, start):
        if found[0].startswith("#"):
            continue
        pairs = [pair for pair in _characters(found[0], found.start()) if not pair[0].isspace()]
        if "".join(character for character, _ in pairs) == wanted:
            return [offset for _, offset in pairs]
    return None


def without_lines_in_strings(text: str) -> str:
    """A TOML text on its lines, without what its strings have on further lines."""
    return _LITERAL.sub(lambda found: found[0].partition("\n")[0] + "\n" * found[0].count("\n"), text)


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """The line and column of an offset, from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def code_matches(pattern: str, text: str, start: int = 0) -> Iterator[re.Match[str]]:
    """The matches of a pattern in TLA+ text, outside comments, and outside strings unless it begins with one."""
    depth = 0
    scanner = re.compile(
        rf'\\\*[^\n]*|(?P<open>\(\*)|(?P<close>\*\))|(?P<found>{pattern})|"(?:[^"\\\n]|\\.)*"'
    )
    for token in scanner.finditer(text, start):
        depth = max(depth + bool(token["open"]) - bool(token["close"]), 0)
        if token["found"] and not depth:
            yield token


def _characters(literal: str, offset: int) -> Iterator[tuple[str, int]]:
    """The characters of a TOML string with their offsets."""
    quotes = 3 if literal[:3] in ('"""', "'''") else 1
    position, end = quotes, len(literal) - quotes
    while position < end:
        escape = _ESCAPE.match(literal, position) if literal[0] == '"' else None
        if escape is None:
            yield literal[position], offset + position
            position += 1
            continue
        if code := escape[1] or escape[2]:
            yield chr(int(code, 16)), offset + position
        elif escape[4]:
            yield _CONTROL.get(escape[4], escape[4]), offset + position
        position = escape.end()


def original_line(original: str, copy: str, line: int) -> int:
    """The line of the original for a line of its copy.

    The copy has the same lines, or differs by one block, a translation of PlusCal. A line of the translation maps to
    the label that its definition was made from, or else to the beginning of the algorithm.
    """
    old, new = _comparable(original), _comparable(copy)
    if len(old) == len(new):
        return line
    shared = min(len(old), len(new))
    before = next((n for n in range(shared) if old[n] != new[n]), shared)
    after = next((n for n in range(shared - before) if old[-1 - n] != new[-1 - n]), shared - before)
    if line <= before:
        return line
    if line > len(new) - after:
        return line - len(new) + len(old)
    for number in range(line, before, -1):
        if (found := _DEFINITION.match(new[number - 1])) is not None:
            return _label(old, found[1])
    return _label(old, "")


def _label(lines: Sequence[str], name: str) -> int:
    """The line of a label or process of an algorithm, or else its first line."""
    begin = next((n for n, line in enumerate(lines, 1) if ALGORITHM.search(line)), 1)
    label = re.compile(rf"(?:^|[\s;{{]){re.escape(name)}\s*:[+-]?(?!=)|\bprocess\s*\(?\s*{re.escape(name)}\b")
    numbers = range(begin, len(lines) + 1) if name else ()
    return next((number for number in numbers if label.search(lines[number - 1])), begin)


def _comparable(text: str) -> list[str]:
    """The lines of a module with LOCAL blanked out, as it may be in a copy."""
    return re.sub(r"\bLOCAL\b", "     ", text).split("\n")


def algorithm_line(text: str, definition: str, line: int) -> int | None:
    """The line of the PlusCal label or process that a definition of the translation comes from.

    None if the line is outside of the translation.
    """
    lines = text.split("\n")
    begin = next((n for n, each in enumerate(lines, 1) if "BEGIN TRANSLATION" in each), None)
    end = next((n for n, each in enumerate(lines, 1) if "END TRANSLATION" in each), len(lines))
    return _label(lines, definition) if begin is not None and begin < line < end else None


UNREAD = "UNREAD"
"""The operator of an expression that SANY reads and tla2py does not: its arguments are the names that it may use."""

Shape = Literal["apply", "literal", "build", "bind", "let"]


@dataclass(frozen=True, slots=True)
class Span:
    """A range of source text; lines and columns count from 1, the end is inclusive."""

    begin_line: int
    begin_column: int
    end_line: int
    end_column: int

    @property
    def place(self) -> str:
        """The beginning as ``line:column``."""
        return f"{self.begin_line}:{self.begin_column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """The names that a quantifier or another binder introduces, and the set they range over, if any.

    With ``pattern`` the names stand for the parts of a tuple, as in ``<<a, b>> \\in S``.
    """

    names: tuple[str, ...]
    domain: Expression | None = None
    pattern: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """An expression.

    ``shape`` says what ``operator`` is: a name or symbol applied to the arguments (``apply``, also a bare name), the
    type of a ``literal`` (``number``, ``string``, ``boolean``), a language construct (``build``), a construct that
    binds names in its arguments (``bind``), or ``let``. A name in an instance is ``I!Op``; its arguments are those of
    the instance, then those of the operator.
    """

    shape: Shape
    operator: str
    span: Span
    arguments: tuple[Expression, ...] = ()
    bounds: tuple[Bound, ...] = ()
    definitions: tuple[Definition, ...] = ()
    instances: tuple[Instance, ...] = ()
    text: str = ""

    def children(self) -> Iterator[Expression]:
        """The expressions directly inside this one, in the order they are written."""
        for bound in self.bounds:
            if bound.domain is not None:
                yield bound.domain
        for definition in self.definitions:
            if definition.body is not None:
                yield definition.body
        for instance in self.instances:
            for substitution in instance.substitutions:
                yield substitution.value
        yield from self.arguments

    def walk(self) -> Iterator[Expression]:
        """This expression and all expressions inside it, in no particular order."""
        pending = [self]
        while pending:
            each = pending.pop()
            yield each
            pending += each.children()

    def is_name(self) -> bool:
        """Whether this is a name without arguments."""
        return self.shape == "apply" and not self.arguments


# Lists of words are easier to read than one string a line.
# ruff: noqa: SIM905

# tla2sany/StandardModules in the jars of TLC 2.15, 2.19, 2.20 and those of 2026; 2.15 and 2.19 lack Json, TLCExt and
# those with a _.
STANDARD_MODULES = frozenset(
    (
        "Bags FiniteSets Integers Json Naturals Randomization RealTime Reals Sequences TLC TLCExt Toolbox _DotTrace "
        "_JsonTrace _Possible _TLAPlusCounterExample _TLAPlusDebugger _TLCActionTrace _TLCTESpec _TLCTrace _TLCTracePlain"
    ).split()
)

# github.com/tlaplus/CommunityModules, a jar and a folder of modules.
COMMUNITY_MODULES = frozenset(
    (
        "BagsExt Bitwise Combinatorics CSV DifferentialEquations DyadicRationals FiniteSetsExt Folds Functions Graphs "
        "GraphViz HTML IOUtils Relation SequencesExt ShiViz Statistics SVG UndirectedGraphs VectorClocks"
    ).split()
)

# Modules of the TLA+ proof system that tla2py does not include, and those of Apalache.
PROOF_MODULES = frozenset({"FunctionTheorems", "BagsTheorems"})
APALACHE_MODULES = frozenset({"Apalache", "Variants", "Option"})

# The operators of the standard modules that an expression in a sweep file may use. TLC evaluates none of Reals.
_OPERATORS = {
    "Naturals": r"+ - * ^ % \div < > <= >= .. Nat",
    "Integers": "-. Int",
    "Sequences": r"Seq Len \o Append Head Tail SubSeq SelectSeq",
    "FiniteSets": "IsFiniteSet Cardinality",
    "Bags": r"IsABag BagToSet SetToBag BagIn EmptyBag (+) (-) BagUnion SubBag BagOfAll BagCardinality CopiesIn \sqsubseteq",
    "TLC": ":> @@ Permutations SortSeq RandomElement Any ToString TLCEval TLCGet TLCSet Print PrintT Assert JavaTime",
    "Randomization": "RandomSubset RandomSetOfSubsets RandomSubsetSet TestRandomSetOfSubsets",
    "TLCExt": "AssertError AssertEq Trace CounterExample ToTrace PickSuccessor TLCModelValue TLCCache TLCFP TLCDefer TLCNoOp",
    "Toolbox": "_TETrace _TEPosition",
    "Json": "ToJson ToJsonArray ToJsonObject JsonSerialize JsonDeserialize ndJsonSerialize ndJsonDeserialize",
}
_MODULE_OF = {operator: module for module, operators in _OPERATORS.items() for operator in operators.split()}


# The modules that standard modules extend.
BRINGS = {"Integers": ("Naturals",), "Reals": ("Integers", "Naturals")}


def standard_module_of(name: str) -> str | None:
    """The standard module that defines a name or symbol, None if there is none."""
    return _MODULE_OF.get(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """A CONSTANT.

    ``arity`` is above 0 for an operator constant such as ``Op(_, _)``. ``comment`` is the comment beside the name,
    right above it or above the whole declaration, ``module`` the name of the declaring module.
    """

    name: str
    arity: int
    comment: str
    span: Span
    module: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A VARIABLE; its comment as for ``Constant``."""

    name: str
    comment: str
    span: Span
    module: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A definition ``name(parameters) == body``.

    ``span`` and ``text`` include the whole definition; ``comment`` is the comment right above it. A definition of kind
    ``function`` has no parameters and a body that constructs the function; one of kind ``instance`` is
    ``name == INSTANCE ...`` and has no body; one of kind ``fact`` is a named theorem or assumption. ``recursive``
    definitions are declared RECURSIVE. ``digest`` is that of the tokens without LOCAL.
    """

    name: str
    parameters: tuple[str, ...]
    local: bool
    span: Span
    module: str
    comment: str
    kind: Literal["operator", "function", "instance", "fact"]
    text: str
    digest: str
    body: Expression | None = None
    recursive: bool = False

    @property
    def arity(self) -> int:
        """The number of parameters."""
        return len(self.parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceSubstitution:
    """``name <- value`` of an INSTANCE; ``digest`` is that of the value's tokens."""

    name: str
    value: Expression
    text: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """An INSTANCE of ``module``; ``name`` is None for a plain ``INSTANCE M``, which keeps the names of M."""

    module: str
    name: str | None
    parameters: tuple[str, ...]
    substitutions: tuple[InstanceSubstitution, ...]
    local: bool
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The name of a module after EXTENDS or INSTANCE."""

    module: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """An ASSUME or AXIOM; ``text``, ``digest`` (of the tokens) and ``body`` are those of its formula.

    TLC evaluates no ``axiom``.
    """

    name: str | None
    text: str
    digest: str
    span: Span
    body: Expression
    axiom: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntaxMistake:
    """The first syntax error of a module."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A remark on a module's PlusCal translation.

    ``where`` is the place of the algorithm. With ``doubtful`` the translation may not match the algorithm.
    """

    where: str
    text: str
    doubtful: bool

    def __str__(self) -> str:
        return f"{self.where}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """A module and its declarations in the order they are written.

    path: the file, None for a text without a file.
    text: the text of the whole file, which all spans refer to.
    original: the text of the user's file, if ``text`` is a copy with its PlusCal translated; ``remark`` is about that.
    references: the modules named after EXTENDS and INSTANCE, also inside LET.
    facts: the named theorems and assumptions. Expressions may use them like definitions, a config may not.
    nested: the modules declared inside this one.
    unread: where tla2py cannot read a module that SANY accepts. Its declarations are then those that SANY names, and the
        bodies of its definitions are UNREAD.
    """

    name: str
    path: Path | None
    text: str
    span: Span
    extends: tuple[Reference, ...]
    references: tuple[Reference, ...]
    instances: tuple[Instance, ...]
    constants: tuple[Constant, ...]
    variables: tuple[Variable, ...]
    definitions: tuple[Definition, ...]
    assumptions: tuple[Assumption, ...]
    facts: tuple[Definition, ...]
    nested: tuple[Module, ...]
    has_pluscal: bool
    syntax_error: SyntaxMistake | None
    original: str | None = None
    remark: Remark | None = None
    unread: SyntaxMistake | None = None

    def where(self, span: Span | None = None) -> str:
        """A place in the user's file as ``file:line:column``, the file without a span.

        The column is left out in a translated copy where lines differ.
        """
        file = str(self.path) if self.path is not None else self.name
        if span is None:
            return file
        line = self.line(span.begin_line)
        return f"{file}:{span.place}" if line == span.begin_line else f"{file}:{line}"

    def line(self, number: int) -> int:
        """The line in the user's file for a line of ``text``."""
        return number if self.original is None else original_line(self.original, self.text, number)

    def padded(self, span: Span) -> str:
        """The text of a span on lines of its own, in its columns."""
        lines = self.text.split("\n")[span.begin_line - 1 : span.end_line]
        begin = span.begin_column - 1
        lines[-1:] = [line[: span.end_column] for line in lines[-1:]]
        lines[:1] = [blank(line[:begin]) + line[begin:] for line in lines[:1]]
        return "\n".join(lines)

    def excerpt(self, span: Span) -> str:
        """The text of a span on one line, white space collapsed."""
        return " ".join(self.padded(span).split())
