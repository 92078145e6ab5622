"""A point's state graph read from the tables: states, actions and steps as numbers, in an order by content.

Numbers do not depend on TLC's fingerprints, so that equal graphs of different jars give equal cases.
"""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tla2py.analysis.tables import StoreTables
from tla2py.errors import InputError
from tla2py.model.model import Config
from tla2py.model.outcome import Outcome
from tla2py.model.row import RunRow
from tla2py.model.run import RunRecord
from tla2py.store.refresh import table_files
from tla2py.text import counted
from tla2py.tla.itf import Json, state_to_itf
from tla2py.tla.parse import load_texts
from tla2py.tla.value_text import parse_value
from tla2py.tlc.config.read import parse_config

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from tla2py.tla.graph import ModuleGraph

# Beyond this a cover takes several GiB and its cases help nobody.
_MOST_STEPS = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What a step is called: its action, and the arguments by parameter in ITF as far as they are known."""

    action: str
    args: Mapping[str, Json]

    def to_json(self) -> dict[str, Json]:
        """The action as a case has it."""
        return {"name": self.action, "args": dict(self.args)}

    def __str__(self) -> str:
        return f"{self.action}({', '.join(self.args)})" if self.args else self.action


@dataclass(frozen=True, kw_only=True)
class Graph:
    """A point's state graph.

    ``states`` are ITF as JSON text. Step n leads from ``sources[n]`` to ``targets[n]`` and is called ``labels[names[n]]``;
    steps are ordered by their source, those that change nothing first. ``incomplete`` is why states may be missing, ""
    if none is; ``notes`` are what else a reader of the cases has to know.
    """

    point: int
    states: pa.StringArray
    initial: Sequence[int]
    sources: Sequence[int]
    targets: Sequence[int]
    names: Sequence[int]
    labels: tuple[Label, ...]
    incomplete: str = ""
    notes: tuple[str, ...] = ()
    seen: Sequence[Mapping[str, Json]] | None = None

    @cached_property
    def begins(self) -> Sequence[int]:
        """The first step from each state, and the number of steps at the end."""
        return first_steps(self.sources, len(self.states))

    def steps(self, state: int) -> range:
        """The steps from a state."""
        return range(self.begins[state], self.begins[state + 1])

    def leaving(self, states: Iterable[int]) -> Iterator[int]:
        """The steps from some states."""
        return chain.from_iterable(map(self.steps, states))

    def state(self, number: int) -> Mapping[str, Json]:
        """A state as a test sees it."""
        if self.seen is not None:
            return self.seen[number]
        found: dict[str, Json] = msgspec.json.decode(self.states[number].as_py())
        found.pop("#meta", None)
        return found

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """The actions that steps take."""
        return tuple(sorted({label.action for label in self.labels}))


def first_steps(states: Iterable[int], count: int) -> array[int]:
    """The place of the first step of each state among steps that are ordered by these states, and the number of all."""
    counts = array("i", bytes(4 * (count + 1)))
    for state in states:
        counts[state + 1] += 1
    return array("i", accumulate(counts))


def read_graph(view: StoreTables, point: int | None, *, partial: bool = False, stutter: bool = True) -> Graph:
    """The state graph of a point, by default the only one that has any.

    With ``partial`` one whose search ended early is read too; without ``stutter`` steps that change nothing are left out.
    Raises InputError: ``no-point``, ``usage`` if several points have a graph, ``no-graph``, ``graph-partial``,
    ``graph-merged`` for a run with a symmetry or a view, ``graph-too-large``.
    """
    with _tables(view) as connection:
        row = _point(view, point, connection)
        with view.store.archive(row.run_id) as archive:
            record = archive.record
        config = parse_config(record.executions[0].config_text, Path("MC.cfg")).config
        if config.symmetry or config.view or "-view" in record.options.options:
            seen = f"the view {config.view}" if config.view else "the view"
            word = f"the symmetry {config.symmetry}" if config.symmetry else seen
            raise InputError(
                "graph-merged",
                f"with {word}, point {row.point} stands for several states by one, so paths of its graph do not replay",
                hint="leave it out of the sweep file and sweep again, with smaller constants if that takes too long",
            )
        complete = row.outcome is Outcome.SUCCESS and not row.queue
        incomplete = "" if complete else f"its run ended with {row.outcome.value}"
        if incomplete and not partial:
            raise InputError(
                "graph-partial",
                f"the graph of point {row.point} lacks states: {incomplete}",
                hint="--partial makes cases from the part that TLC saw",
            )
        found = _read(connection, view, row, record, stutter=stutter)
    return replace(found, incomplete=incomplete, notes=(*_notes(row, config, found), *found.notes))


def graph_digests(view: StoreTables) -> dict[str, str]:
    """A digest of each run's state graph by run id: its states, and its steps with their actions.

    Equal graphs of different jars have equal digests, so neither fingerprints nor arguments of actions count.
    """
    import pyarrow.parquet as pq

    if not any(pq.read_metadata(file).num_rows for file in table_files(view.store, "graph_states")):
        return {}
    with _tables(view) as connection:
        found = connection.execute(
            "WITH said AS ("
            "SELECT run_id, concat_ws('|', bool_or(initial), any_value(state)) AS text FROM graph_states "
            "GROUP BY run_id, fingerprint UNION ALL "
            "SELECT DISTINCT e.run_id, concat_ws('|', a.state, coalesce(e.action, ''), b.state) FROM graph_edges e "
            "JOIN graph_states a ON e.run_id = a.run_id AND e.source = a.fingerprint "
            "JOIN graph_states b ON e.run_id = b.run_id AND e.target = b.fingerprint) "
            "SELECT run_id, bit_xor(md5_number(text)) FROM said GROUP BY run_id"
        ).fetchall()
    return {run_id: f"{number:032x}" for run_id, number in found}


@contextlib.contextmanager
def _tables(view: StoreTables) -> Iterator[duckdb.DuckDBPyConnection]:
    import duckdb

    with duckdb.connect() as connection:
        for name in ("graph_states", "graph_edges"):
            files = [str(file) for file in table_files(view.store, name)]
            if not files:
                raise _no_graph(f"{view.store.path} has no state graph")
            connection.read_parquet(files).create_view(name)
        yield connection


def _no_graph(problem: str) -> InputError:
    return InputError(
        "no-graph", problem, hint="write graph = true under [tlc] in the sweep file, and sweep again"
    )


def _point(view: StoreTables, point: int | None, connection: duckdb.DuckDBPyConnection) -> RunRow:
    if point is not None and view.points.find(point) is None:
        hint = f"choose a point from 1 to {len(view.points)}"
        raise InputError("no-point", f"no point {point} in {view.store.path}", hint=hint)
    having = {run for (run,) in connection.execute("SELECT DISTINCT run_id FROM graph_states").fetchall()}
    rows = [row for row in view.run_rows if row.run_id in having and point in (None, row.point)]
    if not rows:
        raise _no_graph(f"no run of point {point} kept its state graph")
    if len(rows) > 1:
        shown = ", ".join(str(row.point) for row in rows[:10])
        raise InputError("usage", f"{len(rows)} points have a graph: {shown}", hint="choose one with --point")
    return rows[0]


def _notes(row: RunRow, config: Config, graph: Graph) -> Iterator[str]:
    constraints = (*config.constraints, *config.action_constraints)
    if constraints:
        left = (row.generated or 0) - len(graph.initial) - len(graph.sources)
        cut = f"up to {counted(left, 'step')}" if left > 0 else "no step"
        yield f"{', '.join(constraints)} left out {cut} that the specification allows"
    ends = sum(
        all(graph.targets[step] == state for step in graph.steps(state)) for state in range(len(graph.states))
    )
    if ends:
        yield f"{counted(ends, 'state')} {'has' if ends == 1 else 'have'} no step to another state"


def _modules(view: StoreTables, record: RunRecord) -> ModuleGraph | None:
    """The modules of a run; None if they cannot be read."""
    with contextlib.suppress(InputError, OSError):
        return load_texts(record.main, {name: view.store.source(sha256) for name, sha256 in record.modules})
    return None


def _read(
    connection: duckdb.DuckDBPyConnection, view: StoreTables, row: RunRow, record: RunRecord, *, stutter: bool
) -> Graph:
    execute = connection.execute
    execute(
        "CREATE TEMP TABLE known AS SELECT fingerprint, bool_or(initial) AS initial, any_value(state) AS state "
        "FROM graph_states WHERE run_id = ? GROUP BY fingerprint",
        [row.run_id],
    )
    # Equal numbers for equal graphs: the text decides, not the fingerprint.
    execute(
        "CREATE TEMP TABLE numbered AS SELECT fingerprint, initial, state, "
        "CAST(row_number() OVER (ORDER BY state, fingerprint) - 1 AS INTEGER) AS number FROM known"
    )
    # TLC up to 1.7.4 writes equal rows for steps that differ in their arguments alone.
    execute(
        "CREATE TEMP TABLE steps AS SELECT DISTINCT source, target, coalesce(action, '') AS action, action_args "
        "FROM graph_edges WHERE run_id = ? AND (? OR source <> target)",
        [row.run_id, stutter],
    )
    (count,) = execute("SELECT count(*) FROM steps").fetchall()[0]
    if count > _MOST_STEPS:
        problem = f"the graph of point {row.point} has {counted(count, 'step')}, more than {_MOST_STEPS:,}"
        raise InputError("graph-too-large", problem, hint="take a point with smaller constants")
    execute(
        "CREATE TEMP TABLE names AS SELECT *, "
        "CAST(row_number() OVER (ORDER BY action, action_args) - 1 AS INTEGER) AS number "
        "FROM (SELECT DISTINCT action, action_args FROM steps)"
    )
    states = connection.sql("SELECT state, initial FROM numbered ORDER BY number").to_arrow_table()
    steps = connection.sql(
        "SELECT a.number AS source, b.number AS target, n.number AS name FROM steps s "
        "JOIN numbered a ON s.source = a.fingerprint JOIN numbered b ON s.target = b.fingerprint "
        "JOIN names n ON s.action = n.action AND s.action_args IS NOT DISTINCT FROM n.action_args "
        "ORDER BY source, source <> target, name, target"
    ).to_arrow_table()
    initial = [number for number, flag in enumerate(states["initial"].to_pylist()) if flag]
    named = execute("SELECT action, action_args FROM names ORDER BY number").fetchall()
    # The modules are read only where an argument has to be named.
    parsed = _modules(view, record) if any(arguments for _, arguments in named) else None
    return Graph(
        point=row.point,
        states=states["state"].combine_chunks(),
        initial=array("i", initial),
        sources=_numbers(steps["source"]),
        targets=_numbers(steps["target"]),
        names=_numbers(steps["name"]),
        labels=tuple(
            Label(action=action, args=_name_arguments(parsed, action, args or ())) for action, args in named
        ),
    )


def _numbers(column: pa.ChunkedArray) -> Sequence[int]:
    """A column of 32-bit numbers, without an object for each."""
    whole = column.combine_chunks()
    return memoryview(whole.buffers()[1] or b"").cast("i")[whole.offset : whole.offset + len(whole)]


def _name_arguments(spec: ModuleGraph | None, action: str, arguments: Iterable[str]) -> dict[str, Json]:
    """Return the arguments of an action by parameter; by number, from "1", where the definition does not tell."""
    given = list(arguments)
    bare = action.rpartition("!")[2]
    parameters = next(
        (
            [name.partition("(")[0] for name in definition.parameters]
            for module in (spec.modules if spec is not None else ())
            for definition in module.definitions
            if definition.name == bare and len(definition.parameters) == len(given)
        ),
        [str(number) for number in range(1, len(given) + 1)],
    )
    return {name: as_itf(text) for name, text in zip(parameters, given, strict=True)}


def as_itf(text: str) -> Any:
    """A value written in TLA+ as ITF, as states have it."""
    return state_to_itf({"value": parse_value(text)})["value"]
