"""Places in the user's files for what TLC says about the files of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from tla2py.errors import MOST_LINES, Place
from tla2py.model.model import Assignment, Config, qualified
from tla2py.model.outcome import Diagnostic
from tla2py.model.run import RunRecord, RunResult
from tla2py.model.trace import Location, Trace
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.levels import Levels, temporal_parts
from tla2py.tla.module import Module, character_column, count_visible, original_line, visible_offsets
from tla2py.tla.parse import read_text
from tla2py.tla.tree import deeply
from tla2py.tlc.config.read import config_lines, config_name, config_of_run, offset_of
from tla2py.tlc.config.wrapper import is_wrapper
from tla2py.tlc.output.codes import Code
from tla2py.tlc.output.states import CALL, LOCATION, UNASSIGNED, location_of


@deeply
def initial_predicate(config: Config, modules: Sequence[Module]) -> str:
    """The name of the initial predicate: the config's INIT, or the first one that its specification names, or that.

    The first of the modules is the root.
    """
    if config.init is not None:
        return config.init
    spec = ModuleGraph(root=modules[0], modules=tuple(modules), standard=())
    specification = config.specification or ""
    if (entity := spec.scope.find(specification)) is None:
        return specification
    inits = temporal_parts(entity, Levels(spec.resolver), instances=True).inits
    # That of an instance is declared in the instance's module.
    return next((expr.operator.rpartition("!")[2] for expr, _ in inits if expr.is_name()), specification)


def evaluated_on_initial(config: Config, traces: Sequence[Trace]) -> tuple[str, ...]:
    """The definitions that TLC evaluates on a complete initial state, in TLC's order; empty if the state is incomplete.

    The state is the first of the last trace. Once TLC prints a complete state, the initial predicate has been evaluated.
    """
    states = [state for trace in traces[-1:] for state in trace.states[:1]]
    if not states or UNASSIGNED in states[0].values.values():
        return ()
    view = () if config.view is None else (config.view,)
    return (*config.constraints, *view, *config.invariants, *config.properties)


class SourcePlaces(Protocol):
    """Places outside of the modules: in a sweep file, a config or options."""

    def value(self, name: str, index: int | None, length: int) -> Place | None:
        """The place of the value of a constant or of a substitution.

        ``index`` is a position within its last ``length`` non-blank characters, counted from 0 without blanks; None is
        the beginning.
        """

    def name(self, name: str) -> Place | None:
        """The place that names a definition or a constant."""

    def line(self, number: int) -> Place | None:
        """The place of a config line that TLC read unchanged; None in a generated config."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionTexts:
    """The constants of the command line, which override a config, and its expressions, each with its option."""

    constants: Mapping[str, str]
    expressions: Mapping[str, str]
    config: Path | None
    verbatim: bool

    def value(self, name: str, index: int | None, length: int) -> Place | None:
        """The place in the option that assigns the value or holds the expression, or in the config."""
        if name not in self.constants and name not in self.expressions:
            return self.name(name)
        text = self.constants.get(name, name)
        column = None if index is None else offset_of(visible_offsets(text), index, length) + 1
        return Place(file=self.expressions.get(name, f"-c {name}=..."), column=column, excerpt=text)

    def name(self, name: str) -> Place | None:
        """The option, or the place in the config."""
        if name in self.constants:
            return Place(file=f"-c {name}=...", excerpt=self.constants[name])
        return config_name(self.config, config_lines(self.config), name) if self.config is not None else None

    def line(self, number: int) -> Place | None:
        """The place of a line of the config."""
        lines = config_lines(self.config) if self.verbatim and self.config is not None else ()
        excerpt = lines[number - 1] if 0 < number <= len(lines) else ""
        return Place(file=str(self.config), line=number, excerpt=excerpt) if lines else None


