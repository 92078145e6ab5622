"""The tables: their schemas are explicit, never inferred, and their rows follow from the records only."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.conftest import file_size_limit
from tests.raising import raises
from tests.unit.records import executed
from tla2py.analysis.view import open_view
from tla2py.errors import StoreError
from tla2py.model.outcome import Verdict
from tla2py.store import schema
from tla2py.store.manifest import Manifest, ManifestParameter
from tla2py.store.read import action_rows, pandas_frame
from tla2py.store.refresh import refresh_tables, stored_table, table_files
from tla2py.store.rows import row_columns, run_row
from tla2py.store.schema import TABLE_NAMES, TABLES, arrow_schema, runs_columns
from tla2py.store.store import ManifestPoint, Store, points_table

PARAMETERS = [
    ManifestParameter(name="N", kind="constant", column="N", type="integer"),
    ManifestParameter(name="Flag", kind="constant", column="Flag", type="boolean"),
    ManifestParameter(name="depth", kind="constant", column="parameter_depth", type="text"),
]
CASES = ("invariant", "liveness-lasso", "liveness-stuttering", "success", "parse-error", "coverage")


def make_store(path: Path, cases: tuple[str, ...] = CASES) -> Store:
    """A store with a point for each case of the corpus, and one point without a record."""
    store = Store.create(path)
    points = []
    for n in range(1, len(cases) + 2):
        parameters = {"N": str(-n), "Flag": "TRUE", "depth": f"<<{n}>>"}
        points.append(ManifestPoint(point=n, run_id=f"{n:032}", parameters=parameters))
    manifest = Manifest(tla2py_version="0", name="cases", modules=["Spec"], sweep="", parameters=PARAMETERS)
    store.write_manifest(manifest, points_table(PARAMETERS, points), {})
    for point, case in zip(points, cases, strict=False):
        store.write_record(executed(path.parent / "streams", point.run_id, case))
    return store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    made = make_store(tmp_path_factory.mktemp("tables") / "store")
    assert refresh_tables(made)
    return made


def table(store: Store, name: str) -> list[dict[str, object]]:
    return stored_table(store, name).to_pylist()  # type: ignore[no-any-return]


def test_the_files_have_the_schema_that_is_said(store: Store, tmp_path: Path) -> None:
    empty = make_store(tmp_path / "store", cases=())
    refresh_tables(empty)
    for name in TABLE_NAMES:
        columns = runs_columns(PARAMETERS) if name == "runs" else TABLES[name]
        found = stored_table(store, name).schema
        assert found.remove_metadata() == arrow_schema(columns).remove_metadata()
        for column in columns:
            field = found.field(column.name)
            assert field.nullable is column.nullable
            assert field.metadata[b"doc"].decode() == column.doc
            assert column.doc
        # An empty table has its schema too.
        read = stored_table(empty, name)
        assert (read.num_rows, read.column_names) == (0, [column.name for column in columns])


def test_the_columns_that_scripts_rely_on() -> None:
    promised = {
        "runs": "run_id point outcome verdict violated generated distinct depth trace_length wall_seconds "
        "cpu_seconds peak_memory_bytes termination_reason exit_code tlc_version tlc_revision jar_sha256 started_at",
        "traces": "run_id trace kind name length loop_start loop_action loop_action_args stuttering",
        "states": "run_id trace index action action_args module begin_line begin_column end_line end_column in_loop state",
        "changes": "run_id trace index action variable path before after",
        "prints": "run_id index text",
        "coverage": "run_id module name distinct generated",
    }
    assert set(promised) <= set(TABLE_NAMES)
    for name, names in promised.items():
        columns = runs_columns(()) if name == "runs" else TABLES[name]
        assert set(names.split()) <= {column.name for column in columns}


def test_a_row_of_runs(store: Store) -> None:
    rows = table(store, "runs")
    assert [row["point"] for row in rows] == [1, 2, 3, 4, 5, 6]
    first = rows[0]
    assert list(first)[:5] == ["run_id", "point", "N", "Flag", "parameter_depth"]
    nothing = "behaviours collision_optimistic collision_observed termination_reason message message_place"
    expected = (
        {"point": 1, "N": -1, "Flag": True, "parameter_depth": "<<1>>", "trace_length": 3, "suspect": False}
        | {"outcome": "violation_safety", "verdict": "violated", "exit_code": 12, "executions": 1}
        | {"violated": [{"kind": "invariant", "name": "Small"}], "checked": ["deadlock"]}
        | {"undecided": [], "held": []}
        | {"generated": 5, "distinct": 5, "queue": 1, "depth": 3, "print_count": 0}
        | {"wall_seconds": 1.5, "cpu_seconds": 2.25, "peak_memory_bytes": 100_000_000}
        | {"timeout_seconds": 60.0, "memory_bytes": 1 << 28}
        | {"started_at": datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC)}
        | dict.fromkeys([*nothing.split(), "disk_bytes", "executor", "chosen_for"])
    )
    apart = ("tlc_version", "tlc_revision", "jar_sha256", "run_id")
    assert {name: first[name] for name in first if name not in apart} == expected
    assert first["tlc_revision"] == "5b8488d"
    # A broken point says why.
    said = [rows[4][name] for name in ("verdict", "outcome", "distinct")]
    assert (said, bool(rows[4]["message"])) == (["broken", "error_spec_parse", None], True)
    assert rows[3]["message"] is None


def test_a_point_searched_several_times_has_the_counts_of_the_first_and_the_time_of_all(
    tmp_path: Path,
) -> None:
    cases = (("invariant",), ("invariant", "success"), ("success",))
    runs = [executed(tmp_path, str(number), *names) for number, names in enumerate(cases)]
    once, both, last = (row_columns(run_row(run.record, run.result)) for run in runs)
    names = ("outcome", "generated", "distinct", "queue", "depth")
    assert [both[name] for name in names] == [once[name] for name in names]
    assert once["distinct"] != last["distinct"]
    assert (both["wall_seconds"], both["cpu_seconds"], both["executions"]) == (3.0, 4.5, 2)


def test_rows_of_traces_states_changes_and_coverage(store: Store) -> None:
    names = ("kind", "name", "length", "loop_start", "stuttering")
    assert [tuple(row[name] for name in names) for row in table(store, "traces")] == [
        ("invariant", "Small", 3, None, False),
        ("temporal_property", "Reaches", 8, 1, False),
        ("temporal_property", "", 1, None, True),
    ]
    # States.
    rows = [row for row in table(store, "states") if row["run_id"] == f"{1:032}"]
    steps = [(row["index"], row["action"], row["in_loop"]) for row in rows]
    assert steps == [(1, None, False), (2, "Up", False), (3, "Up", False)]
    assert [rows[1][name] for name in ("module", "begin_line", "begin_column")] == ["Spec", 7, 7]
    assert rows[0]["module"] is None
    assert json.loads(str(rows[2]["state"])) == {"x": {"#bigint": "2"}, "y": {"#bigint": "0"}}
    # The states that recur for ever.
    rows = table(store, "states")
    assert all(row["in_loop"] for row in rows if row["run_id"] == f"{2:032}")
    assert [row["in_loop"] for row in rows if row["run_id"] == f"{3:032}"] == [True]
    # Changes.
    rows = [row for row in table(store, "changes") if row["run_id"] == f"{1:032}"]
    parts = ("index", "action", "variable", "path", "before", "after")
    changes = [tuple(row[name] for name in parts) for row in rows]
    assert changes == [(2, "Up", "x", "", "0", "1"), (3, "Up", "x", "", "1", "2")]
    # Coverage.
    rows = table(store, "coverage")
    assert {row["run_id"] for row in rows} == {f"{6:032}"}
    actions = {row["name"]: row for row in rows if row["kind"] == "action"}
    assert (set(actions), actions["Up"]["begin_line"]) == ({"Up", "Reset"}, 7)


def test_the_actions_of_a_log_are_those_of_the_specification(tmp_path: Path) -> None:
    head = {"run_id": "1", "module": "M", "begin_line": 1, "begin_column": 1, "end_line": 1, "end_column": 1}
    kinds = ("1 action Line_Send", "1 log Send", "1 init Init", "2 action Send")
    rows = [{**head, **dict(zip(("run_id", "kind", "name"), each.split(), strict=True))} for each in kinds]
    file = tmp_path / "coverage.parquet"
    pq.write_table(pa.Table.from_pylist(rows, schema=arrow_schema(TABLES["coverage"])), file)
    found = [(row.run_id, row.kind, row.name) for row in action_rows([file])]
    assert found == [("1", "action", "Send"), ("1", "init", "Init"), ("2", "action", "Send")]


def test_points_with_one_run_have_a_row_each_and_its_traces_once(tmp_path: Path) -> None:
    made = make_store(tmp_path / "store", ("invariant",))
    parameters = made.points()[1].parameters
    points = [ManifestPoint(point=n, run_id=f"{1:032}", parameters=parameters) for n in (1, 2)]
    made.write_manifest(made.manifest(), points_table(PARAMETERS, points), {})
    refresh_tables(made)
    assert [row["point"] for row in table(made, "runs")] == [1, 2]
    assert (len(table(made, "traces")), len(table(made, "states"))) == (1, 3)


def test_a_full_disk_leaves_the_old_tables(tmp_path: Path) -> None:
    made = make_store(tmp_path / "store", ("invariant",))
    refresh_tables(made)
    before = {file: file.read_bytes() for file in (Path(made.path) / "tables").rglob("*.*")}
    made.write_record(executed(tmp_path / "more", f"{2:032}", "deadlock"))
    with file_size_limit(64):
        assert raises(StoreError, refresh_tables, made).code == "store-unwritable"
    assert {file: file.read_bytes() for file in (Path(made.path) / "tables").rglob("*.*")} == before
    assert refresh_tables(made)


def test_pandas_keeps_integers_where_some_are_missing(store: Store) -> None:
    frame = pandas_frame(stored_table(store, "runs"))
    assert str(frame.dtypes["distinct"]) == "Int64"
    assert frame.distinct.isna().tolist() == [False, False, False, False, True, False]
    assert str(frame.dtypes["Flag"]) == "boolean"


def test_a_view_reads_what_was_written(store: Store) -> None:
    view = open_view(store.path)
    assert len(view.runs) == 6
    trace = view.trace(2)
    assert (trace.loop_start, trace.stuttering, trace.name) == (1, False, "Reaches")
    assert (trace.loop_action, trace.loop_action_args) == ("Reset", None)
    assert [state.values["x"] for state in trace.states] == [0, 1, 2, 3, 0, 1, 2, 3]
    assert trace.states[1].location is not None


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        (["Replicas", "N"], ("Replicas", "N")),
        (["depth"], ("parameter_depth",)),
        (["Depth", "point"], ("parameter_Depth", "parameter_point")),
        (["n", "N"], ("n", "parameter_N")),
        (["parameter_depth", "depth"], ("parameter_depth", "parameter_parameter_depth")),
        (["seed", "module"], ("seed", "module")),
    ],
)
def test_no_two_columns_have_one_name(names: list[str], columns: tuple[str, ...]) -> None:
    assert schema.parameter_columns(names) == columns
    every = [name.lower() for name in (*columns, *schema.FIXED_RUNS_COLUMNS)]
    assert len({*every}) == len(every)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2", "10"], "integer"),
        (["1", "1 + 1"], "text"),
        (["TRUE", "FALSE"], "boolean"),
        (["TRUE", "1"], "text"),
        *(([text], "text") for text in ("{a}", "9" * 30, "\u00b2", "1-", "-")),
        (["", "View"], "text"),
    ],
)
def test_the_type_of_a_parameters_column(values: list[str], kind: str) -> None:
    assert schema.parameter_type(values) == kind


def edited(store: Store, name: str, **columns: str) -> None:
    """Rewrite a table in place with other values."""
    [file] = table_files(store, name)
    found = pq.read_table(file)
    for column, text in columns.items():
        index = found.schema.get_field_index(column)
        found = found.set_column(index, found.schema.field(column), [[text] * found.num_rows])
    pq.write_table(found, file)


def test_a_table_that_was_edited_is_made_again(tmp_path: Path) -> None:
    made = make_store(tmp_path / "store", ("invariant",))
    refresh_tables(made)
    rows = {name: table(made, name) for name in ("runs", "states")}
    edited(made, "runs", verdict="holds", outcome="success")
    assert [row.verdict for row in open_view(made.path).run_rows] == [Verdict.VIOLATED]
    # Of the same size and with the same time, a table that is read later.
    open_ = open_view(made.path)
    [states] = table_files(made, "states")
    stat = states.stat()
    states.write_bytes(states.read_bytes()[:-9] + bytes(9))
    os.utime(states, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    assert open_.arrow("states").num_rows == 3
    assert table(made, "states") == rows["states"]
    # A sweep that has nothing to run does not believe it either.
    [runs] = table_files(made, "runs")
    runs.write_bytes(runs.read_bytes()[:-9] + bytes(9))
    assert refresh_tables(made)
    assert table(made, "runs") == rows["runs"]
    table_files(made, "states")[0].write_bytes(b"damaged")
    assert refresh_tables(made, checked=("states",))
    assert not refresh_tables(made)
    # So is one that is deleted, with its folder.
    run_rows = [*open_view(made.path).run_rows]
    shutil.rmtree(tmp_path / "store" / "tables")
    assert [*open_view(made.path).run_rows] == run_rows
    assert (tmp_path / "store" / "tables" / "current.json").exists()
