"""The words about logs: conjuncts, maps, remarks, changes, what a run reads, and the rows of its answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple, TypeAlias

import msgspec

from tla2py.model.outcome import Verdict

PartKind = Literal["line", "observed", "step"]
EntryOrder: TypeAlias = Literal["chosen", "moved"]
LogChange: TypeAlias = Literal["drop", "double", "swap", "field"]
Scalar = str | int | float | bool


class LogPart(NamedTuple):
    """A conjunct on one of the paths through a next-state relation.

    ``kind`` is ``line`` if it depends on the log and no variable of the specification, ``observed`` if it compares them,
    and ``step`` if it does not depend on the log. ``path`` are the definitions that lead to it, ``depth`` is how many
    conjuncts come before it. ``action`` is the action of the specification that it is a part of or stands for. ``line``
    and ``column`` are its place in the user's module.
    """

    kind: PartKind
    text: str
    module: str
    line: int
    column: int
    depth: int
    path: tuple[str, ...]
    action: str | None

    @property
    def place(self) -> str:
        """Module, line and column."""
        return f"{self.module}:{self.line}:{self.column}"


class LogMap(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[logs.map]``: how to read a line. Fields are named by paths such as ``event.name``, elements of arrays as in ``args.0``.

    action: the field with the action's name; actions: from names in the log to those of the specification.
    args: the field of each argument, for arguments that are not in the object ``args``.
    state: the field of each variable, or expression of variables, that is not in the object ``state``.
    drop: lines to leave out: those whose fields have one of the values, such as ``{"level": ["debug"]}``.
    clock: the field by which the lines of several files are merged; it may not decrease within a file.
    null: the TLA+ text of null, such as the name of a model value.
    ignore: fields that are not used on purpose.
    """

    action: str = "action"
    actions: dict[str, str] = {}
    args: dict[str, str] = {}
    state: dict[str, str] = {}
    drop: dict[str, tuple[Scalar, ...]] = {}
    clock: str | None = None
    null: str | None = None
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What lines of a log may say of a specification.

    steps: the action of the specification by the name of a step in TLC's output.
    arguments: the names of the arguments of each action.
    state: the variables and expressions that lines may show.
    init_names: the actions that a first line may name to show the initial state.
    """

    steps: Mapping[str, str]
    arguments: Mapping[str, tuple[str, ...]]
    state: tuple[str, ...]
    init_names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogObservation:
    """How a run's log is checked against the specification alone: its lines are read by a map, as steps.

    ``silent`` is the share of lines that may say nothing, from 0 to 1.
    """

    map: LogMap
    vocabulary: Vocabulary
    silent: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LogContent:
    """How many lines of a log say something: name an action, an argument or a part of the state.

    Empty lines, and those that ``[logs.map]`` drops, are not counted.

    said: number of lines that do.
    silent: number of lines that do not.
    first_silent: the place of the first of these, as ``file:line``.
    first_silent_entry: its number among the lines that are counted, from 1.
    """

    said: int
    silent: int
    first_silent: str | None = None
    first_silent_entry: int | None = None

    def allows(self, share: float) -> bool:
        """Return whether at most this share of the lines says nothing."""
        counted = self.said + self.silent
        return counted == 0 or self.silent / counted <= share

    @property
    def share(self) -> float:
        """The share of the lines that say nothing, rounded up to two digits, so that ``allows`` allows it."""
        return math.ceil(100 * self.silent / (self.said + self.silent)) / 100


class LogFile(NamedTuple):
    """A file of a log: its path as the user names it, and its path in the run's folder."""

    path: str
    file: str


class LogNumber(NamedTuple):
    """A number in a log that TLC's JSON reader changes: its place, the fields that it is in, its text, and what TLC reads."""

    file: str
    line: int
    column: int
    fields: tuple[str, ...]
    text: str
    read: int

    @property
    def field(self) -> str:
        """The field by which ``[accept]`` names it."""
        return self.fields[-1] if self.fields else "value"

    @property
    def message(self) -> str:
        """What TLC does."""
        read = f"which TLC reads as {self.read:,}"
        return f"{self.field} is {self.text}, {read}: it has integers of 32 bits only"


