"""The lines of a run's log, as the tables number them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import IO, Literal, NamedTuple

import msgspec

from tla2py.errors import InputError, Place
from tla2py.lint.subject import result_warning
from tla2py.logs.content import ContentCounter, refusal
from tla2py.logs.file_reads import LogReader, SourceTexts, find_reader, log_terms
from tla2py.logs.formats import LogLines, changed_numbers, unnamed_fields
from tla2py.logs.literal import LOG_MODULE, LOG_NAME, literal_extension, write_literal
from tla2py.logs.mapping import Mapper
from tla2py.logs.observation import POSITION, ObservedLogs, ObservedPlace, write_observed
from tla2py.logs.sections import LogsSection, UnobservedTable
from tla2py.model.finding import Acceptance, Finding, accepted_reason
from tla2py.model.logs import (
    EntryOrder,
    LogContent,
    LogEdit,
    LogFile,
    LogInput,
    LogMap,
    LogNumber,
    LogObservation,
    LogRemark,
)
from tla2py.model.model import Config, GivenVariable, InputFile, Inputs, Model, is_inside
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.module import Expression
from tla2py.tla.scope import Scope
from tla2py.tlc.config.statements import literal_names
from tla2py.tlc.process.command import check_path, check_variable, input_path, kept_file


class NumberedLine(NamedTuple):
    """A line of a log: its number, its text, and its place."""

    number: int
    text: bytes
    file: str
    file_line: int

    @property
    def place(self) -> str:
        """The place as ``file:line``."""
        return f"{self.file}:{self.file_line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogText:
    """The text of a run's log; ``files`` are its files where they can be read.

    The lines of one file have its numbers. Those of several files are numbered in their common order, without those that
    ``[logs.map]`` drops.
    """

    log: LogInput
    files: Sequence[Path]

    def lines(self) -> Iterator[NumberedLine]:
        """All lines, up to the first that cannot be read in the order of several files."""
        if len(self.files) > 1:
            with contextlib.suppress(InputError):
                yield from self.steps()
            return
        with self.files[0].open("rb") as lines:
            for number, text in enumerate(lines, 1):
                yield NumberedLine(number, text, self.log.files[0].path, number)

    def steps(self) -> Iterator[NumberedLine]:
        """The lines that are steps of a log that is checked against the specification alone.

        Raises InputError as reading the log does.
        """
        assert self.log.observed is not None
        several = len(self.files) > 1
        logs = [
            LogLines(file, each.path, required=not several)
            for each, file in zip(self.log.files, self.files, strict=True)
        ]
        for step, line in enumerate(Mapper(self.log.observed.map).steps(logs), 1):
            yield NumberedLine(step if several else line.number, line.text, line.file, line.number)

    def line(self, number: int) -> NumberedLine | None:
        """The line of this number."""
        return next((line for line in self.lines() if line.number == number), None)


# The name of a log in the run's folder if a definition holds its path: the same for all, so that they share a model.
_NAME = "log.ndjson"
# The property by which TLC searches depth first, with full counts.
_DEPTH_FIRST = GivenVariable("tlc2.tool.queue.IStateQueue", "StateDeque")


class KeptFile(NamedTuple):
    """A file of a log as it was when the sweep was loaded: its path, the sha256 of its content, and its number of lines.

    ``numbers`` are the first in each field that TLC's JSON reader changes.
    """

    path: str
    sha256: str
    lines: int
    numbers: tuple[LogNumber, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptLog:
    """A log of a sweep; ``edit`` is made to one of its files before a run reads it."""

    path: str
    files: tuple[KeptFile, ...]
    edit: LogEdit | None = None

    @property
    def lines(self) -> int:
        """The number of its lines, with the edit."""
        return sum(file.lines for file in self.files) + (self.edit.added if self.edit else 0)


@dataclass(frozen=True, kw_only=True)
class SweepLogs:
    """The logs of a sweep by name, and how its root modules read them.

    ``readers`` are those of the modules that read a log; the modules ``literal`` get it as a module, for lack of Java
    classes. Logs of the other modules are read as ``observed`` says. Without a ``search`` a module that ends the search
    itself is searched depth first. ``accept`` are the findings that the user accepts.
    """

    logs: Mapping[str, KeptLog] = field(default_factory=dict)
    readers: Mapping[str, LogReader] = field(default_factory=dict)
    observed: ObservedLogs | None = None
    search: Literal["bfs", "dfs"] | None = None
    literal: frozenset[str] = frozenset()
    accept: Acceptance = field(default_factory=dict)

    def findings(self) -> Iterator[Finding]:
        """A finding on each field that a module names with a number that TLC changes, once for each log."""
        for log in self.logs.values():
            for number in {n: None for reader in self.readers.values() for n in _changed(log, reader)}:
                yield result_warning(
                    "log-number",
                    f"{number.file}:{number.line}:{number.column}",
                    number.message,
                    "log a whole number of 32 bits, or a string; [accept], or validate --accept, accepts it",
                    number.field,
                )

    @property
    def kept(self) -> Iterator[KeptFile]:
        """The files of all logs."""
        return (file for log in self.logs.values() for file in log.files)

    def assigned(self, spec: ModuleGraph) -> dict[str, str]:
        """The definition that holds the path of the log, with that path as TLA+ text."""
        reader = self.readers.get(spec.root.name)
        if reader is None or reader.source.kind != "definition":
            return {}
        return {reader.source.name: f'"{_NAME}"'}

    def reading(self, model: Model) -> Model:
        """The model that reads a log, if there are any."""
        reader = self.readers.get(model.spec.root.name)
        if reader is not None:
            root, config = model.spec.root.name, model.config
            extension = literal_extension(root) if root in self.literal else None
            # A behaviour that ends before the log does tells nothing of the others. An invariant that the end of the log
            # violates ends the search before TLC evaluates those that follow.
            endings = log_terms(reader, config).endings
            others = tuple(each for each in config.invariants if each not in endings)
            config = replace(config, check_deadlock=False, invariants=(*others, *endings))
            return replace(model, config=config, position=reader.position, extension=extension)
        return self.observed.model(model) if self.observed is not None else model

    def _unread(self, log: KeptLog, reader: LogReader) -> tuple[str, ...] | None:
        """Return the fields of a log of which a module names none, None if it names one or ``silent`` allows it."""
        if (
            log.edit is not None
            or not reader.by_line
            or (self.observed is not None and self.observed.silent == 1)
        ):
            return None
        with input_path(log.files[0].sha256).open("rb") as lines:
            return unnamed_fields(lines, reader.fields)

    def inputs(self, inputs: Inputs, model: Model, parameters: Mapping[str, str]) -> Inputs:
        """The inputs of a point's run with its log."""
        log = self.logs.get(parameters.get("log", ""))
        if log is None:
            return inputs
        reader = self.readers.get(model.spec.root.name)
        given = LogInput(path=log.path, files=(), lines=log.lines, edit=log.edit)
        environment, ended = inputs.environment, False
        if reader is None:
            assert self.observed is not None
            placed = {f"log-{number}.ndjson": kept for number, kept in enumerate(log.files, 1)}
            observed = self.observed.observed(model)
            given = replace(given, position=POSITION, entries=LOG_NAME, observed=observed)
        else:
            source, file = reader.source, _NAME
            if source.kind == "environment":
                path = PurePosixPath(log.path)
                file = path.as_posix() if is_inside(log.path) else path.name
                environment = tuple(sorted((*environment, GivenVariable(source.name, file))))
            elif source.kind == "file":
                file = PurePosixPath(source.name).as_posix()
            placed = {file: log.files[0]}
            terms, position = log_terms(reader, model.config), reader.position
            ended = terms.is_ended
            sequence = None if position is None else position.entries
            entries = None if sequence is None else reader.spec.scope.find(sequence)
            skips, order = 0, None
            if entries is not None and entries.body is not None:
                skips, order = _entry_order(reader, entries.body, entries.scope)
            numbers = [
                each
                for each in _changed(log, reader)
                if accepted_reason(self.accept, "log-number", each.field) is None
            ]
            given = replace(
                given,
                position=None if position is None else position.expression,
                entries=sequence,
                stated=terms.accepts,
                endings=terms.endings,
                literal=None if model.extension is None else "line" if reader.by_line else "value",
                skips=skips or None,
                order=order,
                numbers=tuple(numbers) or None,
                unread=self._unread(log, reader),
            )
        properties = inputs.java_properties
        if self.search == "dfs" or (self.search is None and ended):
            properties = tuple(sorted((*properties, _DEPTH_FIRST)))
        others = (each for each in inputs.files if each.path not in placed)
        files = (InputFile(file, kept.sha256) for file, kept in placed.items())
        return replace(
            inputs,
            environment=environment,
            java_properties=properties,
            files=tuple(sorted((*others, *files))),
            log=replace(given, files=tuple(LogFile(kept.path, file) for file, kept in placed.items())),
        )


