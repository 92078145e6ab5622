"""When a property is violated: its law, the kinds of its counterexamples, and points that could refute the law."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import PurePosixPath

import msgspec

from tla2py.analysis.atoms import AtomTable, bit_set
from tla2py.analysis.kinds import Kind, all_found, kinds_of
from tla2py.analysis.laws import SECONDS, Law, LawFound, distinct_laws, find_law, laws_left
from tla2py.analysis.points import (
    Answers,
    PointAnswer,
    law_parameters,
    missing_text,
    property_answers,
    scope_parameters,
)
from tla2py.analysis.tables import StoreTables
from tla2py.errors import InputError, Tla2pyError, attempt
from tla2py.model.display import PrintMixin
from tla2py.model.search import CONFIDENCE, Search, SearchedLaw
from tla2py.model.trace import SIMULATED
from tla2py.sweep.grid import comparable, parameters_key, value_key
from tla2py.sweep.inspect import satisfies
from tla2py.text import counted, did_you_mean, points_text
from tla2py.tla.parse import load_texts
from tla2py.toml import toml_key, toml_value

Suggestion = Mapping[str, str]
"""A whole point: the text of every parameter."""


def suggest_points(
    law: Law,
    rivals: Sequence[Law],
    answered: Sequence[PointAnswer],
    names: Sequence[str],
    count: int,
    possible: Callable[[Suggestion], bool] | None = None,
) -> list[Suggestion]:
    """At most ``count`` points without an answer that are ``possible`` and most likely to refute a law.

    Each differs from an answered point in one of the parameters ``names``, by the next value or by one beyond the last.
    Points where most rivals contradict the law come first, then those at its boundary, then small ones.
    """
    if count < 1:
        return []
    columns = {name: _values([each.parameters[name] for each in answered]) for name in names}
    places = {
        name: {value_key(text): place for place, text in enumerate(column)}
        for name, column in columns.items()
    }

    def key(point: Mapping[str, str]) -> tuple[int, ...]:
        return tuple(places[name][value_key(point[name])] for name in names)

    def neighbours(point: Suggestion) -> Iterator[Suggestion]:
        for name, column in columns.items():
            at = places[name][value_key(point[name])]
            yield from ({**point, name: column[to]} for to in (at - 1, at + 1) if 0 <= to < len(column))

    def says(each: Law, point: Suggestion) -> bool:
        return each.at({name: comparable(point[name]) for name in names})

    known = {key(each.parameters) for each in answered}
    fresh: dict[tuple[int, ...], Suggestion] = {}
    for near in answered:
        for point in neighbours(near.parameters):
            if key(point) not in known:
                fresh.setdefault(key(point), point)

    def rank(point: Suggestion) -> tuple[int, int, int, tuple[int, ...]]:
        here = says(law, point)
        against = sum(says(rival, point) != here for rival in rivals)
        boundary = sum(says(law, other) != here for other in neighbours(point))
        return -against, -boundary, sum(key(point)), key(point)

    return list(islice(filter(possible, sorted(fresh.values(), key=rank)), count))


def _possible(view: StoreTables) -> Callable[[Suggestion], bool]:
    """Whether a point is not in the store and no assumption of the module is FALSE there, as far as tla2py evaluates them."""
    have = {parameters_key(point.parameters) for point in view.points}

    def new(point: Suggestion) -> bool:
        return parameters_key(point) not in have

    if scope_parameters(view):
        return new  # points have other modules
    try:
        with view.store.archive(view.points[1].run_id) as archive:
            record = archive.record
        texts = {name: view.store.source(sha256) for name, sha256 in record.modules}
        spec, constants = load_texts(record.main, texts), view.constants(1)
    except (Tla2pyError, OSError):
        return new  # a store may lack what only this needs
    return lambda point: new(point) and satisfies(spec, {**constants, **point})


def _values(texts: Sequence[str]) -> list[str]:
    """The values of a parameter in order; numbers go on by one, and into gaps."""
    values = {value_key(text): text for text in texts}
    numbers = [value for value in map(comparable, values.values()) if type(value) is int]
    if len(numbers) < len(values):
        return [values[key] for key in sorted(values, key=repr)]
    # Below the first value there is often nothing that the specification means.
    least = min(numbers)
    found = {beside for number in numbers for beside in (number - 1, number, number + 1) if beside >= least}
    return [str(number) for number in sorted(found)]


# A law over fewer points is marked.
_FEW = 10
# The least points for a law in the summary of a sweep.
_TELLING = 4
# Of laws beside other results. 'tla2py explain' searches longer, and over more points: for 100,000 it needs a gigabyte.
LAW_SECONDS = 2.0
LAW_POINTS = 10_000
# The text shows so many kinds of a row.
_MOST_KINDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyLaw:
    """A property's law over the points of a store, or over those of one module or specification, its ``scope``.

    ``answers`` are the points it was found from, ``suggestions`` points that could refute it, ``kinds`` the kinds of
    counterexamples at these points. Of a search, ``searched`` says how far the law is settled, and ``predicted`` are the
    points that did not run and that the law says are violated.
    """

    scope: str | None
    answers: Answers
    found: LawFound
    searched: SearchedLaw | None = None
    predicted: tuple[int, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    kinds: tuple[Kind, ...] = ()

    @property
    def name(self) -> str:
        """The property."""
        return self.answers.name

    @property
    def title(self) -> str:
        """The property and its scope; a module without its path."""
        return f"{self.name} in {PurePosixPath(self.scope).stem}" if self.scope else self.name

    @property
    def asked(self) -> int:
        """The number of points with an answer."""
        return len(self.answers.answered)

    @property
    def violated(self) -> int:
        """The number of points where the property is violated."""
        return sum(each.violated for each in self.answers.answered)

    @property
    def exceptions(self) -> tuple[int, ...]:
        """The points that contradict the law."""
        return tuple(self.answers.answered[number].point for number in self.found.exceptions)

    @property
    def telling(self) -> bool:
        """Whether the law says more than a list of the points would."""
        return self.found.law is not None and 0 < self.violated < self.asked >= _TELLING

    @property
    def law(self) -> str:
        """The law as a clause."""
        if not self.asked:
            return "no answer"
        if not self.violated:
            return "never violated"
        if self.violated == self.asked:
            return f"{self.answers.breaks} at every point"
        if self.found.law is None:
            return "no short law"
        law = f"{self.answers.breaks} iff {self.found.law}"
        return law if self.found.short else f"no short law; the shortest that fits: {law}"

    @property
    def support(self) -> str:
        """What supports the law: the points where the property is violated, and the exceptions."""
        searched = self.searched
        parts = [f"{self.violated} of {self.asked}"]
        if searched is not None:
            parts = [f"{searched.run:,} of {searched.of:,} points run"]
            parts += [f"{searched.unanswered:,} without an answer"] * (searched.unanswered > 0)
        if self.found.law is not None and (searched or 0 < self.violated < self.asked):
            wrong = self.exceptions
            parts.append(f"except at {points_text(wrong)}" if wrong else "no exception")
        if self.found.law is not None and not self.found.short and (others := len(self.found.rivals)):
            parts.append(f"one of {counted(others + 1, 'law')} of its length")
        if not self.found.complete:
            parts.append("the search ran out of time: a simpler law may exist")
        if self.violated > 0 and self.asked < _FEW:
            parts.append("few points")
        if self.answers.missing and searched is None:
            parts.append(f"a law of {self.run}")
        text = ", ".join(parts)
        return f"{text}; {searched.support}".rstrip("; ") if searched is not None else text

    @property
    def run(self) -> str:
        """``12 of 25 points``: those of the store with a result."""
        return f"{self.answers.of - len(self.answers.missing)} of {counted(self.answers.of, 'point')}"

    def to_json(self) -> dict[str, object]:
        """The row of ``explain --json``; ``law`` is null if no law was found, and not ``short`` if it only fits."""
        row: dict[str, object] = {
            "property": self.name,
            "scope": self.scope,
            "law": None if self.found.law is None else str(self.found.law),
            "short": self.found.short,
            "asked": self.asked,
            "violated": self.violated,
            "exceptions": list(self.exceptions),
            "rivals": [str(rival) for rival in self.found.rivals],
            "suggest": [dict(point) for point in self.suggestions],
            "kinds": [kind.to_json() for kind in self.kinds],
            "of": self.answers.of,
            "missing": list(self.answers.missing),
        }
        if (searched := self.searched) is None:
            return row
        return row | {
            "run": self.answers.of - len(self.answers.missing),
            "unanswered": searched.unanswered,
            "draws": searched.draws,
            "silent_draws": searched.silent,
            "confidence": CONFIDENCE,
            "bound": searched.bound,
            "settled": searched.settled,
            "predicted": list(self.predicted),
        }

    def kind_lines(self) -> Iterator[str]:
        """The most frequent kinds of counterexamples: what they have in common, then their steps, and why."""
        for kind in self.kinds[:_MOST_KINDS]:
            shortest = f"{kind.size}, shortest at point {kind.shortest.point}"
            yield "; ".join(filter(None, (shortest, kind.remarks)))
            yield from (f"  {text}" for text in (kind.steps, kind.because) if text)
        if (more := len(self.kinds) - _MOST_KINDS) > 0:
            yield f"and {counted(more, 'more kind')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation(PrintMixin):
    """The laws of a store's properties, those that are violated first."""

    rows: tuple[PropertyLaw, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[PropertyLaw]:
        return iter(self.rows)

    def __str__(self) -> str:
        unsearched = [each for each in self.rows if each.searched is None]
        partial = [each for each in unsearched if each.answers.missing][:1]
        fine = [each.title for each in unsearched if each.asked and not each.violated]
        lines = [*self.laws()]
        if fine:
            at = "".join(f" at the {each.run} with a result" for each in partial)
            lines.append(f"never violated{at}: {', '.join(fine)}")
        silent = [each for each in self.rows if each.answers.unanswered]
        lines += [f"{each.title} has no answer at {points_text(each.answers.unanswered)}" for each in silent]
        excluded = {point for each in self.rows for point in each.answers.excluded}
        if excluded:
            lines.append(f"excluded by an ASSUME: {points_text(sorted(excluded))}")
        lines += [missing_text(each.answers.missing, each.answers.of) for each in partial]
        suggesting = [each for each in self.rows if each.suggestions]
        if suggesting:
            lines.append("points that could refute a law, as rows of [grid] include:")
        for each in suggesting:
            lines += [f"  {each.title}", *(f"    {suggestion_text(point)}" for point in each.suggestions)]
        return "\n".join(lines)

    def laws(self, *, telling: bool = False) -> Iterator[str]:
        """A line for each law of a violated property and each rival, or for those that are telling; then the kinds."""
        broken = [
            each
            for each in self.rows
            if each.searched is not None or (each.telling if telling else each.violated)
        ]
        title = max((len(each.title) for each in broken), default=0)
        law = max((len(each.law) for each in broken), default=0)
        for each in broken:
            yield f"{each.title:<{title}}  {each.law:<{law}}  {each.support}"
            for rival in each.found.rivals if each.found.short else ():
                yield f"{'':<{title}}       or iff {rival}"
            yield from (f"    {line}" for line in each.kind_lines())


def suggestion_text(point: Suggestion) -> str:
    """A point as a row of ``[grid] include``."""
    return "{ " + ", ".join(f"{toml_key(name)} = {toml_value(text)}" for name, text in point.items()) + " }"


def explain_store(
    view: StoreTables,
    name: str | None = None,
    suggest: int = 0,
    seconds: float = SECONDS,
    kinds: bool = False,
) -> Explanation:
    """The laws of a store's properties, or of one, each with at most ``suggest`` points that could refute it.

    The search for each law takes at most so many ``seconds``. The ``kinds`` of counterexamples, on request, need more
    tables than the laws. Raises InputError (``unknown-property``).
    """
    answers = property_answers(view)
    if name is not None:
        known = [each.name for each in answers]
        if name not in known:
            raise InputError(
                "unknown-property",
                f"no point checks {name}",
                hint=did_you_mean(name, known, f"checked: {', '.join(known) or 'nothing'}"),
            )
        answers = [each for each in answers if each.name == name]
    names, scopes = law_parameters(view), scope_parameters(view)
    searched = _Searched(view, view.manifest.search, names) if view.manifest.search is not None else None
    possible = _possible(view) if suggest else None
    found = (explain_answers(one, names, scopes, suggest, seconds, searched, possible) for one in answers)
    rows = list(chain.from_iterable(found))
    if kinds:
        every = kinds_of([each for each in all_found(view) if each.name != SIMULATED])
        for place, row in enumerate(rows):
            points = {each.point for each in row.answers.answered if each.violated}
            here = [kind.at(points) for kind in every if kind.name == row.name]
            members = sorted(filter(None, here), key=lambda kind: -len(kind.members))
            rows[place] = replace(row, kinds=tuple(members))
    return Explanation(rows=tuple(sorted(rows, key=lambda each: not each.violated)))


def telling_laws(view: StoreTables) -> list[str]:
    """Return the lines of a store's laws that say something, or one on why there are none because the search failed."""
    nothing: list[str] = []
    laws = attempt(lambda: [*explain_store(view, seconds=LAW_SECONDS).laws(telling=True)], nothing)
    return laws.result if laws.failure is None else [f"no laws: {laws.failure}"]


class _Searched:
    """The laws of a store that was searched: one that a search ended with comes before its rivals."""

    def __init__(self, view: StoreTables, search: Search, names: Sequence[str]) -> None:
        self._table = AtomTable([point.parameters for point in view.points], names)
        # Draws of other runs say nothing.
        fresh = search.chosen.keys() <= {point.run_id for point in view.points}
        self._laws = {(each.name, each.scope): each for each in search.laws if fresh}
        self._within = max((each.within for each in search.laws), default=0.05)

    def law(self, scope: str | None, answers: Answers) -> tuple[LawFound | None, SearchedLaw]:
        """The law left for the answers to a property, None if none fits, and how far it is settled."""
        size = len(self._table.rows)
        asked = bit_set((each.point - 1 for each in answers.answered), size)
        violated = bit_set((each.point - 1 for each in answers.answered if each.violated), size)
        laws = laws_left(self._table, violated, asked)
        ran = answers.of - len(answers.missing)
        known = self._laws.get((answers.name, scope)) or SearchedLaw(
            name=answers.name,
            scope=scope,
            law=None,
            run=ran,
            of=answers.of,
            unanswered=len(answers.unanswered) + len(answers.excluded),
            draws=0,
            within=self._within,
        )
        if known.of == answers.of:
            known = msgspec.structs.replace(known, run=ran)
        laws.sort(key=lambda law: str(law) != known.law)
        if not laws:
            return None, msgspec.structs.replace(known, law=None, draws=0, silent=0)
        if str(laws[0]) != known.law:
            known = msgspec.structs.replace(known, law=str(laws[0]), draws=0, silent=0)
        first, *rivals = distinct_laws(laws)
        found = LawFound(law=first, rivals=tuple(rivals))
        return found, msgspec.structs.replace(known, short=found.short)

    def predicted(self, found: LawFound, answers: Answers) -> tuple[int, ...]:
        """The points that did not run and that a law says are violated."""
        violated = self._table.points_of(found.law.terms) if found.law is not None else 0
        return tuple(point for point in answers.missing if violated >> (point - 1) & 1)


def explain_answers(
    answers: Answers,
    names: Sequence[str],
    scopes: Iterable[str],
    suggest: int,
    seconds: float = SECONDS,
    searched: _Searched | None = None,
    possible: Callable[[Suggestion], bool] | None = None,
) -> list[PropertyLaw]:
    """The law over all points; if that one has exceptions, those over the points of each module or specification."""

    def one(scope: str | None, answers: Answers) -> PropertyLaw:
        left, known = searched.law(scope, answers) if searched and answers.of_property else (None, None)
        whole = known is not None and known.of == answers.of
        points = [each.parameters for each in answers.answered]
        violated = [each.violated for each in answers.answered]
        found = left or find_law(points, violated, names, seconds)
        suggestions: list[Suggestion] = []
        if found.law is not None and any(violated):
            suggestions = suggest_points(found.law, found.rivals, answers.answered, names, suggest, possible)
        return PropertyLaw(
            scope=scope,
            answers=answers,
            found=found,
            searched=known,
            predicted=searched.predicted(left, answers) if searched and left and whole else (),
            suggestions=tuple(suggestions),
        )

    whole = one(None, answers)
    if whole.found.law is not None and not whole.exceptions:
        return [whole]
    for scope in scopes:
        values = list(dict.fromkeys(each.parameters[scope] for each in answers.answered))
        if len(values) > 1:
            parts = [one(value, answers.at(scope, value)) for value in values]
            if any(part.found.law is not None and not part.exceptions for part in parts):
                return parts
    return [whole]
