r"""Copies of modules in which TLC reports what of a model's checks it evaluates, and whether that decides anything.

In such a copy an antecedent ``P`` is ``((IF P THEN Tla2pySeen(n) ELSE ~Tla2pyMet(m)) = TRUE)``. Both operators are TRUE, and
print their number the first time that TLC evaluates them: ``n`` says that ``P`` was TRUE, ``m`` that it was FALSE. Without
``= TRUE`` TLC would take an IF or a conjunction in a temporal formula apart and evaluate the operator alone, before the
search (tlc2.tool.liveness.Liveness, up to 2.20).

An expression ``e`` that TLC may pass over, such as a disjunct after another one, is ``Tla2pyThrough(n, e)``, which is ``e``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tla2py.execution.antecedents import (
    Antecedent,
    Key,
    StaticFinding,
    read_checks,
    sort_antecedents,
    span_order,
)
from tla2py.execution.liveness_parts import REPORTER, LivenessPart, copy_liveness
from tla2py.tla.graph import ModuleGraph, find_bodies, reached
from tla2py.tla.instrument import Edit, edited, wrapped
from tla2py.tla.module import Definition, Module, Span

# TLC's registers of TLCSet are an array as long as the largest index; users take small numbers.
FIRST_REGISTER = 70_000
_COUNTDOWN = FIRST_REGISTER - 1
# The module with the operators that report.
HELPER = "Tla2pySeen"
NO_BEHAVIOUR = "Tla2pyNoBehaviour"
_REPORTED = re.compile(rb'<<"tla2py antecedent", (\d+)>>')
_HELPER_TEXT = f"""---- MODULE {HELPER} ----
LOCAL INSTANCE TLC
LOCAL INSTANCE Naturals
{REPORTER}(n) == \\/ TLCGet(n)
                 \\/ /\\ PrintT(<<"tla2py antecedent", n>>)
                    /\\ TLCSet(n, TRUE)
                    /\\ TLCSet({_COUNTDOWN}, TLCGet({_COUNTDOWN}) - 1)
                    /\\ TLCGet({_COUNTDOWN}) = 0 => TLCSet("exit", %s)
Tla2pyMet(n) == \\/ TLCGet(n)
                \\/ /\\ PrintT(<<"tla2py antecedent", n>>)
                   /\\ TLCSet(n, TRUE)
Tla2pyThrough(n, e) == IF Tla2pyMet(n) THEN e ELSE e
Tla2pyUnseen(first, last, counted) == /\\ \\A n \\in first..last : TLCSet(n, FALSE)
                                      /\\ TLCSet({_COUNTDOWN}, counted)
====
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class VacuityCopy:
    """Copies of modules in which TLC reports, and what its numbers mean.

    ``modules`` are texts by module. TLC checks ``invariants`` and ``properties`` beside those of the model.
    """

    modules: Mapping[str, str]
    antecedents: tuple[Antecedent, ...]
    always_true: tuple[StaticFinding, ...] = ()
    parts: tuple[LivenessPart, ...] = ()
    fairness: bool = False
    invariants: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    markers: Mapping[Key, int] = field(default_factory=dict)

    @property
    def decided(self) -> int:
        """The number of antecedents and parts; once TLC has reported all of them nothing can be vacuous."""
        return len(self.antecedents) + len(self.parts)

    @property
    def decided_keys(self) -> tuple[Key, ...]:
        """The keys of the antecedents, then those of the parts, in the order of their numbers."""
        return (*(each.key for each in self.antecedents), *(each.key for each in self.parts))

    @property
    def asks(self) -> bool:
        """Whether TLC has to run the copies."""
        return bool(self.decided) or self.fairness


