"""The antecedents of implications that a model checks, and copies of modules in which TLC reports them.

In such a copy an antecedent ``P`` is ``((P /\\ Tla2pySeen(n)) = TRUE)``. The operator is TRUE, and prints ``n`` the first time
that TLC evaluates it, which it does only where ``P`` is TRUE. Without ``= TRUE`` TLC would take a conjunction in a temporal
formula apart and evaluate the operator alone, before the search (tlc2.tool.liveness.Liveness, up to 2.20).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tla2py.syntax import Definition, Level, Module, ModuleGraph, Span
from tla2py.syntax.depth import deeply
from tla2py.syntax.levels import Levels
from tla2py.syntax.reach import named
from tla2py.syntax.reach import reached as reached_expressions

# TLC's registers of TLCSet are an array as long as the largest index; users take small numbers.
FIRST_REGISTER = 70_000
HELPER = "Tla2pySeen"
NO_BEHAVIOUR = "Tla2pyNoBehaviour"
_REPORTED = re.compile(rb'<<"tla2py antecedent", (\d+)>>')
_HELPER_TEXT = f"""---- MODULE {HELPER} ----
LOCAL INSTANCE TLC
LOCAL INSTANCE Naturals
{HELPER}(n) == \\/ TLCGet(n)
                 \\/ /\\ PrintT(<<"tla2py antecedent", n>>)
                    /\\ TLCSet(n, TRUE)
                    /\\ TLCSet({FIRST_REGISTER - 1}, TLCGet({FIRST_REGISTER - 1}) - 1)
                    /\\ TLCGet({FIRST_REGISTER - 1}) = 0 => TLCSet("exit", %s)
Tla2pyUnseen(first, last) == /\\ \\A n \\in first..last : TLCSet(n, FALSE)
                             /\\ TLCSet({FIRST_REGISTER - 1}, last - first + 1)
====
"""
# The level up to which the left side of an operator is an antecedent that TLC evaluates state by state.
_IMPLICATIONS = {"=>": Level.ACTION, "~>": Level.STATE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Antecedent:
    """The antecedent of an implication: its module's file, its span there, and the definition around it."""

    module: Module
    span: Span
    definition: str

    @property
    def key(self) -> tuple[str, Span]:
        """A key that is equal for the same text."""
        return self.module.name, self.span


@deeply
def find_antecedents(spec: ModuleGraph, names: Iterable[str]) -> tuple[Antecedent, ...]:
    """The antecedents in the definitions that ``names`` reach, ordered by module and place."""
    levels = Levels(spec.resolver)
    found: dict[tuple[str, Span], Antecedent] = {}
    for reach in reached_expressions(spec, named(spec, names), {}):
        expr, owner = reach.expr, reach.owner
        highest = _IMPLICATIONS.get(expr.operator) if len(expr.arguments) == 2 else None
        if highest is None or owner is None or not isinstance(owner.declaration, Definition):
            continue
        if levels.of_expression(expr.arguments[0], reach.scope) <= highest:
            each = Antecedent(
                module=spec.file_of(owner.declaration),
                span=expr.arguments[0].span,
                definition=owner.declaration.name,
            )
            found.setdefault(each.key, each)
    return tuple(sorted(found.values(), key=lambda each: (each.module.name, _begin(each.span))))


def instrument(
    spec: ModuleGraph, texts: Mapping[str, str], antecedents: Sequence[Antecedent], *, fairness: bool
) -> dict[str, str]:
    """Copies of the modules that have antecedents and of the root, by module, with the helper module.

    ``texts`` are the texts that TLC would read. The antecedents report by number from ``FIRST_REGISTER``. With ``fairness``
    the root defines ``NO_BEHAVIOUR``, a property that holds only if the specification has no behaviour.
    """
    cuts: dict[str, _Cuts] = {spec.root.name: defaultdict(list)}
    for number, each in enumerate(antecedents, FIRST_REGISTER):
        lines = texts[each.module.name].split("\n")
        _report(cuts.setdefault(each.module.name, defaultdict(list)), lines, each.span, number)
    modules = {module.name: module for module in spec.modules}
    # Without a property to ask for, the last antecedent ends the search.
    copies = {HELPER: _HELPER_TEXT % ("FALSE" if fairness else "TRUE")}
    for name, places in cuts.items():
        head = [f"LOCAL INSTANCE {HELPER}"]
        if name == spec.root.name and antecedents:
            last = FIRST_REGISTER + len(antecedents) - 1
            head.append(f"ASSUME Tla2pyUnseen({FIRST_REGISTER}, {last})")
        if name == spec.root.name and fairness:
            head.append(f"{NO_BEHAVIOUR} == <>FALSE")
        lines = texts[name].split("\n")
        line, column = _declarations(modules[name], lines)
        places[line].append((column, "\n".join(head)))
        copies[name] = "\n".join(_cut(lines, places))
    return copies


def reported(output: Iterable[bytes]) -> frozenset[int]:
    """The numbers of the antecedents that TLC reported in its output."""
    return frozenset(int(found[1]) for line in output if (found := _REPORTED.search(line)) is not None)


# By line, from 1: the columns, from 0, before which lines are added.
_Cuts: TypeAlias = "dict[int, list[tuple[int, str]]]"


def _report(cuts: _Cuts, lines: Sequence[str], span: Span, number: int) -> None:
    indent = _blank(lines[span.begin_line - 1][: span.begin_column - 1])
    cuts[span.begin_line].append((span.begin_column - 1, f"{indent}((("))
    cuts[span.end_line].append((span.end_column, f"{indent}) /\\ {HELPER}({number})) = TRUE)"))


def _cut(lines: Sequence[str], cuts: _Cuts) -> Iterator[str]:
    """The lines of a module with others added; every token keeps its column, which lists of conjuncts need."""
    for number, line in enumerate(lines, 1):
        done = 0
        for column, text in sorted(cuts.get(number, ()), key=lambda cut: cut[0]):
            yield _blank(line[:done]) + line[done:column]
            yield text
            done = column
        yield _blank(line[:done]) + line[done:]


def _declarations(module: Module, lines: Sequence[str]) -> tuple[int, int]:
    """The line, from 1, and the column, from 0, after a module's header and EXTENDS."""
    if module.extends:
        span = module.extends[-1].span
        return span.end_line, span.end_column
    number = module.span.begin_line
    header = re.search(r"-{4,}\s*MODULE\s+\w+\s*-{4,}", lines[number - 1])
    assert header is not None
    return number, header.end()


def _blank(text: str) -> str:
    """White space of the same width."""
    return re.sub(r"\S", " ", text)


def _begin(span: Span) -> tuple[int, int]:
    return span.begin_line, span.begin_column
