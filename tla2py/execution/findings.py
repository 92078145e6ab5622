"""The findings on a sweep: those of lint, those that its results show, and entries of ``[accept]`` without any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tla2py.execution.probes import probe_findings
from tla2py.lint.accept import Findings, apply_acceptance
from tla2py.lint.finding import Finding, result_warning
from tla2py.model.outcome import Verdict
from tla2py.store.store import Store
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.syntax import ModuleGraph, Span
from tla2py.tables.details import ActionRow, action_rows
from tla2py.tables.files import table_files
from tla2py.tables.runs import RunRow
from tla2py.vacuity.probe import PROBE_CODES


def sweep_findings(
    sweep: Sweep, plan: Plan, store: Store, runs: Sequence[RunRow], linted: Iterable[Finding]
) -> Findings:
    """The findings on a sweep whose runs are in a store; ``linted`` are lint's.

    An entry of ``[accept]`` that accepts none of them is a finding too.
    """
    results = _Results(plan, runs)
    complete = results.whole(sweep)
    actions = [each for each in action_rows(table_files(store, "coverage")) if complete]
    # With a single state, that is what explains which actions are never enabled.
    counted = bool(actions) and any(row.distinct != 1 for _, row in results)
    if counted:
        have = {each.run_id for each in actions}
        counted = all(row.run_id in have for _, row in results)
    found = [*linted, *_single_states(sweep, results)]
    if sweep.vacuity:
        found += probe_findings(sweep, plan, store, runs)
    if counted:
        found += _never_enabled(sweep, results, actions)
    findings = apply_acceptance(found, sweep.file.accept)
    unknown = {code for code, known in ((_SINGLE_STATE, complete), (_NEVER_ENABLED, counted)) if not known}
    unknown |= set() if sweep.vacuity else PROBE_CODES
    unused = _unused_entries(sweep, findings, unknown)
    return Findings(open=(*unused, *findings.open), accepted=findings.accepted)


class _Results:
    """The points of a plan that have a row and are not excluded, with it; rows are read once more for each loop."""

    def __init__(self, plan: Plan, runs: Sequence[RunRow]) -> None:
        self._plan, self._runs = plan, runs

    def __iter__(self) -> Iterator[tuple[int, RunRow]]:
        return ((row.point, row) for row in self._rows() if row.verdict is not Verdict.EXCLUDED)

    def whole(self, sweep: Sweep) -> bool:
        """Whether every point has a row, and every run that is not excluded saw all that can happen."""
        rows = 0
        for row in self._rows():
            rows += 1
            if row.verdict is not Verdict.EXCLUDED and not _is_whole(sweep, row.point, row):
                return False
        return rows == len(self._plan.points)

    def _rows(self) -> Iterator[RunRow]:
        ids = self._plan.runs.ids
        return (row for row in self._runs if row.point <= len(ids) and ids[row.point - 1] == row.run_id)


_SINGLE_STATE = "single-state"
_NEVER_ENABLED = "never-enabled"


def _is_whole(sweep: Sweep, index: int, row: RunRow) -> bool:
    """Whether a run saw all that can happen; neither a random walk nor a search that stopped early does."""
    return row.verdict is Verdict.HOLDS and sweep.special.get(index, sweep.options).mode == "check"


def _single_states(sweep: Sweep, results: Iterable[tuple[int, RunRow]]) -> Iterator[Finding]:
    """A finding on each module and config whose points all have a single distinct state."""
    keys = list(sweep.points.keys(("module", "config")))
    single: dict[tuple[int, ...], bool] = {}
    first: dict[tuple[int, ...], int] = {}
    for index, row in results:
        key = keys[index - 1]
        first.setdefault(key, index)
        single[key] = single.get(key, True) and row.distinct == 1 and _is_whole(sweep, index, row)
    for key, index in first.items():
        parameters = sweep.points[index - 1].parameters
        spec, config = sweep.spec(parameters), parameters.get("config")
        if spec.variables and single[key]:
            named = f" of {config}" if config else ""
            yield result_warning(
                _SINGLE_STATE,
                spec.root.where(),
                f"TLC found a single distinct state at every point{named}: nothing ever happens",
                "look for constants that leave the actions nothing to do, or a constraint that the first state violates",
                spec.root.name,
            )


def _never_enabled(
    sweep: Sweep, results: Iterable[tuple[int, RunRow]], actions: Sequence[ActionRow]
) -> Iterator[Finding]:
    """A finding on each action that was enabled at none of the points."""
    specs = {row.run_id: sweep.spec(sweep.points[index - 1].parameters) for index, row in results}
    generated: dict[tuple[str, str], int] = {}
    lines: dict[tuple[str, str], tuple[ModuleGraph, int]] = {}
    for each in actions:
        if each.kind == "action" and each.run_id in specs:
            key = (each.module, each.name)
            generated[key] = generated.get(key, 0) + each.generated
            lines.setdefault(key, (specs[each.run_id], each.begin_line))
    for (module, name), count in generated.items():
        spec, line = lines[module, name]
        files = {file.name: file for file in spec.modules}
        file = files.get(module, spec.root)
        # The translator adds it to algorithms of which only some processes end.
        if count or (name == "Terminating" and file.has_pluscal):
            continue
        span = Span(begin_line=line, begin_column=1, end_line=line, end_column=1)
        yield result_warning(
            _NEVER_ENABLED,
            file.where(span if module in files else None),
            f"action {name} is enabled at no point",
            "check its guard and the constants, or accept it",
            name,
        )


def _unused_entries(sweep: Sweep, findings: Findings, unknown: set[str]) -> Iterator[Finding]:
    """The entries of ``[accept]`` without a finding, except for ``unknown`` codes, which the results cannot show."""
    used = {
        name
        for each in findings.accepted
        for name in ((each.finding.code, ""), (each.finding.code, each.finding.subject or ""))
    }
    for code, entry in sweep.file.accept.items():
        for subject in entry if isinstance(entry, Mapping) else ("",):
            if (code, subject) not in used and code not in unknown:
                keys = ("accept", code, subject) if subject else ("accept", code)
                yield result_warning(
                    "accept-unused",
                    sweep.source.place(*keys),
                    f"{' '.join(keys[1:])} accepts nothing: there is no such finding, or no reason",
                    "remove the entry, or correct the name",
                    code,
                )