NO_LOGS = SweepLogs()


def _changed(log: KeptLog, reader: LogReader) -> Iterator[LogNumber]:
    """The numbers in fields that a module names, or in no field, that TLC's reader changes, without the other fields."""
    for number in log.files[0].numbers:
        named = tuple(each for each in number.fields if each in reader.fields)
        if named or not number.fields:
            yield number._replace(fields=named)


def _entry_order(
    reader: LogReader, expr: Expression, scope: Scope, depth: int = 9
) -> tuple[int, EntryOrder | None]:
    """How many first entries of the file a sequence leaves out, and how it treats the others; see ``LogInput``."""
    inner, parts = scope.named(expr), expr.arguments
    if reader.reach.is_log(expr, None):
        return 0, None
    if depth and inner is not None and inner.body is not None and not inner.parameters:
        return _entry_order(reader, inner.body, inner.scope, depth - 1)
    if expr.operator == "IF":
        branches = {_entry_order(reader, each, scope, depth) for each in parts[1:]}
        return branches.pop() if len(branches) == 1 else (0, "moved")
    if expr.operator in ("TLCEval", "SelectSeq", "Tail", "SubSeq"):
        skips, order = _entry_order(reader, parts[0], scope, depth)
        begin = {"Tail": "2", "SubSeq": parts[1].text if len(parts) > 1 else ""}.get(expr.operator, "1")
        if expr.operator == "SelectSeq" and order is None:
            return skips, "chosen"
        if begin.isdigit() and (order is None or int(begin) == 1):
            return skips + int(begin) - 1, order
    return 0, "moved"


