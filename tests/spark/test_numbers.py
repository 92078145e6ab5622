"""Every number that is shown a second time, compared with the tables by a statement of its own.

The stores are made once, by the real TLC: a grid with find = "each", several traces a run, points that share
a run, excluded and broken ones; a simulation; logs and changed logs; mutants. DuckDB, Spark and pandas read the
same rows.
"""

from __future__ import annotations

import json
import math
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree import ElementTree as ET

import pytest
from pyspark.sql import SparkSession
from rich.console import Console, RenderableType

from tests import command
from tests.conftest import SPECS, RunCli, spec
from tests.raising import raises
from tla2py.analysis.charts import make_growth, make_heatmap
from tla2py.analysis.explanation import explain_store
from tla2py.analysis.points import GridPoint, action_counts, disabled_actions
from tla2py.analysis.query import answer_query
from tla2py.analysis.view import StoreView, open_view
from tla2py.errors import InputError
from tla2py.mutation.plan import check_figures, definition_shares, score, sizes, status_counts
from tla2py.spark import frames
from tla2py.store.read import pandas_frame
from tla2py.store.schema import TABLE_NAMES
from tla2py.view.explorer import NUMBERS, store_data
from tla2py.view.layout import number, seconds
from tla2py.view.page import report_page
from tla2py.view.sweep import overview, sweep_summary

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore::ResourceWarning")]

Row: TypeAlias = tuple[Any, ...]

GRID, SIMULATED, LOGS, LOG_MUTANTS, MUTANTS = "grid", "simulated", "logs", "log mutants", "mutants"
STORES = (GRID, SIMULATED, LOGS, LOG_MUTANTS, MUTANTS)
# Kinds of traces that violate nothing.
NO_VIOLATION = "('simulated', 'evaluation', 'unknown')"
COUNTEREXAMPLES = f"FROM traces WHERE kind NOT IN {NO_VIOLATION}"
GOOD = (SPECS / "observed/good.ndjson").read_text()
LOG_TEXTS = {
    "good": GOOD,
    "twice": GOOD.replace('"TMRcvPrepared", "args": {"r": "rm2"}', '"TMRcvPrepared", "args": {"r": "rm1"}'),
    "start": GOOD.replace("working", "aborted"),
    "cut": GOOD[:-30],
}
TWO_PHASE = Path(__file__).parents[2] / "specs/two_phase/TwoPhase.tla"
LOG_CONFIG = "CONSTANT RM = {rm1, rm2}\nSPECIFICATION Spec\nINVARIANTS TypeOK Consistent\n"


