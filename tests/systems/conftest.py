"""The rows of the reference, executed side by side, and the table of what came of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.systems.rows import Row, plan_row, reference_toolchain
from tla2py.execution.executor import Executor, Work, default_slots
from tla2py.model.run import Run, RunResult
from tla2py.replay.confirm import Confirmation, confirm_trace
from tla2py.replay.query import Origin
from tla2py.store.store import Store
from tla2py.tlc.output.result import interpret_record


class Answers:
    """The results of runs that an executor works on while they are asked for."""

    def __init__(self, run_ids: dict[str, str], store: Store, work: Work, news: Iterator[object]) -> None:
        self._run_ids = run_ids
        self._store = store
        self._work = work
        self._news = news

    def result(self, row: Row) -> tuple[RunResult, float]:
        """What became of a row's run, and the seconds it took, as soon as it is over."""
        run_id = self._run_ids[row.id]
        while run_id not in self._store.recorded():
            next(self._news)
        with self._store.archive(run_id) as archive:
            result = interpret_record(archive.record, archive.stdout)
            return result, sum(execution.wall_seconds for execution in archive.record.executions)

    def confirmations(self, row: Row) -> list[Confirmation]:
        """What TLC itself says of the counterexamples of a row's run."""
        result, _ = self.result(row)
        with self._store.archive(self._run_ids[row.id]) as archive:
            record = archive.record
        origin = Origin(record=record, sources=self._work.sources, toolchain=self._work.toolchain)
        return [confirm_trace(trace, origin) for trace in result.traces]


@pytest.fixture(scope="session")
def answers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answers]:
    """The answers to the rows that this session asks for."""
    base = tmp_path_factory.mktemp("reference")
    toolchain = reference_toolchain()
    store = Store.create(base / "store")
    run_ids: dict[str, str] = {}
    runs: dict[str, Run] = {}
    sources: dict[str, str] = {}
    for row in _rows(request.session):
        folder = base / row.id
        folder.mkdir()
        run, texts = plan_row(row, folder, toolchain.jar.sha256)
        run_ids[row.id] = run.run_id
        runs[run.run_id] = run
        sources |= texts
    work = Work(sources=sources, toolchain=toolchain, store=store.path)
    news = Executor(default_slots(workers=1)).execute([(list(runs.values()), work)], lambda: None)
    # To leave the executor's loop is to stop what still runs.
    with closing(news):
        yield Answers(run_ids, store, work, news)


def _rows(session: pytest.Session) -> list[Row]:
    functions = [item for item in session.items if isinstance(item, pytest.Function)]
    asked = [item.callspec.params["row"] for item in functions if "answers" in item.fixturenames]
    # A row may be asked for by more than one test.
    return list({row.id: row for row in asked if isinstance(row, Row)}.values())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line per system: how many rows were run and how many agree with the reference."""
    totals: dict[str, list[float]] = {}
    for outcome in ("passed", "failed", "error"):
        for report in terminalreporter.stats.get(outcome, []):
            facts = dict(getattr(report, "user_properties", ()))
            if "system" in facts:
                total = totals.setdefault(str(facts["system"]), [0, 0, 0, 0])
                total[0] += 1
                total[1] += outcome == "passed"
                total[2] += int(str(facts["generated"]))
                total[3] += float(str(facts["seconds"]))
    if not totals:
        return
    terminalreporter.section("reference: our systems against the published ones")
    terminalreporter.line(f"{'system':20} {'rows':>5} {'agree':>6} {'states generated':>17} {'seconds':>8}")
    totals["all"] = [sum(column) for column in zip(*totals.values(), strict=True)]
    for system, (rows, agree, generated, seconds) in totals.items():
        terminalreporter.line(f"{system:20} {rows:5.0f} {agree:6.0f} {generated:17,.0f} {seconds:8.0f}")
