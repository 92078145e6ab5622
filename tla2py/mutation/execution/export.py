"""The modules and the config of each mutant in a folder of its own, for plain TLC."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from tla2py.errors import writing
from tla2py.model.run import Run
from tla2py.mutation.row import MutantReport, MutantRow
from tla2py.mutation.trial import Trial


def export_mutants(trial: Trial, report: MutantReport, folder: Path) -> None:
    """Write each mutant with the config of the point that kills it, or else of the largest point that it ran at.

    Raises InputError (``output-unwritable``).
    """
    rows = {each.mutant: each for each in report.mutants}
    with writing(folder):
        for mutant in trial.mutants:
            row = rows[mutant.mutant]
            own = folder / mutant.mutant
            own.mkdir(parents=True, exist_ok=True)
            run, _ = trial.run([mutant], _place(row, report, trial))
            for name, text in trial.modules(mutant, _place(row, report, trial)).items():
                (own / name).write_text(text, encoding="utf-8")
            (own / f"{run.main}.cfg").write_text(run.config_text, encoding="utf-8")
            data = {**msgspec.to_builtins(row), "arguments": list(_arguments(run))}
            (own / "mutant.json").write_bytes(msgspec.json.format(msgspec.json.encode(data)))


def _place(row: MutantRow, report: MutantReport, trial: Trial) -> int:
    if row.point is not None:
        return row.point - 1
    reach = trial.reach[row.mutant]
    ran = [point - 1 for point in report.points if point - 1 in reach]
    return ran[-1] if ran else min(reach)


def _arguments(run: Run) -> Iterator[str]:
    """The arguments of plain TLC."""
    if not run.options.check_deadlock:
        # The word is TLC's; it turns the check off.
        yield "-deadlock"
    yield from ("-config", f"{run.main}.cfg", run.main)
