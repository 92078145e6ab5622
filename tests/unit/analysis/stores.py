"""Stores whose points are cases of the corpus, and grid points without a store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.unit.records import executed
from tests.unit.rows import run_row
from tla2py.analysis.points import Answers, GridPoint, PointAnswer
from tla2py.analysis.view import StoreView, open_view
from tla2py.store.manifest import Manifest, ManifestParameter
from tla2py.store.store import ManifestPoint, Store, points_table


def view_of(
    folder: Path,
    *points: tuple[Mapping[str, str], str | int | None],
    printed: Mapping[int, tuple[bytes, bytes]] | None = None,
) -> StoreView:
    """A store of points, each with its parameters and its case of the corpus.

    A number instead of a case is the point whose run it shares, None is a point that was not run. ``printed`` replaces
    text of what the run of a point printed.
    """
    store = Store.create(folder / "store")
    entries = []
    for number, (parameters, case) in enumerate(points, 1):
        run = case if isinstance(case, int) else number
        entries.append(ManifestPoint(point=number, run_id=f"{run:032}", parameters=dict(parameters)))
    names = points[0][0] if points else {}
    declared = [ManifestParameter(name=n, kind="constant", column=n, type="text") for n in names]
    manifest = Manifest(tla2py_version="0", name=folder.name, modules=["Spec"], sweep="", parameters=declared)
    store.write_manifest(manifest, points_table(declared, entries), {})
    for entry, (_, case) in zip(entries, points, strict=True):
        if isinstance(case, str):
            ended = executed(folder / "streams", entry.run_id, case)
            if printed and entry.point in printed:
                stdout = ended.folders[0] / "stdout.txt"
                old, new = printed[entry.point]
                text = stdout.read_bytes()
                assert text.count(old) == 1
                stdout.write_bytes(text.replace(old, new))
            store.write_record(ended)
    return open_view(store.path)


def grid_point(number: int, verdict: str = "holds", *violated: str, **parameters: str) -> GridPoint:
    run = run_row(verdict, *violated, point=number)
    return GridPoint(parameters=parameters, run=run, lengths={})


def answers_of(name: str, rows: Iterable[tuple[int, Mapping[str, str], bool]], of: int) -> Answers:
    """The answers at some points: their numbers and parameters, and whether the property is violated there."""
    answered = tuple(PointAnswer(point=number, parameters=point, violated=bad) for number, point, bad in rows)
    return Answers(name=name, answered=answered, unanswered=(), excluded=(), missing=(), of=of)
