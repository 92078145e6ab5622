"""What was expected of a sweep's points against what was found."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tla2py.errors import EXIT_INCONCLUSIVE, EXIT_NOT_RUN, EXIT_OK, EXIT_UNEXPECTED
from tla2py.model.outcome import VERDICTS, Outcome, Verdict
from tla2py.model.point import PointResult
from tla2py.sweep.file import ExpectPoint, ExpectSection, ToldPoint
from tla2py.sweep.grid import value_key
from tla2py.sweep.sweep import Sweep
from tla2py.toml import value_text

# Exit codes of every command; of several that apply 2 goes before 1 and 1 before 3.
_SEVERITY = (EXIT_NOT_RUN, EXIT_UNEXPECTED, EXIT_INCONCLUSIVE, EXIT_OK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A point that is not as expected: what is different, in words, and the exit code it calls for."""

    point: int
    text: str
    exit_code: int


def judge(sweep: Sweep, runs: Iterable[PointResult]) -> list[Finding]:
    """The points that are not as expected.

    Where the sweep file says nothing a point is expected to hold, and one that an ASSUME excludes to be excluded.
    """
    expect = sweep.expect or ExpectSection()
    points = {point.index: point.parameters for point in sweep.points}
    findings = []
    for run in runs:
        row = row_for(expect, points[run.point])
        findings += [
            Finding(point=run.point, text=text, exit_code=code)
            for text, code in _differences(row, sweep, run)
        ]
    return findings


def exit_code(findings: Sequence[Finding], *, complete: bool = True) -> int:
    """The exit code of a sweep; one that is not complete did not run."""
    return worst([*(finding.exit_code for finding in findings), EXIT_OK if complete else EXIT_NOT_RUN])


def worst(codes: Sequence[int]) -> int:
    """The exit code that goes before the others."""
    return next(code for code in _SEVERITY if code in codes)


def row_for(expect: ExpectSection, parameters: Mapping[str, str]) -> ExpectPoint | ExpectSection:
    """The first row that matches a point, else the section itself."""
    for row in expect.point:
        if all(
            name in parameters and value_key(value_text(value)) == value_key(parameters[name])
            for name, value in row.match.items()
        ):
            return row
    return expect


def expected_verdict(row: ExpectPoint | ExpectSection) -> Verdict | None:
    """The verdict that a row asks for, None where it says nothing of it."""
    if row.outcome is not None:
        return VERDICTS[row.outcome]
    asked = row.verdict or (Verdict.VIOLATED.value if row.violates else None)
    return Verdict(asked) if asked else None


def ended_early(found: Collection[str], checked: Collection[str], find: str) -> bool:
    """Whether a search ended with what it ``found`` to be violated, so that it is open what became of the rest.

    With ``find = "each"`` it goes on without what it found, if that is among what is ``checked`` and can be left out.
    """
    return bool(found) and (find != "each" or not set(found) <= set(checked))


def left_out(expected: ExpectPoint | ExpectSection, run: PointResult | None) -> bool:
    """Whether a point contradicts an ASSUME, and is none of a manifest that is there to do that."""
    told = isinstance(expected, ToldPoint) and expected.outcome is Outcome.VIOLATION_ASSUMPTION
    return run is not None and run.verdict is Verdict.EXCLUDED and not told


def _differences(
    row: ExpectPoint | ExpectSection, sweep: Sweep, run: PointResult
) -> Iterable[tuple[str, int]]:
    verdict = run.verdict
    asked = expected_verdict(row)
    expected = asked or Verdict.HOLDS
    names = run.violated_names
    if verdict is not expected and not (asked is None and verdict is Verdict.EXCLUDED):
        shown = f" ({', '.join(names)})" if names else ""
        finer = f" ({row.outcome.value})" if row.outcome is not None and expected is not Verdict.HOLDS else ""
        yield f"{verdict.value}{shown}, expected {expected.value}{finer}", _code_of(verdict)
        return
    if row.outcome is not None and run.outcome is not row.outcome:
        shown = f" ({', '.join(names)})" if names else ""
        yield f"{run.outcome.value}{shown}, expected {row.outcome.value}", EXIT_UNEXPECTED
    if row.violates is not None:
        missing = [name for name in row.violates if name not in names]
        surplus = [name for name in names if name not in row.violates]
        # TLC stops at the first violation unless each is asked for, so the others are not missing then.
        if missing and (sweep.options.find == "each" or not names):
            code = EXIT_INCONCLUSIVE if set(missing) <= set(run.undecided) else EXIT_UNEXPECTED
            yield f"does not violate {', '.join(missing)}, expected to", code
        if surplus:
            yield f"violates {', '.join(surplus)}, not expected to", EXIT_UNEXPECTED
    for key, found in (
        ("trace_length", run.trace_length),
        ("distinct", run.distinct),
        ("generated", run.generated),
    ):
        wanted = getattr(row, key)
        if wanted is not None and found != wanted:
            yield f"{key.replace('_', ' ')} is {found}, expected {wanted}", EXIT_UNEXPECTED
    if row.min_distinct is not None and (run.distinct or 0) < row.min_distinct:
        yield f"distinct is {run.distinct}, expected at least {row.min_distinct}", EXIT_UNEXPECTED


def _code_of(verdict: Verdict) -> int:
    if verdict is Verdict.BROKEN:
        return EXIT_NOT_RUN
    return EXIT_INCONCLUSIVE if verdict is Verdict.INCONCLUSIVE else EXIT_UNEXPECTED
