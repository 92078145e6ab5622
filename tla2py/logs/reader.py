"""How a module reads the log that it checks, and what counts the lines: both found in its text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from tla2py.errors import InputError
from tla2py.logs.calls import KINDS, Call, Source, every_expression, find_calls
from tla2py.logs.counting import counters
from tla2py.model.config import Config
from tla2py.model.model import Position
from tla2py.syntax import ModuleGraph, parse_expression
from tla2py.syntax.depth import deeply
from tla2py.syntax.expression import Expression
from tla2py.syntax.reach import Reached, named, reached
from tla2py.text import did_you_mean

_AS = 'as = "environment.NAME" for IOEnv.NAME, as = "NAME" for a definition, as = "FILE" for a file name in the module'


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogReader:
    """How a module reads its log.

    ``position`` is what counts the lines, if known. ``calls`` are the expressions that read the log.
    """

    spec: ModuleGraph
    source: Source
    position: Position | None
    calls: tuple[Expression, ...]

    @property
    def by_line(self) -> bool:
        """Whether each line of the log is a value."""
        return any(call.operator.rpartition("!")[2] == "ndJsonDeserialize" for call in self.calls)

    @deeply
    def reaches(self, name: str) -> bool:
        """Whether a definition depends on the log."""
        calls = {id(call) for call in self.calls}
        return any(id(each.expr) in calls for each in reached(self.spec, named(self.spec, [name]), {}))

    def accepts(self, config: Config) -> bool:
        """Whether something that TLC checks is true only of logs that are explained.

        A postcondition that depends on the log is, and so is a property if it depends on the position as well. An
        invariant holds in all states on the way, so it is none unless nothing counts the lines.
        """
        counted = self.position is not None
        names = (*config.postconditions, *config.possible, *(() if counted else config.invariants))
        return any(map(self.reaches, names)) or any(
            self.reaches(name) and (not counted or self._counting <= self._variables(name))
            for name in config.properties
        )

    def endings(self, config: Config) -> tuple[str, ...]:
        """The invariants that only the end of the log violates: they depend on it, and on its position alone."""
        return tuple(
            name
            for name in config.invariants
            if self._counting and self._variables(name) == self._counting and self.reaches(name)
        )

    @deeply
    def is_ended(self, config: Config) -> bool:
        """Whether a model ends the search for itself, at a state that it looks for."""
        names = [name for _, name in config.names()] + [each.definition for each in config.substitutions]
        every = reached(self.spec, named(self.spec, names), {})
        return bool(self.endings(config)) or any(_is_exit(each.expr) for each in every)

    @property
    def _counting(self) -> frozenset[str]:
        """The variables of the position."""
        names = parse_expression(self.position.expression).names if self.position else frozenset()
        return frozenset(names & {each.name for each in self.spec.variables})

    @deeply
    def _variables(self, name: str) -> frozenset[str]:
        """The variables that a definition depends on."""
        variables = {each.name for each in self.spec.variables}
        every = reached(self.spec, named(self.spec, [name]), {})
        return frozenset(each.expr.operator for each in every if each.expr.operator in variables)


class LogTerms(NamedTuple):
    """What a config tells of the log: see the methods of ``LogReader``."""

    accepts: bool
    endings: tuple[str, ...]
    is_ended: bool


# A sweep of a thousand logs has a few configs.
@lru_cache(maxsize=256)
def log_terms(reader: LogReader, config: Config) -> LogTerms:
    """What a config tells of the log that a module reads."""
    return LogTerms(reader.accepts(config), reader.endings(config), reader.is_ended(config))


def _is_exit(expr: Expression) -> bool:
    return expr.operator == "TLCSet" and [each.text for each in expr.arguments[:1]] == ['"exit"']


def find_reader(
    spec: ModuleGraph,
    given: Collection[Source],
    *,
    reads: str | None,
    position: str | None,
    place: Callable[[str], str | None],
) -> LogReader | None:
    """How a module reads its log, None if it reads none.

    ``given`` are the sources that something else provides. ``reads`` and ``position`` are the user's, ``place`` is where
    a key of ``[logs]`` is written.

    Raises InputError: ``log-reader`` for a way that the module lacks, or if several are possible, ``log-position``.
    """
    every = every_expression(spec)
    calls = find_calls(spec, every)
    if reads is not None:
        reader = _reader(spec, calls, _named_source(spec, calls, reads, place("as")))
    else:
        readers = _possible(spec, calls, given)
        counting = [each for each in readers if _counters(each, every)]
        only = counting[0] if len(counting) == 1 else _only_reader(readers, place("files"))
        if only is None:
            return None
        reader = only
    found = _counters(reader, every)
    if position is not None:
        if position not in found:
            _check_position(spec, position, place("position"))
        return replace(reader, position=found.get(position, Position(expression=position)))
    # One of several variables counts, but not for certain.
    return replace(reader, position=next(iter(found.values())) if len(found) == 1 else None)


def _reader(spec: ModuleGraph, calls: Iterable[Call], source: Source) -> LogReader:
    read = tuple(call.expression for call in calls if source in call.sources)
    return LogReader(spec=spec, source=source, position=None, calls=read)


def _possible(spec: ModuleGraph, calls: Sequence[Call], given: Collection[Source]) -> list[LogReader]:
    """The readers of what may be the log: for each call, those of a variable before a definition before a file.

    A call whose variable or file is given reads something else.
    """
    found: set[Source] = set()
    for call in calls:
        if not call.sources & {*given}:
            kinds = {source.kind for source in call.sources}
            best = next(kind for kind in KINDS if kind in kinds)
            found |= {source for source in call.sources if source.kind == best}
    return [_reader(spec, calls, source) for source in sorted(found)]


def _only_reader(readers: Sequence[LogReader], where: str | None) -> LogReader | None:
    """The reader of a variable before that of a definition before that of a file, if there is one of that kind."""
    for kind in KINDS:
        of_kind = [reader for reader in readers if reader.source.kind == kind]
        if len(of_kind) == 1:
            return of_kind[0]
        if of_kind:
            ways = ", ".join(str(reader.source) for reader in of_kind)
            raise InputError(
                "log-reader",
                f"{of_kind[0].spec.root.name} may read its log by several ways: {ways}",
                where=where,
                hint=f'write as = "{of_kind[0].source}" under [logs], or give the others under [environment] or [inputs]',
            )
    return None


def _named_source(spec: ModuleGraph, calls: Iterable[Call], reads: str, where: str | None) -> Source:
    kind, _, name = reads.partition(".")
    if kind == "environment" and name:
        return Source("environment", name)
    constants = {each.name for each in spec.constants}
    if reads in spec.definitions or reads in constants:
        return Source("definition", reads)
    files = {source for call in calls for source in call.sources if source.kind == "file"}
    if Source("file", reads) in files:
        return Source("file", reads)
    known = sorted({str(source) for call in calls for source in call.sources})
    raise InputError(
        "log-reader",
        f"{spec.root.name} has no definition {reads} and reads no file of that name",
        where=where,
        hint=did_you_mean(reads, known, _AS),
    )


def _counters(reader: LogReader, every: Iterable[Reached]) -> Mapping[str, Position]:
    """What counts the lines, by the variable that does."""
    spec = reader.spec
    known: dict[str, bool] = {}

    def is_log(name: str) -> bool:
        if name not in known:
            definition = spec.definitions.get(name)
            known[name] = definition is not None and not definition.parameters and reader.reaches(name)
        return known[name]

    return counters(spec, every, is_log)


def _check_position(spec: ModuleGraph, position: str, where: str | None) -> None:
    variables = {each.name for each in spec.variables}
    names = parse_expression(position).names
    if not names & (variables | spec.definitions.keys()):
        raise InputError(
            "log-position",
            f"{position} depends on no variable of {spec.root.name}",
            where=where,
            hint=did_you_mean(position, sorted(variables), f"variables: {', '.join(sorted(variables))}"),
        )
