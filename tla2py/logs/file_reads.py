"""The calls by which a module reads files, and where their paths come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from tla2py.errors import InputError
from tla2py.model.model import LEVEL, Config, Position
from tla2py.text import did_you_mean
from tla2py.tla.graph import ModuleGraph, ScopedExpression, find_bodies, reached
from tla2py.tla.module import Expression
from tla2py.tla.parse import parse_expression
from tla2py.tla.scope import Entity, Resolver, Scope
from tla2py.tla.tree import deeply

# The operators of the CommunityModules that read a file.
_READERS = frozenset({"ndJsonDeserialize", "JsonDeserialize"})
# Operators whose value is that of their last argument.
_PASSING = frozenset({"Print", "TLCEval"})
_NAMED = "IOEnv."

Kind = Literal["environment", "definition", "file"]
KINDS: tuple[Kind, ...] = ("environment", "definition", "file")


class SourceTexts(NamedTuple):
    """Where a module gets the path of a log: the name of a variable, of a definition, or of a file."""

    kind: Kind
    name: str

    def __str__(self) -> str:
        return f"environment.{self.name}" if self.kind == "environment" else self.name


class Call(NamedTuple):
    """A call of an operator that reads a file, and where its path may come from."""

    expression: Expression
    sources: frozenset[SourceTexts]


@deeply
def every_expression(spec: ModuleGraph) -> list[ScopedExpression]:
    """Every expression of the modules that the user wrote."""
    library = {module.name for module in spec.installed}
    roots = []
    for module in spec.modules:
        scope = spec.scope_of(module)
        entities = [scope.find(each.name) for each in module.definitions]
        roots += [
            ScopedExpression(expr=each.body, scope=each.scope, owner=each)
            for each in entities
            if each and each.body
        ]
        roots += [ScopedExpression(expr=each.body, scope=scope) for each in module.assumptions]
    own = [root for root in roots if root.scope.module.name not in library]
    return [each for each in reached(spec, own, {}) if each.scope.module.name not in library]


@deeply
def find_calls(spec: ModuleGraph, every: Iterable[ScopedExpression]) -> list[Call]:
    """The calls that read a file, also those of operators that pass a parameter on as its path."""
    applied = [each for each in every if each.expr.shape == "apply" and each.expr.arguments]
    passing: dict[Entity, int] = {}
    while True:
        calls, known = [], len(passing)
        for each in applied:
            index = passing.get(each.entity) if each.entity is not None else None
            if index is None and is_reading(each.expr):
                index = 0
            if index is None or index >= len(each.expr.arguments):
                continue
            found = {*_sources(each.expr.arguments[index], each.scope, spec.resolver, frozenset())}
            for parameter in (name for name in found if isinstance(name, str)):
                if each.owner is not None and parameter in each.owner.parameters:
                    passing[each.owner] = each.owner.parameters.index(parameter)
            sources = frozenset(name for name in found if isinstance(name, SourceTexts))
            if sources:
                calls.append(Call(each.expr, sources))
        if len(passing) == known:
            return calls


def _sources(
    expr: Expression, scope: Scope, resolver: Resolver, seen: frozenset[Entity]
) -> Iterator[SourceTexts | str]:
    """The sources of a path, and the names that may be parameters of the operator that it is in.

    Such a name after ``_NAMED`` is that of an environment variable.
    """
    parts: Sequence[Expression] = ()
    if expr.shape == "build" and expr.arguments and _last(expr.arguments[0].operator) == "IOEnv":
        if expr.operator == ".":
            yield SourceTexts("environment", expr.text)
        elif expr.operator == "[]":
            yield _variable(expr.arguments[1])
    elif expr.shape == "literal" and expr.operator == "string":
        yield SourceTexts("file", expr.text.strip('"'))
    elif expr.shape == "let":
        parts, scope = expr.arguments, resolver.let(scope, expr)
    elif expr.operator == "IF":
        parts = expr.arguments[1:]
    elif expr.operator == "CASE":
        parts = expr.arguments[1::2]
    elif expr.operator in _PASSING:
        parts = expr.arguments[-1:]
    elif expr.shape == "apply":
        entity = scope.find(expr.operator)
        if entity is None and expr.is_name():
            yield expr.operator
        if entity is None or entity in seen:
            return
        if expr.is_name() and not entity.enclosed and entity.kind in ("constant", "definition"):
            yield SourceTexts("definition", expr.operator)
        given = dict(zip(entity.parameters, expr.arguments, strict=False))
        inner = _sources(entity.body, entity.scope, resolver, seen | {entity}) if entity.body else ()
        for source in inner:
            argument = given.get(source.removeprefix(_NAMED)) if isinstance(source, str) else None
            if argument is None:
                yield source
            elif str(source).startswith(_NAMED):
                yield _variable(argument)
            else:
                parts = (*parts, argument)
    for each in parts:
        yield from _sources(each, scope, resolver, seen)


def _variable(name: Expression) -> SourceTexts | str:
    """The environment variable of a name, see ``_sources``."""
    return SourceTexts("environment", name.text.strip('"')) if name.text else _NAMED + name.operator


def _last(name: str) -> str:
    return name.rpartition("!")[2]


def is_reading(expr: Expression) -> bool:
    """Whether an expression is a call that reads a file."""
    return expr.shape == "apply" and _last(expr.operator) in _READERS


# What a comparison tells with its sides swapped.
_SWAPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "#": "#", "/=": "/="}


class _Sum(NamedTuple):
    """A name, such as a variable or a sequence, to which a number is added."""

    name: str
    added: int = 0
    primed: bool = False


class _Counted(NamedTuple):
    """What one comparison shows: ``name`` ends at the length of the sequence ``entries`` plus ``beyond``."""

    name: str
    entries: str
    beyond: int


def _counters(reader: LogReader, every: Iterable[ScopedExpression]) -> dict[str, Position]:
    """The positions in the log that expressions of a module compare with its length, by what they consist of.

    Each is the number of the next entry: if a variable ends at the length of the log, it is that variable plus one.
    """
    found: dict[str, Counter[_Counted]] = {}
    stepping: set[str] = set()
    for each in every:
        if each.expr.shape != "apply" or len(each.expr.arguments) != 2:
            continue
        operator, (one, other), scope = each.expr.operator, each.expr.arguments, each.scope
        if operator == "=":
            after, before = _sum(one, scope, reader.counted), _sum(other, scope, reader.counted)
            if after is not None and before is not None and after.primed and after.name == before.name:
                stepping.add(after.name)
        elif operator in ("\\in", "\\notin"):
            operator, other = "<=", other.arguments[1] if other.operator == ".." else other
        for sign, left, right in ((operator, one, other), (_SWAPPED.get(operator), other, one)):
            counting, length = _sum(left, scope, reader.counted), _sum(right, scope, reader.measured)
            if sign not in _SWAPPED or counting is None or length is None:
                continue
            beyond = length.added - counting.added
            if sign in ("<=", ">"):
                # A step is taken from a position that is allowed, and only then to one that is not.
                beyond += not counting.primed
            elif sign in ("<", ">="):
                beyond -= counting.primed
            counted = _Counted(counting.name, length.name, beyond)
            found.setdefault(counting.name, Counter())[counted] += 1
    if len(found) > 1 and len(found.keys() & stepping) == 1:
        found = {name: found[name] for name in found.keys() & stepping}
    return {name: _position(counts) for name, counts in found.items()}


def _position(counts: Counter[_Counted]) -> Position:
    """What most comparisons agree on; in doubt the module begins at 1 and ends one beyond the length."""
    best = max(counts, key=lambda each: (counts[each], each.beyond == 1, each.beyond))
    added = 1 - best.beyond
    sign = "+" if added > 0 else "-"
    expression = f"{best.name} {sign} {abs(added)}" if added else best.name
    return Position(expression=expression, entries=best.entries)


def _sum(
    expr: Expression, scope: Scope, base: Callable[[Expression, Scope], str | None], depth: int = 9
) -> _Sum | None:
    """A number added to what ``base`` gives a name; the number comes second unless it is an addition."""
    if (name := base(expr, scope)) is not None:
        return _Sum(name)
    if expr.operator == "'":
        inner = _sum(expr.arguments[0], scope, base, depth)
        return inner._replace(primed=True) if inner is not None else None
    if expr.operator in ("+", "-") and len(expr.arguments) == 2:
        one, other = expr.arguments
        if one.operator == "number" and expr.operator == "+":
            one, other = other, one
        found = _sum(one, scope, base, depth)
        if found is None or other.operator != "number" or not other.text.isdigit():
            return None
        number = int(other.text) if expr.operator == "+" else -int(other.text)
        return found._replace(added=found.added + number)
    entity = scope.named(expr)
    if entity is None or entity.body is None or entity.parameters or not depth:
        return None
    return _sum(entity.body, entity.scope, base, depth - 1)


_AS = 'as = "environment.NAME" for IOEnv.NAME, as = "NAME" for a definition, as = "FILE" for a file name in the module'


class Needs(NamedTuple):
    """Whether something depends on the log, and the variables that it depends on."""

    log: bool = False
    variables: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class LogReach:
    """What definitions and expressions of a module depend on.

    ``is_log`` tells of an expression, and of the definition that it names if any, whether it is the log.
    """

    spec: ModuleGraph
    is_log: Callable[[Expression, Entity | None], bool]
    _known: dict[Entity, Needs] = field(default_factory=dict)

    def named(self, name: str) -> Needs:
        """What a definition that the root sees depends on."""
        entity = self.spec.scope.find(name)
        return Needs() if entity is None else self.entity(entity)

    def entity(self, entity: Entity) -> Needs:
        """What an entity depends on."""
        if entity.kind == "variable":
            return Needs(variables=frozenset({entity.declaration.name}))
        if entity.body is None:
            return Needs()
        if entity not in self._known:
            # A recursive definition adds nothing to itself.
            self._known[entity] = Needs()
            found = self.expressions([(entity.body, entity.scope)])
            self._known[entity] = found._replace(log=found.log or self.is_log(entity.body, entity))
        return self._known[entity]

    def expressions(self, expressions: Iterable[tuple[Expression, Scope]]) -> Needs:
        """What expressions with their scopes depend on."""
        log, variables = False, set[str]()
        pending = list(expressions)
        while pending:
            expr, scope = pending.pop()
            log = log or self.is_log(expr, None)
            inside = self.spec.resolver.let(scope, expr) if expr.shape == "let" else scope
            pending += [(child, inside) for child in expr.children()]
            if expr.shape == "apply" and (entity := scope.find(expr.operator)) is not None:
                needs = self.entity(entity)
                log = log or needs.log
                variables |= needs.variables
        return Needs(log, frozenset(variables))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogReader:
    """How a module reads its log.

    ``position`` is what counts the lines, if known. ``by_line`` tells whether each line of the log is a value. ``reach``
    tells what depends on the log. ``fields`` are the names of fields, and the strings, in the module.
    """

    spec: ModuleGraph
    source: SourceTexts
    position: Position | None
    by_line: bool
    reach: LogReach
    fields: frozenset[str] = frozenset()

    def counted(self, expr: Expression, scope: Scope) -> str | None:
        """The variable that an expression is, or the level of a state."""
        if expr.operator == "TLCGet" and expr.arguments[0].text == '"level"':
            return LEVEL
        entity = scope.named(expr)
        own = entity is not None and entity is self.spec.scope.find(expr.operator)
        return expr.operator if own and entity is not None and entity.kind == "variable" else None

    @deeply
    def measured(self, expr: Expression, scope: Scope) -> str | None:  # noqa: ARG002
        """The definition without parameters that depends on the log, and whose length or domain an expression is."""
        name = expr.arguments[0].operator if expr.operator in ("Len", "DOMAIN") and expr.arguments else ""
        definition = self.spec.definitions.get(name)
        return name if definition and not definition.parameters and self.reach.named(name).log else None


class LogTerms(NamedTuple):
    """What a config tells of the log that a module reads.

    ``accepts`` tells whether something that TLC checks is true only of logs that are explained. A postcondition that
    depends on the log is, and so is a property if it depends on the position as well. An invariant holds in all states on
    the way, so it is none unless nothing counts the lines. ``endings`` are the invariants that only the end of the log
    violates: they depend on it, and on its position alone. ``is_ended`` tells whether the model ends the search for
    itself, at a state that it looks for.
    """

    accepts: bool
    endings: tuple[str, ...]
    is_ended: bool


# A sweep of a thousand logs has a few configs.
@lru_cache(maxsize=256)
@deeply
def log_terms(reader: LogReader, config: Config) -> LogTerms:
    """What a config tells of the log that a module reads."""
    spec, position, needs = reader.spec, reader.position, reader.reach.named
    counting = parse_expression(position.expression).names if position is not None else frozenset[str]()
    counting &= {each.name for each in spec.variables}
    stating = (*config.postconditions, *config.possible, *(() if position else config.invariants))
    accepts = any(needs(name).log for name in stating) or any(
        needs(name).log and counting <= needs(name).variables for name in config.properties
    )
    endings = tuple(name for name in config.invariants if counting and needs(name) == (True, counting))
    names = [name for _, name in config.names()] + [*config.replacing_names.values()]
    every = reached(spec, find_bodies(spec, names), {})
    exits = (
        each.expr.operator == "TLCSet" and [part.text for part in each.expr.arguments[:1]] == ['"exit"']
        for each in every
    )
    return LogTerms(accepts, endings, bool(endings) or any(exits))


def find_reader(
    spec: ModuleGraph,
    given: Collection[SourceTexts],
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
        # For each call, those of a variable before a definition before a file. A call with a given one reads something else.
        sources: set[SourceTexts] = set()
        for call in calls:
            if not call.sources & {*given}:
                best = min((source.kind for source in call.sources), key=KINDS.index)
                sources |= {source for source in call.sources if source.kind == best}
        readers = [_reader(spec, calls, source) for source in sorted(sources)]
        counting = [each for each in readers if _counters(each, every)]
        only = counting[0] if len(counting) == 1 else _only_reader(readers, place("files"))
        if only is None:
            return None
        reader = only
    found = _counters(reader, every)
    # One of several variables counts, but not for certain.
    counted = next(iter(found.values())) if len(found) == 1 else None
    if position is not None:
        if position not in found:
            _check_position(spec, position, place("position"))
        counted = found.get(position, Position(expression=position))
    fields = [each.expr.text for each in every if each.expr.operator in (".", "record", "[:]")]
    strings = {each.expr.text.strip('"') for each in every if each.expr.operator == "string"}
    return replace(reader, position=counted, fields=frozenset(strings.union(*(f.split(",") for f in fields))))


def _reader(spec: ModuleGraph, calls: Iterable[Call], source: SourceTexts) -> LogReader:
    read = [call.expression for call in calls if source in call.sources]
    reading = {id(each) for each in read}
    return LogReader(
        spec=spec,
        source=source,
        position=None,
        by_line=any(_last(each.operator) == "ndJsonDeserialize" for each in read),
        reach=LogReach(spec, lambda expr, _: id(expr) in reading),
    )


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


def _named_source(spec: ModuleGraph, calls: Iterable[Call], reads: str, where: str | None) -> SourceTexts:
    kind, _, name = reads.partition(".")
    if kind == "environment" and name:
        return SourceTexts("environment", name)
    constants = {each.name for each in spec.constants}
    if reads in spec.definitions or reads in constants:
        return SourceTexts("definition", reads)
    files = {source for call in calls for source in call.sources if source.kind == "file"}
    if SourceTexts("file", reads) in files:
        return SourceTexts("file", reads)
    known = sorted({str(source) for call in calls for source in call.sources})
    raise InputError(
        "log-reader",
        f"{spec.root.name} has no definition {reads} and reads no file of that name",
        where=where,
        hint=did_you_mean(reads, known, _AS),
    )


def _check_position(spec: ModuleGraph, position: str, where: str | None) -> None:
    variables = {each.name for each in spec.variables}
    try:
        names = parse_expression(position).names
    except InputError as error:
        raise InputError(error.code, error.message, where=where, hint=error.hint) from None
    if not names & (variables | spec.definitions.keys()):
        raise InputError(
            "log-position",
            f"{position} depends on no variable of {spec.root.name}",
            where=where,
            hint=did_you_mean(position, sorted(variables), f"variables: {', '.join(sorted(variables))}"),
        )
