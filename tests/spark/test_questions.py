"""The questions of the documentation: what SQL answers, what pandas answers, and what the traces themselves say."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pyspark.sql import SparkSession

import tla2py
from tests import command
from tla2py.analysis.engine import Engine
from tla2py.analysis.query import answer_query
from tla2py.analysis.view import StoreView
from tla2py.model.trace import Trace
from tla2py.tla.itf import state_from_itf
from tla2py.tla.value import Record, format_value, same_value

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore::ResourceWarning")]

# A row of an answer.
Row = Sequence[object]

HERE = Path(__file__).resolve().parent
PAGE = (HERE.parent.parent / "docs" / "questions.md").read_text(encoding="utf-8")


class Question(NamedTuple):
    number: int
    store: str
    sql: dict[Engine, str]
    python: str


def questions() -> list[Question]:
    found = []
    for number, section in enumerate(re.split(r"^## \d+\. ", PAGE, flags=re.MULTILINE)[1:], 1):
        # The second, where there is one, is Spark's.
        sql = re.findall(r"```sql\n(.*?)```", section, re.DOTALL)
        [python] = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
        [store] = re.findall(r"\((KIP-320|transactions)\)", section)
        found.append(Question(number, store, {Engine.DUCKDB: sql[0], Engine.SPARK: sql[-1]}, python))
    return found


QUESTIONS = questions()


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, StoreView]:
    base = tmp_path_factory.mktemp("questions")
    found = {}
    for store, name in (("KIP-320", "replication"), ("transactions", "transactions")):
        sweep = HERE / f"questions-{name}.toml"
        command.run("sweep", sweep, "--executor", "local", "-o", base / name, cwd=base, code=0)
        found[store] = tla2py.open_store(base / name)
    return found


def last_value(code: str, names: dict[str, Any]) -> Any:
    """The value of the last expression of a block, as a notebook shows it."""
    tree = ast.parse(code)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    exec(compile(tree, "questions.md", "exec"), names)
    return eval(compile(ast.Expression(last.value), "questions.md", "eval"), names)


def by_pandas(question: Question, store: StoreView) -> list[Row]:
    import pandas as pd

    frame = last_value(question.python, {"store": store, "tla2py": tla2py, "pd": pd})
    return [list(row) for row in frame.itertuples(index=False)]


def counterexamples(store: StoreView) -> Iterator[tuple[int, int, Trace]]:
    found = store.traces.merge(store.runs[["run_id", "point"]])
    for point, trace in zip(found.point.tolist(), found.trace.tolist(), strict=True):
        yield point, trace, store.trace(point, trace)


def key(store: StoreView, point: int, trace: int) -> Row:
    return [store.points[point].run_id, trace]


def first_watermark(store: StoreView) -> Iterator[Row]:
    for point, number, trace in counterexamples(store):
        for state in trace.states[1:]:
            paths = sorted(p.path for p in trace.step(state.index).parts if p.path.endswith(".hw"))
            if paths:
                yield [*key(store, point, number), trace.name, state.index, state.action, paths[0]]
                break


def who_acts(store: StoreView) -> Iterator[Row]:
    steps: Counter[str] = Counter()
    for _, _, trace in counterexamples(store):
        for state in trace.states[1:]:
            before = trace.state(state.index - 1)
            changed = {
                format_value(broker)
                for name in ("replicaLog", "replicaState")
                for broker, value in state.values[name].items()  # type: ignore[union-attr]
                if not same_value(value, before.values[name][broker])  # type: ignore[index]
            }
            steps.update(changed)
    yield from ([name, count] for name, count in sorted(steps.items(), key=lambda item: (-item[1], item[0])))


def x_before_y(store: StoreView) -> Iterator[Row]:
    for point, number, trace in counterexamples(store):
        actions = [state.action for state in trace.states]
        if "LeaderIncHighWatermark" in actions:
            rest = actions[actions.index("LeaderIncHighWatermark") :]
            if "BecomeLeader" in rest:
                yield key(store, point, number)


def longest_unchanged(store: StoreView) -> Iterator[Row]:
    most: dict[str, int] = {}
    for _, _, trace in counterexamples(store):
        for name in trace.states[0].values:
            stretch = best = 1
            for state in trace.states[1:]:
                same = same_value(state.values[name], trace.state(state.index - 1).values[name])
                stretch = stretch + 1 if same else 1
                best = max(best, stretch)
            most[name] = max(most.get(name, 0), best)
    yield from ([name, best] for name, best in most.items())


def values_taken(store: StoreView) -> Iterator[Row]:
    found = set()
    for _, _, trace in counterexamples(store):
        for state in trace.states:
            states = state.values["replicaState"]
            found |= {format_value(s["leader"]) for b, s in states.items() if format_value(b) == "b1"}  # type: ignore[union-attr, call-overload, index]
    yield from ([value] for value in found)


def never_received(store: StoreView) -> Iterator[Row]:
    for point, number, trace in counterexamples(store):
        sets = [state.values["messages"] for state in trace.states]
        for place in range(1, len(sets)):
            for message in sets[place] - sets[place - 1]:  # type: ignore[operator, union-attr]
                if all(message in later for later in sets[place:]):  # type: ignore[operator]
                    yield [*key(store, point, number), place + 1, format_value(message)]


def same_suffix(store: StoreView) -> Iterator[Row]:
    found = Counter(
        " > ".join(str(state.action) for state in trace.states[-3:]) for _, _, trace in counterexamples(store)
    )
    yield from ([suffix, count] for suffix, count in found.items() if count > 1)


def shortest(store: StoreView) -> Iterator[Row]:
    best: dict[str, Row] = {}
    for length, point, number, name in sorted(
        (len(trace.states), point, number, trace.name) for point, number, trace in counterexamples(store)
    ):
        best.setdefault(name, [name, length, point, number])
    yield from best.values()


def lassos(store: StoreView) -> Iterator[Row]:
    for point, number, trace in counterexamples(store):
        if trace.loop_start is not None:
            recurring = sum(state.index >= trace.loop_start for state in trace.states)
            yield [*key(store, point, number), trace.name, trace.loop_start, recurring]


def just_before(store: StoreView) -> Iterator[Row]:
    for point, number, trace in counterexamples(store):
        yield [point, number, format_value(Record(trace.states[-2].values))]


WALKS: tuple[Callable[[StoreView], Iterator[Row]], ...] = (
    *(first_watermark, who_acts, x_before_y, longest_unchanged, values_taken),
    *(never_received, same_suffix, shortest, lassos, just_before),
)


def rows(found: Sequence[Row]) -> list[str]:
    plain = ([int(cell) if isinstance(cell, float) else cell for cell in row] for row in found)
    return sorted(json.dumps(row, default=int) for row in plain)


def test_there_are_ten() -> None:
    assert len(QUESTIONS) == len(WALKS) == 10


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: str(question.number))
@pytest.mark.parametrize("engine", list(Engine))
def test_the_answers_agree(
    question: Question, engine: Engine, stores: dict[str, StoreView], session: SparkSession
) -> None:
    store = stores[question.store]
    _, by_sql = answer_query(store.store, question.sql[engine], engine=engine)
    if question.number == 10:
        by_sql = [[*row[:2], format_value(Record(state_from_itf(row[2])))] for row in by_sql]  # type: ignore[arg-type]
    expected = rows(list(WALKS[question.number - 1](store)))
    assert expected
    assert rows(by_sql) == expected
    assert rows(by_pandas(question, store)) == expected