def instrument(
    spec: ModuleGraph,
    texts: Mapping[str, str],
    invariants: Sequence[str],
    properties: Sequence[str],
    *,
    replaced: Mapping[str, str],
    behaviour: Iterable[str],
    fairness: bool,
    whole: bool,
) -> VacuityCopy:
    """Return copies of the modules that invariants and properties reach, and of the root, with the helper module.

    ``texts`` are the texts that TLC would read. Parts of ``properties`` are asked after if TLC sees the ``whole`` state
    graph. The names of the ``behaviour`` are those of its specification. With ``fairness`` the root defines
    ``NO_BEHAVIOUR``, a property that holds only if the specification has no behaviour.
    """
    reader = read_checks(spec, invariants, properties, replaced)
    antecedents = sort_antecedents(reader)
    live = copy_liveness(
        spec, texts, properties if whole else (), replaced, FIRST_REGISTER + len(antecedents)
    )
    counted = len(antecedents) + len(live.parts)
    markers = _number_markers(spec, antecedents, behaviour, FIRST_REGISTER + counted + len(antecedents))
    last = FIRST_REGISTER + counted + len(antecedents) + len(markers) - 1

    wraps: dict[str, list[tuple[Span, str, str]]] = {spec.root.name: []}
    for number, each in enumerate(antecedents):
        seen, met = FIRST_REGISTER + number, FIRST_REGISTER + counted + number
        text = f") THEN {REPORTER}({seen}) ELSE ~Tla2pyMet({met})) = TRUE)"
        wraps.setdefault(each.module.name, []).append((each.span, "((IF (", text))
    for (module, span), number in markers.items():
        wraps[module].append((span, f"Tla2pyThrough({number}, (", "))"))
    edits = {name: [*_wrap_all(parts), *live.edits.get(name, ())] for name, parts in wraps.items()}
    edits |= {name: parts for name, parts in live.edits.items() if name not in edits}

    modules = {module.name: module for module in spec.modules}
    # Without a property to ask for, the last answer ends the search.
    copies = {HELPER: _HELPER_TEXT % ("FALSE" if fairness else "TRUE")}
    for name, own in edits.items():
        head = [f"LOCAL INSTANCE {HELPER}"]
        if name == spec.root.name and counted:
            head.append(f"ASSUME Tla2pyUnseen({FIRST_REGISTER}, {last}, {counted})")
        if name == spec.root.name and fairness:
            head.append(f"{NO_BEHAVIOUR} == <>FALSE")
        lines = texts[name].split("\n")
        line, column = _declarations(modules[name], lines)
        heading = Edit(line, column + 1, "\n".join(["", *head, " " * column]))
        copies[name] = "\n".join(edited(lines, [*own, heading]))
    return VacuityCopy(
        modules=copies,
        antecedents=antecedents,
        always_true=tuple(reader.always_true.values()),
        parts=tuple(live.parts.values()),
        fairness=fairness,
        invariants=tuple(live.invariants),
        properties=(*live.properties, *([NO_BEHAVIOUR] if fairness else [])),
        markers=markers,
    )


def _number_markers(
    spec: ModuleGraph, antecedents: Iterable[Antecedent], behaviour: Iterable[str], first: int
) -> dict[Key, int]:
    """Return a number for each part that tells how far TLC came on its way to an antecedent.

    A definition that the behaviour reaches has none: there a conjunct may give a variable its value.
    """
    of_behaviour = {
        spec.file_of(reach.owner.declaration).name + "!" + reach.owner.declaration.name
        for reach in reached(spec, find_bodies(spec, behaviour), {})
        if reach.owner is not None and isinstance(reach.owner.declaration, Definition)
    }
    numbers: dict[Key, int] = {}
    for antecedent in antecedents:
        if f"{antecedent.module.name}!{antecedent.definition}" in of_behaviour:
            continue
        for guard in antecedent.markers:
            if guard.markable:
                numbers.setdefault((antecedent.module.name, guard.span), first + len(numbers))
    return numbers


def _wrap_all(parts: Iterable[tuple[Span, str, str]]) -> list[Edit]:
    """Return the edits that put texts around spans, of which one may be inside of another."""
    outermost = sorted(parts, key=lambda part: span_order(part[0]))
    begins, ends = list[Edit](), list[Edit]()
    for span, before, after in outermost:
        begin, end = wrapped(span, before, (), after)
        begins.append(begin)
        ends.insert(0, end)
    return begins + ends


def _declarations(module: Module, lines: Sequence[str]) -> tuple[int, int]:
    """The line, from 1, and the column, from 0, after a module's header and EXTENDS."""
    if module.extends:
        span = module.extends[-1].span
        return span.end_line, span.end_column
    number = module.span.begin_line
    header = re.search(r"-{4,}\s*MODULE\s+\w+\s*-{4,}", lines[number - 1])
    assert header is not None
    return number, header.end()


def reported_numbers(output: Iterable[bytes]) -> frozenset[int]:
    """Return the numbers that TLC reported, by the lines of its output."""
    matches = (_REPORTED.search(line) for line in output)
    return frozenset(int(match[1]) for match in matches if match is not None)
