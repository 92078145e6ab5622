"""Vacuous expectations, found before anything runs: they could never fail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tla2py.errors import InputError
from tla2py.model.outcome import VERDICTS, Verdict
from tla2py.sweep.checks import config_facts
from tla2py.sweep.expectations import matches
from tla2py.sweep.grid import value_key
from tla2py.sweep.judge import expected_verdict
from tla2py.sweep.plan import Plan
from tla2py.sweep.sections import ExpectPoint, ExpectSection, ExternalExpectation
from tla2py.sweep.sweep import Sweep
from tla2py.text import did_you_mean, parameter_text, value_shown
from tla2py.toml import value_text

# Labels of violations that no config lists.
_UNLISTED = ("assert", "assumption")
# The number of a parameter's values in a hint.
_SHOWN = 4


def check_expectations(sweep: Sweep, plan: Plan) -> None:
    """Check that every expectation applies to a point and can fail.

    Raises InputError: ``expect-no-point`` for a row that applies to no point, ``expect-contradiction`` if ``violates`` or
    ``outcome`` contradicts the verdict, ``expect-unchecked`` for a name that no point of the row checks,
    ``expect-unknown-action``.
    """
    section = sweep.file.expect
    if section is None:
        return
    users = _users(sweep, plan)
    for number, row in enumerate(section.point):
        keys: tuple[str | int, ...] = ("expect", "point", number)
        if not users.get(number):
            if isinstance(row, ExternalExpectation):
                continue  # a row of the sweep file takes precedence
            raise _unused(sweep, section, number)
        _check_row(sweep, row, users[number], keys)
    if users.get(None):
        _check_row(sweep, section, users[None], ("expect",))


def row_number(sweep: Sweep, expected: ExpectPoint | ExpectSection) -> int | None:
    """The number of a row from 0, None for the section itself."""
    return next((number for number, row in enumerate(sweep.expect.point) if row is expected), None)


def expectation_place(sweep: Sweep, expected: ExpectPoint | ExpectSection) -> str:
    """``file:line:column`` of the expectation that a point is judged by."""
    if isinstance(expected, ExternalExpectation):
        return expected.where
    number = row_number(sweep, expected)
    return sweep.source.place("expect") if number is None else sweep.source.place("expect", "point", number)


def _users(sweep: Sweep, plan: Plan) -> dict[int | None, list[frozenset[str]]]:
    """For each row, the labels of the checks of the points it applies to; None is the section itself."""
    pairs: dict[tuple[int | None, int], None] = dict.fromkeys(
        zip(sweep.row_numbers(), plan.runs.kinds, strict=True)
    )
    labels = {}
    for place in plan.runs.samples():
        facts = config_facts(plan.runs[place], sweep.spec(plan.points[place].parameters))
        # Judging reports what the template leaves out.
        labels[plan.runs.kinds[place]] = frozenset(check.label for check in (*facts.checked, *facts.dropped))
    users: dict[int | None, list[frozenset[str]]] = {}
    for number, kind in pairs:
        users.setdefault(number, []).append(labels[kind])
    return users


def _unused(sweep: Sweep, section: ExpectSection, number: int) -> InputError:
    row = section.point[number]
    shown = (
        parameter_text({name: str(value) for name, value in row.match.items()})
        if row.match
        else "every point"
    )
    if any(
        matches(row, point.parameters, sweep.logs.logs) for point in sweep.points.first_with([*row.match])
    ):
        message = f"this expectation for {shown} applies to no point: earlier rows match its points"
        hint = "the first row that matches applies; move this one up"
    else:
        message = f"this expectation matches no point: {shown}"
        hint = "the points are those of [parameters] without those that [grid] excludes"
        for name, values in _other_values(sweep, row):
            hint = f"{name} is {values}"
    return InputError(
        "expect-no-point", message, where=sweep.source.place("expect", "point", number), hint=hint
    )


def _other_values(sweep: Sweep, row: ExpectPoint) -> Iterator[tuple[str, str]]:
    """The parameters for which a row has a value that no point has, each with the points' values."""
    for name, value in row.match.items():
        values = list(dict.fromkeys(sweep.points.columns[name]))
        if value_key(value_text(value)) not in map(value_key, values):
            shown = ", ".join([*map(value_shown, values[:_SHOWN]), *["..."][: len(values) > _SHOWN]])
            yield name, f"one of {shown}" if len(values) > 1 else f"{shown} at every point"


def _check_row(
    sweep: Sweep,
    row: ExpectPoint | ExpectSection,
    checked: Iterable[frozenset[str]],
    keys: tuple[str | int, ...],
) -> None:
    def place(key: str, value: str | None = None) -> str:
        return (
            row.where if isinstance(row, ExternalExpectation) else sweep.source.place(*keys, key, value=value)
        )

    verdict = expected_verdict(row)
    if row.outcome is not None and row.verdict not in (None, VERDICTS[row.outcome].value):
        raise InputError(
            "expect-contradiction",
            f"the verdict {row.verdict} and the outcome {row.outcome.value} contradict each other",
            where=place("outcome"),
            hint="keep one of them",
        )
    if verdict not in (None, Verdict.VIOLATED) and row.violates:
        expected = row.verdict or (row.outcome.value if row.outcome else "")
        raise InputError(
            "expect-contradiction",
            f"the verdict {expected} and violates = {row.violates} contradict each other",
            where=place("violates"),
            hint='write verdict = "violated", or remove violates',
        )
    if verdict is Verdict.VIOLATED and row.violates == []:
        raise InputError(
            "expect-contradiction",
            "a violation is expected, but violates is empty",
            where=place("violates"),
            hint="name what should be violated",
        )
    known = frozenset[str]().union(*checked)
    for name in row.violates or ():
        if name not in known and name not in _UNLISTED:
            raise InputError(
                "expect-unchecked",
                f"{name} is expected to be violated, but no point of this expectation checks it",
                where=place("violates", name),
                hint=did_you_mean(name, sorted(known), f"checked: {', '.join(sorted(known)) or 'nothing'}"),
            )
    definitions = sorted({name for spec in sweep.specs.values() for name in spec.definitions})
    for name in row.fires or ():
        if name not in definitions:
            raise InputError(
                "expect-unknown-action",
                f"'fires' names {name}, which is not an action of the module",
                where=place("fires", name),
                hint=did_you_mean(name, definitions, "'tla2py inspect' lists what a module defines"),
            )