def read_logs(
    base: Path,
    logs: Mapping[str, Sequence[str]],
    specs: Mapping[str, ModuleGraph],
    given: Collection[SourceTexts],
    section: LogsSection,
    place: ObservedPlace,
    accept: Acceptance,
) -> SweepLogs:
    """The logs of a sweep, copied and hashed; their lines are counted, not parsed.

    ``logs`` are the paths of the files of each log, ``given`` the sources that something else provides, ``place`` is
    where a key of ``[logs]`` is written.
    Raises InputError: ``input-missing``, ``input-path``, ``log-files``, ``log-unused``, and as ``find_reader`` does.
    """
    reads, position = section.reads, section.position
    found = (find_reader(spec, given, reads=reads, position=position, place=place) for spec in specs.values())
    readers = {reader.spec.root.name: reader for reader in found if reader is not None}
    if section.position is not None and logs and not readers:
        names = ", ".join(spec.root.name for spec in specs.values())
        raise InputError(
            "log-unused",
            f"{names} reads no log itself, so position does not apply",
            where=place("position"),
            hint="remove position: tla2py counts the lines; or name the module that reads the log",
        )
    for reader in readers.values():
        for key in ("map", "unobserved"):
            if getattr(section, key):
                raise InputError(
                    "log-unused",
                    f"{reader.spec.root.name} reads the log itself, so {key} does not apply",
                    where=place(key),
                    hint=f"remove {key}, or name the specification instead of its trace specification",
                )
        where = place("as") if reads else None
        if reader.source.kind == "environment":
            check_variable("environment", reader.source.name, where)
        elif reader.source.kind == "file" and not is_inside(reader.source.name):
            raise InputError(
                "log-reader",
                f"the module reads {reader.source.name}, which is outside of the run's folder",
                where=where or reader.spec.root.where(),
                hint="read a relative path, or IOEnv.NAME",
            )
        for name, files in logs.items():
            if len(files) > 1:
                pattern = PurePosixPath(files[0]).with_name(f"*{PurePosixPath(files[0]).suffix}")
                raise InputError(
                    "log-files",
                    f"{reader.spec.root.name} reads one file, but the log {name} has {len(files)}",
                    where=place("files"),
                    hint=f"if each is a log of its own: {pattern}; "
                    "otherwise merge them first, or name a module that reads no log, which tla2py checks the lines against",
                )
    kept: dict[str, KeptLog] = {}
    for name, files in logs.items():
        for path in files:
            check_path(PurePosixPath(path).as_posix(), place("files"))
        kept[name] = KeptLog(path=name, files=tuple(_kept(base / path, path) for path in files))
    return SweepLogs(
        logs=kept,
        readers=readers,
        observed=_observed_logs(section, place),
        search=section.search,
        accept=accept,
    )


