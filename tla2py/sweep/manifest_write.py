"""Writing a ``manifest.json`` as tlaplus/Examples has them: what was found of models, whatever was expected of them."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tla2py.errors import InputError
from tla2py.model.outcome import Outcome
from tla2py.model.point import PointResult
from tla2py.model.run import TlcOptions
from tla2py.sweep.file import ModelSection
from tla2py.sweep.grid import Point
from tla2py.sweep.sweep import Sweep
from tla2py.syntax import Module
from tla2py.syntax.expression import Expression

# The words that a manifest has; for the rest it says unknown.
_RESULTS = {
    Outcome.SUCCESS: "success",
    Outcome.BOUNDED_SUCCESS: "success",
    Outcome.VIOLATION_ASSUMPTION: "assumption failure",
    Outcome.VIOLATION_DEADLOCK: "deadlock failure",
    Outcome.VIOLATION_SAFETY: "safety failure",
    Outcome.VIOLATION_LIVENESS: "liveness failure",
}
_Json = dict[str, Any]
_TARGETS = "--manifest takes a file that is not there yet, or a manifest.json to bring up to date"


def check_for_manifest(sweep: Sweep, path: Path) -> None:
    """See that a manifest can say what a sweep runs, modules with configs as they are in files, and can be written.

    Raises InputError: ``manifest-cannot-say``, and ``manifest`` where what is at the path is none.
    """
    _existing(path)
    file = sweep.file
    varied = [each.name for each in sweep.parameters if each.kind not in ("module", "config")]
    if file.config is None or varied or file.constants or file.substitutions or file.model != ModelSection():
        what = f"it varies {', '.join(varied)}" if varied else "its models are not those of configs alone"
        raise InputError(
            "manifest-cannot-say",
            f"a manifest names modules and configs, and cannot say what {sweep.name} runs: {what}",
            where=str(sweep.path),
            hint='write configs with tla2py cfg, and name them in a sweep file: config = "models/*.cfg"',
        )


def manifest_text(
    found: Iterable[tuple[Sweep, Sequence[tuple[Point, PointResult | None]]]], path: Path, root: Path
) -> str:
    """The text of a manifest at ``path`` with what was found of the points of sweeps.

    What a manifest that is there says besides is kept: sources, authors and tags, other models, proofs. Rows are those
    of the table of runs. Paths count from the root of an existing manifest, else from ``root``.

    Raises InputError: ``manifest`` where what is there is none, ``manifest-cannot-say`` for two points that are one.
    """
    manifest = _existing(path)
    root = _root_of(manifest, path) or root
    entries: dict[str, _Json] = {module["path"]: module for module in manifest["modules"]}
    seen: set[tuple[str, str]] = set()
    for sweep, rows in found:
        check_for_manifest(sweep, path)
        for point, row in rows:
            module = _entry(entries, sweep.spec(point).root, root)
            for other in sweep.spec(point).modules:
                if other.path is not None and other.path.resolve().is_relative_to(path.parent.resolve()):
                    _entry(entries, other, root)
            config = sweep.sources.config(point.parameters)
            assert config is not None
            model = _relative(config.path, root)
            if (module["path"], model) in seen:
                raise InputError(
                    "manifest-cannot-say",
                    f"a manifest has one model for {module['path']} with {model}, and there are two",
                    where=str(sweep.path),
                    hint="write manifests of the sweeps one by one, each to a file of its own",
                )
            seen.add((module["path"], model))
            _update(module["models"], model, sweep.options_of(point), row)
    manifest["modules"] = list(entries.values())
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def words_missing(rows: Iterable[PointResult | None]) -> Iterator[str]:
    """The outcomes among rows that a manifest has no word for."""
    for row in rows:
        if row is not None and row.outcome not in _RESULTS:
            yield row.outcome.value


def _existing(path: Path) -> _Json:
    try:
        manifest: _Json = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {"sources": [], "authors": [], "tags": [], "modules": []}
    except (OSError, ValueError) as error:
        raise InputError(
            "manifest", f"not a manifest of specifications: {error}", where=str(path), hint=_TARGETS
        ) from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("modules"), list):
        raise InputError("manifest", "not a manifest of specifications", where=str(path), hint=_TARGETS)
    return manifest


def _root_of(manifest: _Json, path: Path) -> Path | None:
    """The folder that an existing manifest counts its paths from."""
    here = path.parent.resolve()
    for module in manifest["modules"]:
        for folder in (here, *here.parents):
            if (folder / module["path"]).is_file():
                return folder
    return None


def _relative(path: Path, root: Path) -> str:
    return Path(os.path.relpath(path.resolve(), root.resolve())).as_posix()


def _entry(entries: dict[str, _Json], module: Module, root: Path) -> _Json:
    assert module.path is not None
    written = _relative(module.path, root)
    return entries.setdefault(written, {"path": written, "features": list(_features(module)), "models": []})


def _features(module: Module) -> Iterator[str]:
    if module.has_pluscal:
        yield "pluscal"
    if any(each.body is not None and _composes(each.body) for each in module.definitions):
        yield "action composition"


def _composes(expr: Expression) -> bool:
    return expr.operator == "\\cdot" or any(_composes(child) for child in expr.children())


def _update(models: list[_Json], path: str, options: TlcOptions, row: PointResult | None) -> None:
    model = next((each for each in models if each["path"] == path), None)
    if model is None:
        model = {"path": path, "runtime": "unknown", "mode": _mode(options), "result": "unknown"}
        if options.workers > 1:
            model["workers"] = options.workers
        models.append(model)
    if row is None:
        return
    result = _RESULTS.get(row.outcome, "unknown")
    model["result"] = result
    model["runtime"] = _clock(row.wall_seconds or 0) if result != "unknown" else "unknown"
    counts = {"distinctStates": row.distinct, "totalStates": row.generated, "stateDepth": row.depth}
    for key in counts:
        model.pop(key, None)
    # Those of a search that stopped at what it found, or of a simulation, are not the same each time.
    if row.outcome is Outcome.SUCCESS and options.mode == "check":
        model.update({key: count for key, count in counts.items() if count is not None})


def _mode(options: TlcOptions) -> object:
    if options.mode == "simulate" and options.num is not None:
        return {"simulate": {"traceCount": options.num}}
    return "exhaustive search" if options.mode == "check" else "generate"


def _clock(seconds: float) -> str:
    whole = max(math.ceil(seconds), 1)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