_DEFINED = re.compile(r"(\w+)(?:\([^)]*\))? ==")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrapperModule:
    """The lines of a wrapper module, and the constant, substitution, key or expression behind each definition."""

    lines: tuple[str, ...]
    meanings: Mapping[str, str]

    @classmethod
    def read(cls, text: str, config: Config, expressions: Iterable[Assignment] = ()) -> WrapperModule | None:
        """The wrapper module in a text, with definitions of ``expressions``; None for a module of the user."""
        if not is_wrapper(text):
            return None
        found = {
            value.rpartition("]")[2].strip(): qualified(name, value) for name, value in config.substitutions
        }
        if config.symmetry is not None:
            found.setdefault(config.symmetry, "symmetry")
        found |= dict(expressions)
        own = set(_DEFINED.findall(text))
        meanings = {name: meant for name, meant in found.items() if name in own}
        return cls(lines=tuple(text.split("\n")), meanings=meanings)

    def place(self, line: int, column: int, written: SourcePlaces) -> Place | None:
        """The place of the user's value at a position in the wrapper; None if there is no value."""
        matches = enumerate(map(_DEFINED.fullmatch, self.lines), 1)
        heads = {number: found[1] for number, found in matches if found is not None}
        head = max((number for number in heads if number <= line), default=None)
        if head is None or heads[head] not in self.meanings:
            return None
        end = next((number for number in heads if number > head), len(self.lines))
        body = "\n".join(self.lines[head : end - 1]).removesuffix("\n====")
        inside = "\n".join([*self.lines[head : line - 1], self.lines[line - 1][: column - 1]])
        index = None if line == head else count_visible(inside)
        return written.value(self.meanings[heads[head]], index, count_visible(body))