@dataclass(frozen=True, kw_only=True)
class Made:
    """The folder of the stores, the stores by name, and what the commands that made some of them printed."""

    folder: Path
    views: Mapping[str, StoreView]
    printed: Mapping[str, str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("numbers")
    shutil.copytree(SPECS / "numbers", folder, dirs_exist_ok=True)
    shutil.copy(TWO_PHASE, folder)
    (folder / "TwoPhase.cfg").write_text(LOG_CONFIG)
    (folder / "Clock.tla").write_text(spec("Clock"))
    shutil.copy(SPECS / "clock.toml", folder)
    for name, text in LOG_TEXTS.items():
        (folder / f"{name}.ndjson").write_text(text)
    logs = [f"{name}.ndjson" for name in LOG_TEXTS]
    local = ("--executor", "local")
    command.run("sweep", "tally.toml", *local, "-o", GRID, cwd=folder, code=2)
    command.run("sweep", "simulated.toml", *local, "-o", SIMULATED, cwd=folder, code=1)
    changes = ("--mutate-logs", "--sample", "8")
    validated = command.run("validate", "TwoPhase.tla", *logs, "-o", LOGS, *changes, cwd=folder, code=2)
    operators = ("--operators", "drop-guard,swap-arithmetic,drop-check", "--points", "1-2")
    mutated = command.run("mutate", "clock.toml", *operators, "-o", MUTANTS, cwd=folder, code=0)
    paths = {name: folder / name for name in STORES} | {LOG_MUTANTS: folder / LOGS / "mutants"}
    return Made(
        folder=folder,
        views={name: open_view(path) for name, path in paths.items()},
        printed={LOGS: validated.stdout, MUTANTS: mutated.stdout},
    )


def ask(view: StoreView, statement: str) -> list[Row]:
    """The rows of a statement on a store's tables, by DuckDB."""
    return [tuple(row) for row in answer_query(view.store, statement)[1]]


def ask_one(view: StoreView, statement: str) -> Any:
    """The only cell of an answer."""
    [[cell]] = ask(view, statement)
    return cell


def ask_pairs(view: StoreView, statement: str) -> dict[Any, Any]:
    """An answer of two columns, the second by the first."""
    return {key: value for key, value in ask(view, statement)}  # noqa: C416 - a row has any number of cells


def terminal(shown: RenderableType) -> str:
    """What a wide terminal shows."""
    console = Console(width=300, no_color=True)
    with console.capture() as captured:
        console.print(shown)
    return captured.get()


def test_the_stores_have_what_could_be_counted_wrongly(made: Made) -> None:
    grid = made.views[GRID]
    verdicts = ask_pairs(grid, "SELECT verdict, count(*) FROM runs GROUP BY ALL")
    assert verdicts == {"holds": 4, "violated": 4, "broken": 2, "excluded": 2}
    assert ask_one(grid, "SELECT count(DISTINCT run_id) FROM runs") == 6
    traces = ask(grid, "SELECT count(*), min(length), max(length) FROM traces GROUP BY run_id")
    assert sorted(traces) == [(4, 2, 5), (4, 2, 7)]
    kinds = {kind for (kind,) in ask(made.views[SIMULATED], "SELECT DISTINCT kind FROM traces")}
    assert kinds == {"simulated", "invariant"}
    logs = ask_pairs(made.views[LOGS], "SELECT verdict, count(*) FROM logs GROUP BY ALL")
    assert logs == {"holds": 1, "violated": 2, "broken": 1}
    assert ask_one(made.views[LOG_MUTANTS], "SELECT count(DISTINCT status) FROM log_mutants") == 2
    assert ask_one(made.views[MUTANTS], "SELECT count(DISTINCT status) FROM mutants") >= 2


def comparable(cell: object) -> object:
    """A cell as every engine can give it."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)) or str(cell) in ("<NA>", "NaT"):
        return None
    if hasattr(cell, "isoformat"):
        return cell.isoformat().removesuffix("+00:00").removesuffix("000")
    if isinstance(cell, str) and cell[:1] in "{[":
        try:
            return comparable(json.loads(cell))
        except ValueError:
            return cell
    if isinstance(cell, dict):
        return {key: comparable(part) for key, part in cell.items()}
    if hasattr(cell, "tolist"):
        return comparable(cell.tolist())
    if isinstance(cell, (list, tuple)):
        return [comparable(part) for part in cell]
    if isinstance(cell, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+", cell):
        return cell.removesuffix("000")
    return cell


def as_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Rows as sorted lines of JSON."""
    named = (dict(zip(columns, map(comparable, row), strict=True)) for row in rows)
    return sorted(json.dumps(row, sort_keys=True) for row in named)


@pytest.mark.parametrize("store", STORES)
def test_engines_and_frames_have_the_same_rows(made: Made, session: SparkSession, store: str) -> None:
    view = made.views[store]
    frames.create_views(session, view.store)
    for table in TABLE_NAMES:
        columns, rows = answer_query(view.store, f"SELECT * FROM {table}")
        by_duckdb = as_text(columns, rows)
        frame = pandas_frame(view.arrow(table))
        assert as_text(list(frame.columns), frame.itertuples(index=False, name=None)) == by_duckdb, table
        # Of most tables a store has no row, and each question to Spark takes seconds.
        if rows:
            by_spark = as_text(*frames.query_views(session, f"SELECT * FROM {table}"))
            assert by_spark == by_duckdb, table
    counts = " UNION ALL ".join(f"SELECT '{table}', count(*) FROM {table}" for table in TABLE_NAMES)
    _, by_spark_counts = frames.query_views(session, counts)
    assert sorted(map(tuple, by_spark_counts)) == sorted(ask(view, counts))


SUMMED = f"""
WITH once AS (SELECT DISTINCT run_id, verdict, cpu_seconds FROM runs),
     counterexamples AS (SELECT * FROM traces WHERE kind NOT IN {NO_VIOLATION}),
     named AS (SELECT run_id, verdict, "distinct", unnest(violated) AS violation FROM runs)
SELECT verdict, NULL, NULL, count(*),
       (SELECT min(length) FROM counterexamples JOIN once USING (run_id) WHERE once.verdict = runs.verdict),
       max("distinct"),
       (SELECT sum(cpu_seconds) FROM once WHERE once.verdict = runs.verdict)
FROM runs GROUP BY verdict
UNION ALL
SELECT verdict, violation.kind, violation.name, count(*),
       (SELECT min(length) FROM counterexamples AS t
        WHERE t.kind = violation.kind AND t.name = violation.name
          AND t.run_id IN (SELECT run_id FROM once WHERE once.verdict = named.verdict)),
       max("distinct"), NULL
FROM named GROUP BY verdict, violation.kind, violation.name
"""


def summary_rows(frame: Any) -> dict[str, list[Row]]:
    """The rows of a summary by source, without it."""
    by_source: dict[str, list[Row]] = {}
    for source, *rest in frame.collect():
        by_source.setdefault(source, []).append(tuple(rest))
    return by_source


def ordered(rows: Iterable[Row]) -> list[Row]:
    """Rows in one order, without the seconds at their ends."""
    return sorted((row[:-1] for row in rows), key=str)


def costs(rows: Iterable[Row]) -> dict[Row, float]:
    """The seconds at the ends of rows, by verdict and name."""
    return {row[:3]: row[-1] for row in rows if row[-1] is not None}


def test_spark_summarizes_what_the_tables_say(made: Made, session: SparkSession, tmp_path: Path) -> None:
    paths = {str(view.store.path): view for view in made.views.values()}
    summary = frames.load_summary(session, list(paths))
    found = summary_rows(summary)
    assert found.keys() == paths.keys()
    for path, view in paths.items():
        expected = ask(view, SUMMED)
        assert ordered(found[path]) == ordered(expected), path
        assert costs(found[path]) == pytest.approx(costs(expected), abs=0.06), path
    grid = str(made.views[GRID].store.path)
    lengths = {name: length for _, _, name, _, length, _, _ in found[grid] if name}
    assert lengths == {"Slow": 2, "Low": 3, "High": 5, "Stays": 5}
    # What was written and read back is the same, also beside the stores, and if it was appended twice.
    written = str(tmp_path / "tables")
    loaded = frames.load_tables(session, list(paths))
    few = {name: loaded[name] for name in ("runs", "traces", "states")}
    for append in (False, True):
        for table, count in frames.write_tables(few, written, append):
            rows = (ask_one(view, f"SELECT count(*) FROM {table}") for view in paths.values())
            assert count == sum(rows), table
    assert summary_rows(frames.load_summary(session, [written, *paths])) == found


def test_an_input_counts_once_however_it_is_spelled(made: Made, session: SparkSession) -> None:
    path = str(made.views[GRID].store.path)
    for other in (path, f"{path}/", f"file://{path}", f"{path}/../{GRID}"):
        for load in (frames.load_tables, frames.load_summary):
            assert raises(InputError, load, session, [path, other]).code == "same-input"


LENGTHS = f"""
SELECT point, name, min(length) FROM runs JOIN traces USING (run_id)
WHERE kind NOT IN {NO_VIOLATION} GROUP BY point, name
"""


def lengths_of(view: StoreView) -> dict[int, dict[str, int]]:
    """The length of each point's shortest counterexample to each name."""
    found: dict[int, dict[str, int]] = {}
    for point, name, length in ask(view, LENGTHS):
        found.setdefault(point, {})[name] = length
    return found


@pytest.mark.parametrize("store", [GRID, SIMULATED])
def test_the_summary_of_a_sweep(made: Made, store: str) -> None:
    view = made.views[store]
    shown = terminal(sweep_summary(view))
    lengths = lengths_of(view)
    columns = 'point, verdict, generated, "distinct", depth, wall_seconds, executions'
    for point, verdict, *counts, wall, executions in ask(view, f"SELECT {columns} FROM runs"):
        line = next(line for line in shown.splitlines() if re.match(rf" *{point}  ", line))
        violated = line.partition("violated: ")[2]
        named = {name: int(length) for name, length in re.findall(r"(\w+) in (\d+)", violated)}
        assert named == lengths.get(point, {})
        assert verdict in line or verdict == "inconclusive"
        mark = "*" * (executions > 1)
        cells = [number(count) + mark * (count is not None) for count in counts]
        assert line.split()[-4:] == [*cells, seconds(wall)]
    smallest = re.findall(r"\(point (\d+)\)", shown)
    assert {int(point) for point in smallest} <= lengths.keys()


def test_the_table_of_sweeps_counts_a_shared_run_once(made: Made) -> None:
    view = made.views[GRID]
    table = overview([view])
    first = dict(zip(table.columns, (cell.plain for cell in table.rows[0]), strict=True))
    once = 'SELECT DISTINCT run_id, "distinct" AS states, wall_seconds FROM runs'
    states, wall = ask(view, f"SELECT sum(states), sum(wall_seconds) FROM ({once})")[0]
    assert (first["points"], first["distinct"], first["time"]) == (
        "12, 2 excluded",
        number(int(states)),
        seconds(wall),
    )
    shortest = ask_pairs(view, f"SELECT name, min(length) {COUNTEREXAMPLES} GROUP BY name")
    by_check = {row[2].plain: row for row in table.rows}
    for name, length in shortest.items():
        cells = dict(zip(table.columns, (cell.plain for cell in by_check[name]), strict=True))
        assert cells["trace length"] == str(length)
        assert cells["verdict"] == "violated at 4 of 10, undecided at 2"


ANSWERED = """
SELECT count(*) FILTER (WHERE list_contains(held, $name) OR broke), count(*) FILTER (WHERE broke),
       count(*) FILTER (WHERE list_contains(checked, $name) AND NOT list_contains(held, $name) AND NOT broke)
FROM (SELECT *, list_contains(list_transform(violated, lambda v: v.name), $name) AS broke
      FROM runs WHERE verdict <> 'excluded')
"""


def test_explain_counts_as_the_tables_do(made: Made, run_cli: RunCli) -> None:
    view = made.views[GRID]
    rows = run_cli("explain", view.store.path, "--json").json
    assert {row["property"] for row in rows} >= {"Low", "High", "Slow", "Stays", "Fits"}
    for row in rows:
        name = row["property"]
        counts = ask(view, ANSWERED.replace("$name", f"'{name}'"))[0]
        assert (row["asked"], row["violated"]) == counts[:2]
        assert row["of"] == ask_one(view, "SELECT count(*) FROM runs")
        kept = f"{COUNTEREXAMPLES} AND name = '{name}'"
        traces, low, high = ask(view, f"SELECT count(*), min(length), max(length) {kept}")[0]
        kinds = row["kinds"]
        assert sum(kind["count"] for kind in kinds) == traces
        assert min((kind["min_length"] for kind in kinds), default=None) == low
        assert max((kind["max_length"] for kind in kinds), default=None) == high
        points = sorted(point for kind in kinds for point in kind["points"])
        assert sorted({*points}) == [
            point for point, names in sorted(lengths_of(view).items()) if name in names
        ]
    excluded = ask(view, "SELECT point FROM runs WHERE verdict = 'excluded' ORDER BY point")
    assert all(list(row.answers.excluded) == [p for (p,) in excluded] for row in explain_store(view))


@pytest.mark.parametrize("store", [GRID, SIMULATED, MUTANTS])
def test_the_explorer_shows_the_tables(made: Made, store: str) -> None:
    view = made.views[store]
    data = store_data(view)
    points: Any = data.overview["points"]
    names = ", ".join(f'"{name}"' for name in NUMBERS)
    for at, row in enumerate(ask(view, f"SELECT point, verdict, {names} FROM runs ORDER BY point")):
        assert (points["point"][at], points["verdict"][at]) == row[:2]
        assert tuple(points["numbers"][name][at] for name in NUMBERS) == row[2:]
    lengths = lengths_of(view)
    for point, violated in zip(points["point"], points["violated"], strict=True):
        known = {name: length for name, length in violated if length is not None}
        assert {name if name != "deadlock" else "": length for name, length in known.items()} == lengths.get(
            point, {}
        )
    traces: Any = data.overview["traces"]
    kept = ask(view, "SELECT length FROM traces WHERE kind <> 'simulated' ORDER BY length")
    assert sorted(each["length"] for each in traces) == [length for (length,) in kept]
    chunks: list[Any] = [*data.chunks()]
    shown = [trace for chunk in chunks for trace in chunk["traces"]]
    assert sum(len(trace["states"]) for trace in shown) == sum(length for (length,) in kept)
    kinds: Any = data.overview["kinds"]
    for grain in ("coarse", "fine"):
        members = [member for kind in kinds[grain] for member in kind["members"]]
        assert sorted(members) == [*range(len(kept))]
    laws: Any = data.overview["laws"]
    for law in laws:
        if law["breaks"] == "violated" and store == GRID:
            counts = ask(view, ANSWERED.replace("$name", f"'{law['property']}'"))[0]
            assert (len(law["asked"]), law["violated"]) == counts[:2]


def test_heatmaps_and_growth(made: Made) -> None:
    view = made.views[GRID]
    lengths = lengths_of(view)
    verdicts = ask_pairs(view, "SELECT point, verdict FROM runs")

    def check_cell(points: Sequence[GridPoint], cell: str) -> None:
        for point in points:
            for name, length in lengths.get(point.point, {}).items():
                assert f"{name} {length}" in cell
            if point.point not in lengths:
                assert verdicts[point.point] in cell

    heatmap = make_heatmap(view, "N", "symmetry")
    for (row, column), points in heatmap.cells.items():
        assert len(points) == 1
        check_cell(points, heatmap._text(row, column))
    whole = make_heatmap(view, "N", ())
    for (row, column), points in whole.cells.items():
        assert len(points) == 2
        check_cell(points, whole._text(row, column))
    for value in ("generated", "distinct", "trace_length"):
        numbers = ask_pairs(view, f'SELECT point, "{value}" FROM runs')
        shown = make_heatmap(view, "N", "symmetry", value)
        for (row, column), points in shown.cells.items():
            [point] = points
            count = numbers[point.point]
            assert shown._text(row, column) == ("-" if count is None else f"{count:,}")
    kept = ask(view, "SELECT symmetry, N, \"distinct\" FROM runs WHERE verdict = 'holds' ORDER BY ALL")
    series = make_growth(view, "N").series
    grown = [
        (one.fixed["symmetry"], int(value), count)
        for one in series
        for value, count in zip(one.values, one.numbers, strict=True)
    ]
    assert sorted(grown) == sorted(kept)


COUNTED = """
SELECT name, sum(generated), sum("distinct") FROM coverage WHERE kind = 'action' GROUP BY name
"""


def test_an_action_that_some_execution_took_has_fired(made: Made) -> None:
    view = made.views[GRID]
    shown = {count.name: (count.generated, count.distinct) for count in action_counts(view)}
    assert shown == {name: (generated, states) for name, generated, states in ask(view, COUNTED)}
    taken = ask(
        view, "SELECT DISTINCT action, point FROM states JOIN runs USING (run_id) WHERE action IS NOT NULL"
    )
    disabled = {count.name: count.disabled for count in disabled_actions(view)}
    for action, point in taken:
        assert point not in disabled.get(action, ())
    assert [count.name for count in disabled_actions(view) if count.never_enabled] == ["Idle"]
    # The last execution of these points looks for nothing that it could stop at.
    assert not {5, 6, 7, 8}.intersection(disabled["Rest"])


@dataclass(frozen=True, kw_only=True)
class GateReports:
    """What a gate of the grid printed and wrote."""

    printed: Any
    junit: ET.Element
    markdown: str
    sarif: Any


@pytest.fixture(scope="module")
def reports(made: Made, tmp_path_factory: pytest.TempPathFactory) -> GateReports:
    folder = tmp_path_factory.mktemp("reports")
    files = {option: folder / option for option in ("junit", "summary", "sarif")}
    options = [word for option, path in files.items() for word in (f"--{option}", path)]
    gated = command.run(
        "gate", "tally.toml", "-o", GRID, "--no-why", "--json", *options, cwd=made.folder, code=2
    )
    return GateReports(
        printed=gated.json,
        junit=ET.fromstring(files["junit"].read_text()),
        markdown=files["summary"].read_text(),
        sarif=json.loads(files["sarif"].read_text()),
    )


def test_junit_counts_as_the_tables_do(made: Made, reports: GateReports) -> None:
    view = made.views[GRID]
    [suite] = reports.junit.iter("testsuite")
    cases = [case for case in suite.iter("testcase") if (case.get("name") or "").startswith("N = ")]
    assert len(cases) == ask_one(view, "SELECT count(*) FROM runs")
    assert int(suite.get("tests") or 0) == len([*suite.iter("testcase")])
    once = "SELECT DISTINCT run_id, round(wall_seconds, 3) AS wall FROM runs"
    wall = ask_one(view, f"SELECT sum(wall) FROM ({once})")
    assert float(suite.get("time") or 0) == pytest.approx(wall, abs=0.01)
    assert sum(float(case.get("time") or 0) for case in cases) == pytest.approx(wall, abs=0.01)
    # A broken point has no answer; one that is violated or excluded, and should hold, has failed.
    tags = [child.tag for case in cases for child in case if child.tag != "system-out"]
    assert Counter(tags) == {"error": 2, "failure": 4}
    assert (suite.get("errors"), suite.get("failures")) == ("2", "4")
    lengths = lengths_of(view)
    for point, case in enumerate(cases, 1):
        text = "".join(case.itertext())
        named = {name: int(states) for name, states in re.findall(r"(\w+) is violated in (\d+) states", text)}
        assert named == lengths.get(point, {})


def test_markdown_counts_as_the_tables_do(made: Made, reports: GateReports) -> None:
    view = made.views[GRID]
    lines = [line for line in reports.markdown.splitlines() if line.startswith("| :")]
    rows = ask(view, 'SELECT point, verdict, "distinct", wall_seconds, executions FROM runs ORDER BY point')
    assert len(lines) == len(rows)
    lengths = lengths_of(view)
    for line, (point, verdict, states, wall, executions) in zip(lines, rows, strict=True):
        *_, shown, count, took = (cell.strip().replace("\\", "") for cell in line.strip("|").split("|"))
        named = {name: int(length) for name, length in re.findall(r"(\w+) in (\d+)", shown)}
        assert shown.startswith(verdict)
        assert named == lengths.get(point, {})
        mark = "*" * (executions > 1 and states is not None)
        assert (count, took) == (number(states) + mark, seconds(wall))
    assert "counts of the first of several executions" in reports.markdown
    shown_lengths = re.findall(r"<summary>(\w+) with N = (\d), .*?: (\d+) states", reports.markdown)
    assert shown_lengths
    points = {str(n): point for point, n in ask(view, "SELECT min(point), N FROM runs GROUP BY N")}
    for name, n, length in shown_lengths:
        assert lengths[points[n]][name] == int(length)


def test_json_and_sarif_say_what_the_tables_say(made: Made, reports: GateReports) -> None:
    view = made.views[GRID]
    [gate] = reports.printed
    shown = [(each["point"], each["verdict"]) for each in gate["points"]]
    assert shown == ask(view, "SELECT point, verdict FROM runs ORDER BY point")
    lengths = lengths_of(view)
    for each in gate["points"]:
        if each["verdict"] == "violated":
            assert {*each["violated"]} == lengths[each["point"]].keys()
    said = re.compile(r"(\w+) is violated in (\d+) states with N = (\d)")
    [run] = reports.sarif["runs"]
    violations = [result for result in run["results"] if "codeFlows" in result]
    assert len(violations) == 8
    points = {str(n): point for point, n in ask(view, "SELECT min(point), N FROM runs GROUP BY N")}
    for result in violations:
        [(name, length, n)] = said.findall(result["message"]["text"])
        assert lengths[points[n]][name] == int(length)
        [flow] = result["codeFlows"]
        # A step for each state, and the end.
        assert len(flow["threadFlows"][0]["locations"]) == int(length) + 1


def test_logs_are_counted_as_the_tables_do(made: Made) -> None:
    view, printed = made.views[LOGS], " ".join(made.printed[LOGS].split())
    holds, logs, lines, states = ask(
        view,
        "SELECT count(*) FILTER (WHERE verdict = 'holds'), count(*), sum(matched), sum(\"distinct\") "
        "FROM logs",
    )[0]
    assert f"{holds} of {logs} logs explained, with {lines} lines; {states} distinct states" in printed
    for matched, count in ask(view, "SELECT matched, lines FROM logs WHERE verdict = 'violated'"):
        assert f"{matched} of {count} lines explained" in printed
    # A log has as many lines as the table has rows for it.
    counted = "SELECT point, lines, (SELECT count(*) FROM log_lines l WHERE l.run_id = logs.run_id) FROM logs"
    assert all(lines in (None, rows) for _, lines, rows in ask(view, counted))
    changed = made.views[LOG_MUTANTS]
    accepted, answered = ask(
        changed,
        "SELECT count(*) FILTER (WHERE status = 'accepted'), "
        "count(*) FILTER (WHERE status IN ('accepted', 'rejected')) FROM log_mutants",
    )[0]
    assert f"{accepted} of {answered} changed logs accepted" in printed
    page = report_page(view)
    assert f"{holds} of {logs} logs explained" in page
    shown = [(cells[0], cells[2]) for cells in page_rows(page, "logs")]
    rows = ask(view, "SELECT file, matched, lines FROM logs")
    expected = [(file, "-" if matched is None else f"{matched} of {count}") for file, matched, count in rows]
    assert sorted(shown) == sorted(expected)


NOTICED = """
FROM mutants
WHERE status = 'killed' AND NOT list_contains(list_transform(killed_by, lambda k: k.kind), 'mutant')
"""


def test_mutants_are_counted_as_the_tables_do(made: Made) -> None:
    view, printed = made.views[MUTANTS], " ".join(made.printed[MUTANTS].split())
    report = view.store.mutants()
    assert report is not None
    statuses = ask_pairs(view, "SELECT status, count(*) FROM mutants GROUP BY status")
    assert status_counts(report) == statuses
    killed, survived = statuses.get("killed", 0), statuses.get("survived", 0)
    assert (score(report).killed, score(report).of) == (killed, killed + survived)
    total = sum(statuses.values())
    assert f"{killed} of {killed + survived} mutants killed that could be; {total} mutants" in printed
    died = ask_pairs(view, f"SELECT point, count(*) {NOTICED} GROUP BY point")
    assert {point: count for point, count in sizes(report) if count} == died
    shares = {share.name: (share.killed, share.of) for share in definition_shares(report)}
    by_definition = ask(
        view,
        "SELECT definition, count(*) FILTER (WHERE status = 'killed'), "
        "count(*) FILTER (WHERE status IN ('killed', 'survived')) FROM mutants GROUP BY definition",
    )
    assert shares == {name: (dead, of) for name, dead, of in by_definition if of}
    labels = f"SELECT mutant, unnest(killed_by) AS killer {NOTICED}"
    noticed = ask_pairs(
        view,
        "SELECT CASE killer.name WHEN '' THEN replace(killer.kind, '_', ' ') ELSE killer.name END AS label, "
        f"count(DISTINCT mutant) FROM ({labels}) GROUP BY label",
    )
    assert {figure.check: figure.kills for figure in check_figures(report) if figure.kills} == noticed
    # The length there is that of the shortest counterexample of the run that killed it.
    lengths = (
        "SELECT trace_length, (SELECT min(length) FROM traces t WHERE t.run_id = m.run_id) FROM mutants m"
    )
    assert all(shown == kept for shown, kept in ask(view, f"{lengths} WHERE run_id IS NOT NULL"))
    page = report_page(view)
    for name, (dead, of) in shares.items():
        assert f'<td><code>{name}</code></td><td class="t2-n">{dead} of {of}</td>' in page


FIRED_AT = """
SELECT name, count(*) FILTER (WHERE taken > 0), count(*)
FROM (SELECT name, point, sum(coverage.generated) AS taken FROM coverage JOIN runs USING (run_id)
      WHERE kind = 'action' GROUP BY ALL)
GROUP BY name
"""


def page_rows(page: str, section: str) -> Iterator[list[str]]:
    """The cells of the rows of the first table of a section, without markup."""
    _, _, rest = page.partition(f'<section id="{section}"')
    body = rest.partition("<tbody>")[2].partition("</tbody>")[0]
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", body, re.DOTALL):
        yield [
            re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)
        ]