class LogRemark(NamedTuple):
    """A remark on a log, or on a line of it; one that ``refuses`` tells why the log cannot be checked."""

    file: str
    line: int | None
    text: str
    refuses: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEdit:
    """A change to a log: a line dropped, doubled, swapped with the next one, or with another value in a field.

    ``file`` is the file that has the line. ``text`` is the new line if a field changed from ``before`` to ``after``, both JSON.
    ``action`` is what the line names.
    """

    file: str
    line: int
    change: LogChange
    text: str | None = None
    field: str | None = None
    before: str | None = None
    after: str | None = None
    action: str | None = None

    @property
    def added(self) -> int:
        """How many lines more the log has afterwards."""
        return {"drop": -1, "double": 1}.get(self.change, 0)

    def applied(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """The lines of the changed log."""
        numbered = enumerate(lines, 1)
        for number, line in numbered:
            if number != self.line:
                yield line
                continue
            whole = line.rstrip(b"\r\n") + b"\n"
            if self.change == "double":
                yield from (whole, whole)
            elif self.change == "swap":
                for _, following in numbered:
                    yield following.rstrip(b"\r\n") + b"\n"
                    break
                yield whole
            elif self.text is not None:
                yield self.text.encode() + b"\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogInput:
    """The log that a run checks.

    ``path`` is the log as the user names it, ``files`` are its files, ``lines`` is how many they have together.
    ``position`` is the expression that counts lines, ``entries`` the definition of what it counts, if known. ``stated``
    means that TLC's verdict is that on the log. ``endings`` are the invariants that a log violates if it is explained to
    its end. ``edit`` is made to its file before the run reads it; ``lines`` are those afterwards. ``observed`` is None if
    the module reads the log itself; ``literal`` is how, if TLC cannot read JSON: a value in each ``line``, or one ``value``.
    ``skips`` is how many first entries of the file the module leaves out, ``order`` how it treats the others, if not one
    by one: some are ``chosen`` by their content, or they are ``moved``. ``numbers`` are those for which there is no verdict.
    ``unread`` are the fields of its lines if the module names none of them.
    """

    path: str
    files: tuple[LogFile, ...]
    lines: int
    position: str | None = None
    entries: str | None = None
    stated: bool = False
    endings: tuple[str, ...] = ()
    edit: LogEdit | None = None
    observed: LogObservation | None = None
    literal: Literal["line", "value"] | None = None
    skips: int | None = None
    order: EntryOrder | None = None
    numbers: tuple[LogNumber, ...] | None = None
    unread: tuple[str, ...] | None = None

    @property
    def counted(self) -> bool:
        """Whether the run prints how far it got."""
        return self.position is not None

    @property
    def decides(self) -> bool:
        """Whether the verdict is whether some behaviour explains every line: nothing that TLC checks depends on the log."""
        return self.counted and not self.stated

    def facts(self) -> dict[str, object]:
        """What belongs in a run's digest."""
        facts: dict[str, object] = msgspec.to_builtins(self)
        return {name: value for name, value in facts.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRow:
    """A row of ``logs`` without its run and point: how far some behaviour explained a log.

    The columns are annotated as those of ``RunRow`` are. The first unexplained line is None also if TLC did not end.
    """

    file: Annotated[str, "the log, as the sweep file or the command names it"]
    verdict: Annotated[Verdict, "holds if some behaviour explains every line, violated if none does"]
    lines: Annotated[int, "int32", "number of its lines"]
    said: Annotated[
        int | None,
        "int32",
        "lines that name an action, an argument or a part of the state; null if the module reads the log itself",
    ]
    matched: Annotated[
        int | None, "int32", "lines before the first unexplained one; null if nothing counts them"
    ]
    first_unmatched: Annotated[int | None, "int32", "the first line that no behaviour explains, from 1"]
    place: Annotated[str | None, "that line as file:line"]
    violates: Annotated[tuple[str, ...], "what is violated, such as an invariant, besides the log"]
    generated: Annotated[int | None, "states generated"]
    distinct: Annotated[int | None, "distinct states"]


class SaidLines(NamedTuple):
    """How many lines of a log say something, None if that is not known, and how many lines it has."""

    said: int | None
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogMutantRow:
    """A row of ``log_mutants``: a change to a log, and whether the changed log was accepted."""

    run_id: Annotated[str, "the run"]
    file: Annotated[str, "the log that was changed"]
    line: Annotated[int, "int32", "number of the line that was changed, from 1"]
    change: Annotated[str, "drop, double, swap (with the next line) or field"]
    field: Annotated[str | None, "the field that was changed, as in event.state.term"]
    before: Annotated[str | None, "its value, as JSON"]
    after: Annotated[str | None, "its other value, as JSON"]
    action: Annotated[str | None, "the action that the line names, if known"]
    status: Annotated[
        str,
        "rejected, accepted, unknown (no answer within the limits) or broken (TLC could not evaluate the module)",
    ]


class MutationSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[mutation]``: the mutants that a gate runs; ``accept`` has the reasons of accepted survivors by id."""

    operators: list[str] = []
    points: list[int] = []
    sample: int | None = None
    budget: int = 3
    accept: dict[str, str] = {}


MUTATION_KEYS: Mapping[str, str] = {
    "operators": "The mutation operators; default: all.",
    "points": "The numbers of the points that mutants run at; default: all.",
    "sample": "How many mutants run, chosen by the seed of [tlc]; default: all.",
    "budget": "How many times the original's states and time a mutant may take.",
    "accept": 'Survivors that you accept, each with a reason: ID = "reason".',
}