_CONFIG_LINE = re.compile(r"configuration file at line (\d+)")
_MODULE = re.compile(r"-{4,}\s*MODULE\s+(\w+)")
_NAME = re.compile(r"[A-Za-z_]\w*(?:!\w+)*")
# The command line of a JVM that serves many runs does not name a run's folder.
_TEMPORARY = re.compile(r"(?:[/\\][^\s/\\\"']+)*[/\\]tla2py-[\w.-]+[/\\](?:[\w.-]+[/\\])*([\w.-]*)")
_FOLDER = re.compile(r"-Djava\.io\.tmpdir=(.*)[/\\]tmp")
# The beginning of a message names its subject.
_SUBJECT_LENGTH = 2000
_UNASSIGNED = 2222
_LEVELS = (2146, 2149)
# Messages that name a definition but give no location.
_NAMING = (
    *range(_UNASSIGNED, 2246),
    *_LEVELS,
    *(Code.ASSUMPTION_FAILED, Code.POSTCONDITION_FAILED, Code.INVARIANT_FAILED, Code.ACTION_PROPERTY_FAILED),
    *(Code.INITIAL_INCOMPLETE, Code.SUCCESSOR_INCOMPLETE, Code.TAUTOLOGY, 2272, 2273, 2274, 2280, 2281),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """The input of a run.

    ``paths`` maps the sha256 of a text to the user's file, ``text`` gives the text of a sha256, ``written`` finds values.
    """

    paths: Mapping[str, str]
    text: Callable[[str], str]
    written: SourcePlaces


def located(record: RunRecord, result: RunResult, origins: Origins) -> RunResult:
    """The result with places in the user's files instead of the run's folder."""
    if not result.diagnostics and not record.originals:
        return result
    locator = _Locator(record, origins, result.traces)
    found = result.diagnostics
    diagnostics = tuple(locator.diagnostic(each, found[number:]) for number, each in enumerate(found))
    result = replace(result, diagnostics=diagnostics)
    if not record.originals:
        return result
    coverage = tuple(replace(item, location=locator.original(item.location)) for item in result.coverage)
    return replace(result, coverage=coverage, traces=tuple(map(locator.trace, result.traces)))


class _Locator:
    """The places of one run."""

    def __init__(self, record: RunRecord, origins: Origins, traces: Sequence[Trace]) -> None:
        self._origins = origins
        self._traces = traces
        self._files = {name.removesuffix(".tla"): sha256 for name, sha256 in record.modules}
        self._originals = {name.removesuffix(".tla"): sha256 for name, sha256 in record.originals}
        self._folders = {f[1] for e in record.executions for option in e.argv if (f := _FOLDER.match(option))}
        self._main, self._expressions = record.main, record.expressions
        self._config_text = record.executions[0].config_text
        self._config = config_of_run(self._config_text)
        main = origins.text(self._files[record.main])
        self._wrapper = WrapperModule.read(main, self._config, record.expressions)

    def diagnostic(self, found: Diagnostic, following: Sequence[Diagnostic]) -> Diagnostic:
        """A diagnostic with its place; ``following`` starts with it."""
        if found.place is not None:
            return found  # on a line of a log
        text, place = self._rewritten(found.text), self._place_of(found) or self._called(following)
        suspects: Sequence[str] = ()
        if place is None and found.code == Code.INITIAL_STATE_FAILED:
            suspects = evaluated_on_initial(self._config, self._traces)
        if len(suspects) == 1:
            place = self._declared(suspects[0])
        elif suspects:
            text += (
                "\nTLC gives no location. The error is in the initial predicate, or in one of "
                f"{', '.join(suspects)}, which TLC evaluates on this state."
            )
        return replace(found, text=text, place=place or self._find_named_place(found))

    def _place_of(self, found: Diagnostic) -> Place | None:
        if found.code == Code.NESTED_EXPRESSION:
            return self._innermost(found.text)
        if found.location is not None and (place := self.place(found.location)) is not None:
            return place
        if found.code == Code.SUCCESSOR_INCOMPLETE and self._traces:
            # The message names the variable; the last action did not assign it.
            action = self._traces[-1].states[-1].location
            return self.place(action) if action is not None else None
        if (line := _CONFIG_LINE.search(found.text)) is None:
            return None
        number, written, lines = int(line[1]), self._origins.written, self._config_text.splitlines()
        if (place := written.line(number)) is not None:
            return place
        names = _NAME.findall(lines[number - 1]) if number <= len(lines) else []
        return next((place for name in names if (place := written.name(name))), None)

    def _called(self, following: Sequence[Diagnostic]) -> Place | None:
        """The place of the first diagnostic if the second one gives it."""
        first, *others = following
        if first.severity != "error" or not others:
            return None
        then = others[0]
        # For a complete state TLC locates the value's origin, not its use.
        made = then.code == Code.FINGERPRINT_FAILED and first.code != Code.INITIAL_STATE_FAILED
        if made and then.location is not None:
            return self.place(then.location)
        return self._innermost(then.text) if then.code == Code.NESTED_EXPRESSION else None

    def _innermost(self, text: str) -> Place | None:
        """The innermost call outside of the standard modules."""
        calls = [self.place(location_of(call.groups())) for call in CALL.finditer(text)]
        return next((place for place in reversed(calls) if place is not None), None)

    def _find_named_place(self, found: Diagnostic) -> Place | None:
        if found.code in (Code.INITIAL_STATE_FAILED, Code.INITIAL_INCOMPLETE):
            read = [_read(self._origins.text(sha256)) for sha256 in self._files.values()]
            return self._declared(initial_predicate(self._config, read))
        if found.code not in _NAMING:
            return None
        names = _NAME.findall(found.text[:_SUBJECT_LENGTH])
        meanings = self._wrapper.meanings if self._wrapper is not None else {}
        # Its name in the text is the user's.
        names = [*(name for name, text in self._expressions if text in found.text), *names]
        for name in names:
            if name in meanings:
                return self._origins.written.value(meanings[name], None, 0)
        for name in names:
            place = self._declared(name)
            if place is None and found.code != _UNASSIGNED:
                place = self._origins.written.name(name)
            if place is not None:
                return place
        return None

    def _declared(self, name: str) -> Place | None:
        """The place in the user's modules that declares or defines a name."""
        for module, sha256 in self._files.items():
            if module == self._main and self._wrapper is not None:
                continue
            read = _read(self._origins.text(sha256))
            spans = [(each.name, each.span) for each in read.definitions]
            spans += [(each.name, each.span) for each in read.constants]
            spans += [(each.name, each.span) for each in read.variables]
            if (span := next((span for each, span in spans if each == name), None)) is not None:
                return self._in_module(module, span.begin_line, span.begin_column)
        return None

    def place(self, location: Location) -> Place | None:
        """The place in the user's files of a location that TLC prints; None in a standard module."""
        if (module := self._file_of(location.module)) is None:
            return None
        lines = self._origins.text(self._files[module]).split("\n")
        text = lines[location.begin_line - 1] if location.begin_line <= len(lines) else ""
        column = character_column(text, location.begin_column)
        if module == self._main and self._wrapper is not None:
            return self._wrapper.place(location.begin_line, column, self._origins.written)
        found = self._in_module(module, location.begin_line, column)
        if location.end_line > location.begin_line and module not in self._originals:
            whole = lines[location.begin_line - 1 : location.end_line]
            cut = ["..."] if len(whole) > MOST_LINES else []
            found = replace(found, excerpt="\n".join([*whole[:MOST_LINES], *cut]))
        return found

    def _file_of(self, module: str) -> str | None:
        """The file of a module: its own, or that of the module around it."""
        if module in self._files:
            return module
        texts = ((name, self._origins.text(sha256)) for name, sha256 in self._files.items())
        return next((name for name, text in texts if module in _MODULE.findall(text)), None)

    def _in_module(self, module: str, line: int, column: int) -> Place:
        sha256 = self._originals.get(module, self._files[module])
        own = self.line(module, line)
        text = self._origins.text(sha256).split("\n")
        copied = self._origins.text(self._files[module]).split("\n")
        excerpt = text[own - 1] if own <= len(text) else ""
        copy = copied[line - 1] if line <= len(copied) and own <= len(text) else None
        # A copy may lack the comment at the end of a line.
        same = copy is not None and (len(copy) == len(excerpt) or excerpt.startswith(copy))
        return Place(
            file=self._origins.paths.get(sha256, f"{module}.tla"),
            line=own,
            column=column if same else len(excerpt) - len(excerpt.lstrip()) + 1,
            excerpt=excerpt,
        )

    def line(self, module: str, line: int) -> int:
        """The user's line number of a line in TLC's copy of a module."""
        if module not in self._originals:
            return line
        text = self._origins.text
        return original_line(text(self._originals[module]), text(self._files[module]), line)

    def _rewritten(self, text: str) -> str:
        """A message with the user's places and files instead of the run's."""
        for folder in self._folders:
            text = re.sub(rf"{re.escape(folder)}[/\\]?([\w.-]*)", self._file_named, text)
        text = _TEMPORARY.sub(self._file_named, text)
        text = CALL.sub(lambda found: self._replace_location(found, always=True), text)
        return LOCATION.sub(lambda found: self._replace_location(found, always=False), text)

    def _file_named(self, found: re.Match[str]) -> str:
        name = found[1].removesuffix(".tla")
        sha256 = self._originals.get(name, self._files.get(name, ""))
        return self._origins.paths.get(sha256, found[1])

    def _replace_location(self, found: re.Match[str], *, always: bool) -> str:
        location = location_of(found.groups())
        wrapped = location.module == self._main and self._wrapper is not None
        changed = wrapped or location.module in self._originals
        place = self.place(location) if always or changed else None
        return found[0] if place is None else str(place)

    def trace(self, trace: Trace) -> Trace:
        """A trace with the user's line numbers."""
        states = (
            replace(state, location=self.original(state.location)) if state.location else state
            for state in trace.states
        )
        return replace(trace, states=tuple(states))

    def original(self, location: Location) -> Location:
        """A location in TLC's copy of a module, with the user's line numbers."""
        line = self.line(location.module, location.begin_line)
        last = self.line(location.module, location.end_line)
        return replace(location, begin_line=line, end_line=max(last, line))


_read = lru_cache(maxsize=16)(read_text)