def test_the_page_counts_as_the_tables_do(made: Made) -> None:
    view = made.views[GRID]
    page = report_page(view)
    sums = {name: (f"{generated:,}", f"{states:,}") for name, generated, states in ask(view, COUNTED)}
    points = {name: f"{some} of {every}" for name, some, every in ask(view, FIRED_AT)}
    rows = {cells[0].removesuffix(" (never fired)"): cells for cells in page_rows(page, "coverage")}
    assert rows.keys() == sums.keys()
    for name, cells in rows.items():
        assert (cells[2], cells[3], cells[4]) == (*sums[name], points[name])
    kinds = [*page_rows(page, "counterexamples")]
    counts = f"SELECT name, count(*), min(length), max(length) {COUNTEREXAMPLES} GROUP BY name"
    for name, count, low, high in ask(view, counts):
        here = [cells for cells in kinds if cells[1] == name]
        assert sum(int(cells[2]) for cells in here) == count
        lengths = [int(text) for cells in here for text in cells[3].split(" to ")]
        assert (min(lengths), max(lengths)) == (low, high)
    total = ask_one(view, f"SELECT count(*) {COUNTEREXAMPLES}")
    assert f"{total} counterexamples of {len(kinds)} kinds" in page
    largest = ask_one(view, "SELECT max(collision_optimistic) FROM runs")
    assert f"{largest:.1E} by the number of states" in page
