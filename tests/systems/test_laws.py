"""What the systems' stores say of when and how their properties break."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests import command
from tests.systems.rows import SPECS
from tla2py.analysis.kinds import Kind
from tla2py.analysis.view import StoreView, open_view
from tla2py.model.outcome import Verdict

pytestmark = pytest.mark.systems

LEASE = """\
module = "Lease.tla"
[model]
specification = "Spec"
invariants = ["Exclusive"]
check_deadlock = false
[parameters]
Term = [1, 2, 3, 4, 5]
Late = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
Grace = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
"""


def swept(sweep: Path, folder: Path) -> StoreView:
    done = command.run("sweep", sweep, "--executor", "local", "-o", folder / "store", cwd=folder)
    assert done.code in (0, 1), done.stderr
    return open_view(folder / "store")


@pytest.fixture(scope="module")
def lease(tmp_path_factory: pytest.TempPathFactory) -> StoreView:
    folder = tmp_path_factory.mktemp("lease")
    shutil.copy(Path(__file__).parents[1] / "specs" / "Lease.tla", folder)
    (folder / "lease.toml").write_text(LEASE)
    return swept(folder / "lease.toml", folder)


@pytest.fixture(scope="module")
def compaction(tmp_path_factory: pytest.TempPathFactory) -> StoreView:
    return swept(SPECS / "compaction" / "sweep.toml", tmp_path_factory.mktemp("compaction"))


@pytest.fixture(scope="module")
def variants(tmp_path_factory: pytest.TempPathFactory) -> StoreView:
    return swept(SPECS / "kip320" / "variants.toml", tmp_path_factory.mktemp("variants"))


def laws(view: StoreView) -> Mapping[tuple[str, str | None], dict[str, Any]]:
    rows = command.run("explain", view.store.path, "--json", cwd=Path.cwd()).json
    return {(row["property"], row["scope"]): row for row in rows}


def kinds(view: StoreView, name: str, fine: bool = False) -> list[Kind]:
    return [kind for kind in view.kinds(fine).kinds if kind.name == name]


def test_a_lease_breaks_in_one_way_where_a_client_is_later_than_the_grace(lease: StoreView) -> None:
    row = laws(lease)["Exclusive", None]
    assert (row["law"], row["asked"], row["violated"]) == ("Late > Grace", 500, 225)
    assert row["exceptions"] == row["rivals"] == []
    (kind,) = row["kinds"]
    assert (kind["count"], len(kind["points"]), kind["backbone"]) == (225, 225, ["Grant", "Tick", "Grant"])
    assert (kind["min_length"], kind["max_length"]) == (4, 16)
    # A point of the staircase stands for five terms, which decide how long the traces are.
    heatmap = lease.heatmap()
    assert (heatmap.columns, heatmap.rows) == (("Late",), ("Grace",))
    assert str(heatmap).splitlines()[1].split("  ")[1].strip() == "holds"
    assert " of 5)" not in str(heatmap)
    for fine in (False, True):
        (kind,) = lease.kinds(fine).kinds
        assert (len(kind.members), kind.steps, kind.remarks) == (225, "Grant > Tick+ > Grant", "")


def test_compaction_leaks_after_a_crash(compaction: StoreView) -> None:
    rows = laws(compaction)
    leak, duplicate = rows["CompactedLedgerLeak", None], rows["DuplicateNullKeyMessage", None]
    law = "CompactionTimesLimit >= 3 /\\ MaxCrashTimes >= 1"
    assert (leak["law"], leak["violated"], leak["asked"]) == (law, 7, 17)
    assert leak["rivals"] == ["CompactionTimesLimit + MaxCrashTimes >= 4"]
    assert (duplicate["law"], duplicate["violated"], duplicate["asked"]) == ("RetainNullKey", 9, 15)
    assert [each["count"] for each in leak["kinds"]] == [7]
    assert [each["count"] for each in duplicate["kinds"]] == [9]
    (kind,) = kinds(compaction, "CompactedLedgerLeak")
    assert [step.removeprefix("Compactor") for step in kind.backbone] == [
        "PhaseOne", "PhaseTwoWrite", "PhaseOne", "PhaseTwoWrite", "BrokerCrash", "PhaseOne", "PhaseTwoWrite",
    ]  # fmt: skip
    assert kind.only == ("BrokerCrash",)
    assert len(kinds(compaction, "CompactedLedgerLeak", fine=True)) == 3
    assert kinds(compaction, "DuplicateNullKeyMessage")[0].only == ()
    nearest = compaction.neighbour(22)["CompactedLedgerLeak"].nearest
    expected = {18: (("CompactionTimesLimit", "2", "3"),), 21: (("MaxCrashTimes", "0", "1"),)}
    assert {each.point.point: each.differs for each in nearest} == expected
    violating = [run for run in compaction.run_rows if run.verdict is Verdict.VIOLATED]
    assert len(violating) == 17
    for run in violating:
        contrasts = compaction.neighbour(run.point)
        assert [contrast.name for contrast in contrasts] == list(run.violated_names)
        for contrast in contrasts:
            assert all(contrast.name in each.point.run.held for each in contrast.nearest)


def test_kip320(tmp_path: Path) -> None:
    row = laws(swept(SPECS / "kip320" / "sweep.toml", tmp_path))["StrongIsr", None]
    assert row["law"] == "Cardinality(Replicas) >= 3 /\\ MaxLeaderEpoch >= 2"
    assert [each["points"] for each in row["kinds"]] == [[5]]


def test_each_design_of_kip320_has_a_law_and_kinds_of_its_own(variants: StoreView) -> None:
    designs = {scope: row["law"] for (name, scope), row in laws(variants).items() if name == "StrongIsr"}
    assert designs == {
        "KafkaTruncateToHighWatermark.tla": "TRUE",
        "Kip101.tla": "Cardinality(Replicas) >= 3 \\/ (MaxLeaderEpoch >= 2 /\\ MaxRecords >= 2)",
        "Kip279.tla": "Cardinality(Replicas) >= 3",
        "Kip320FirstTry.tla": "Cardinality(Replicas) >= 3 /\\ MaxLeaderEpoch >= 2",
        "Kip320.tla": "FALSE",
    }
    modules = {point.point: point.parameters["module"] for point in variants.points}
    assert len(kinds(variants, "StrongIsr")) > 4
    for kind in variants.kinds().kinds:
        assert len({modules[point] for point in kind.points}) == 1
    broken = {modules[kind.shortest.point] for kind in kinds(variants, "StrongIsr")}
    assert broken == designs.keys() - {"Kip320.tla"}


def readme_lines(system: str) -> tuple[str, set[str]]:
    text = (SPECS / system / "README.md").read_text("utf-8")
    found = re.search(r"after a sweep of `specs/(\S+)`, says:\n\n```text\n(.*?)\n```", text, re.DOTALL)
    assert found is not None
    return found[1], set(found[2].splitlines())


def test_readmes_say_what_explain_says(compaction: StoreView, variants: StoreView) -> None:
    for system, view in (("compaction", compaction), ("kip320", variants)):
        assert readme_lines(system)[1] <= set(str(view.explain()).splitlines())


@pytest.mark.parametrize("system", ["bookkeeper", "kafka_transactions", "ledger_chaining"])
def test_the_readme_says_what_explain_says(system: str, tmp_path: Path) -> None:
    sweep, lines = readme_lines(system)
    assert lines <= set(str(swept(SPECS / sweep, tmp_path).explain()).splitlines())