def _observed_logs(section: LogsSection, place: ObservedPlace) -> ObservedLogs:
    given = section.unobserved
    table = UnobservedTable(steps=given) if isinstance(given, int) else given
    if table.steps < 0:
        raise InputError(
            "wrong-type",
            f"logs.unobserved is {table.steps}, which is below 0",
            where=place("unobserved"),
            hint="write how many steps that no line reports may come before a line, such as 1",
        )
    if not 0 <= section.silent <= 1:
        raise InputError(
            "wrong-type",
            f"logs.silent is {section.silent:g}, which is not between 0 and 1",
            where=place("silent"),
            hint="write the share of lines that may say nothing, such as 0.05 for 5 of 100",
        )
    if section.mutate < 0:
        raise InputError(
            "wrong-type",
            f"logs.mutate is {section.mutate}, which is below 0",
            where=place("mutate"),
            hint="write how many changed logs a gate checks, such as 200",
        )
    return ObservedLogs(
        map=section.map or LogMap(),
        unobserved=table.steps,
        actions=tuple(table.actions),
        place=place,
        silent=section.silent,
    )


def _kept(file: Path, path: str) -> KeptFile:
    sha256 = kept_file(file)
    with input_path(sha256).open("rb") as texts:
        numbers = changed_numbers(path, texts)
        texts.seek(0)
        return KeptFile(path, sha256, sum(1 for _ in texts), numbers)


class WrittenLog(NamedTuple):
    """A log as a run reads it: the remarks on it, and how much its lines say, None where the module reads them itself."""

    remarks: tuple[LogRemark, ...] = ()
    content: LogContent | None = None


def write_log_module(inputs: Inputs, config: Config, folder: Path) -> WrittenLog:
    """Write a run's log as a module into the run's folder, if it needs one, and return what is to be said of it."""
    log = inputs.log
    if log is None:
        return WrittenLog()
    if not log.lines:
        return WrittenLog(remarks=(LogRemark(log.path, None, "the log is empty", refuses=True),))
    if log.observed is None and log.literal is None:
        return WrittenLog(remarks=_check_json(folder / log.files[0].file, log.path))
    with (folder / f"{LOG_MODULE}.tla").open("w", encoding="utf-8") as file:
        try:
            if log.observed is None:
                write_literal(file, inputs, folder)
                return WrittenLog()
            return _write_observed_log(file, log, log.observed, config, folder)
        except InputError as error:
            return WrittenLog(remarks=(_refusing(error, log.path),))


def _write_observed_log(
    file: IO[str], log: LogInput, observed: LogObservation, config: Config, folder: Path
) -> WrittenLog:
    """Write a log that is checked against the specification alone. Raises InputError as reading it does."""
    model_values: set[str] = set()
    for assignment in config.assignments:
        model_values.update(literal_names(assignment.value) or ())
    several = len(log.files) > 1
    logs = [LogLines(folder / name, path, required=not several) for path, name in log.files]
    mapper, counter = Mapper(observed.map), ContentCounter()
    observations = counter.count(mapper.observations(logs))
    write_observed(file, observed.vocabulary, observations, model_values=model_values, null=observed.map.null)
    content = counter.content
    if not content.said and not content.silent:
        return WrittenLog(remarks=(LogRemark(log.path, None, "no file of the log has a line", refuses=True),))
    # A changed log is compared with one that says enough.
    refused = refusal(counter, observed.map, observed.vocabulary) if log.edit is None else None
    if refused is not None:
        return WrittenLog(remarks=(refused,), content=content)
    remarks = [remark for lines in logs for remark in lines.remarks]
    return WrittenLog(remarks=(*remarks, *mapper.remarks), content=content)


def _refusing(error: InputError, path: str) -> LogRemark:
    place = Place.parse(error.where or path)
    text = f"{error.message}\n{error.hint}" if error.hint else error.message
    return LogRemark(place.file, place.line, text, refuses=True)


def _check_json(file: Path, path: str) -> tuple[LogRemark, ...]:
    """A remark that refuses a log which is not JSON, neither by line nor as a whole, or has no entry: TLC may take it."""
    try:
        for _ in LogLines(file, path, most_lines=sys.maxsize).values():
            pass
    except InputError as error:
        if error.code == "log-syntax":
            with contextlib.suppress(msgspec.DecodeError, RecursionError, OSError):
                msgspec.json.decode(file.read_bytes())
                return ()
        return (_refusing(error, path),)
    return ()
