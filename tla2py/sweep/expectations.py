"""The expectations of a sweep: the row for a point, and rows from configs and manifests."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from fnmatch import fnmatchcase

import msgspec

from tla2py.config.expect_comment import ConfigExpectation, config_expectation
from tla2py.config.read import ConfigFile, read_config_text
from tla2py.model.outcome import Outcome, Verdict
from tla2py.sweep.grid import value_key
from tla2py.sweep.points import Points
from tla2py.sweep.sections import (
    ExpectPoint,
    ExpectSection,
    ExternalExpectation,
    Scalar,
    SweepFile,
)
from tla2py.toml import value_text


class ExpectedRows:
    """The rows of an ``[expect]`` section, found by the texts that they match.

    ``logs`` are the values of the parameter ``log``, which a row may match by a pattern such as ``traces/bug-*``.
    """

    def __init__(self, expect: ExpectSection, logs: Collection[str] = ()) -> None:
        own = msgspec.structs.asdict(expect)
        # A section with values of its own overrides what configs expect.
        states = any(value is not None for key, value in own.items() if key != "point")
        # By the names that rows match: the number of the first row for each key of their values.
        self._numbers: dict[tuple[str, ...], dict[tuple[Hashable, ...], int]] = {}
        for number, row in enumerate(expect.point):
            if not (states and isinstance(row, ExternalExpectation)):
                for match in _matched(row.match, logs):
                    keys = tuple(value_key(value_text(value)) for value in match.values())
                    self._numbers.setdefault(tuple(match), {}).setdefault(keys, number)
        self.names = tuple(dict.fromkeys(name for names in self._numbers for name in names))

    def number(self, parameters: Mapping[str, str]) -> int | None:
        """The number, from 0, of the first row that matches a point; None if the section itself applies."""
        found = (
            rows.get(tuple(value_key(parameters[name]) for name in names))
            for names, rows in self._numbers.items()
            if all(name in parameters for name in names)
        )
        return min((number for number in found if number is not None), default=None)


def _matched(match: Mapping[str, Scalar], logs: Collection[str]) -> list[Mapping[str, Scalar]]:
    """What a row matches, once for each log that its pattern matches."""
    if not logs or "log" not in match or match["log"] in logs:
        return [match]
    pattern = str(match["log"])
    return [{**match, "log": log} for log in logs if fnmatchcase(log, pattern)]


def overridden_text(expect: ExpectSection, points: Points, rows: ExpectedRows) -> str | None:
    """A sentence on the EXPECT comments that ``[expect]`` overrides at some point; ``rows`` are those of ``[expect]``."""
    external = [row for row in expect.point if isinstance(row, ExternalExpectation)]
    found: dict[str, None] = {}
    for point in points.first_with((*rows.names, *(name for row in external for name in row.match))):
        number = rows.number(point.parameters)
        if number is None or not isinstance(expect.point[number], ExternalExpectation):
            found |= {f"EXPECT at {row.where}": None for row in external if matches(row, point.parameters)}
    return f"the sweep file's [expect] overrides {', '.join(found)}" if found else None


def matches(row: ExpectPoint, parameters: Mapping[str, str], logs: Collection[str] = ()) -> bool:
    """Whether a row is about a point; ``logs`` are as in ``ExpectedRows``."""
    return any(
        all(
            name in parameters and value_key(value_text(value)) == value_key(parameters[name])
            for name, value in match.items()
        )
        for match in _matched(row.match, logs)
    )


def with_external_rows(
    file: SweepFile, configs: Mapping[str, ConfigFile], external: Iterable[ExpectPoint]
) -> SweepFile:
    """A sweep file with further rows: the external ones and those of its configs. Its own section takes precedence.

    Raises InputError as ``config_expectation`` does.
    """
    rows = [*external]
    for name, config in configs.items():
        if config.problem is not None:
            continue
        expected = config_expectation(read_config_text(config.path), config.path)
        if expected is not None:
            rows.append(external_row({"config": name} if isinstance(file.config, list) else {}, expected))
    if not rows:
        return file
    section = file.expect or ExpectSection()
    return msgspec.structs.replace(
        file, expect=msgspec.structs.replace(section, point=[*section.point, *rows])
    )


def external_row(
    match: dict[str, Scalar],
    stated: ConfigExpectation,
    *,
    distinct: int | None = None,
    generated: int | None = None,
) -> ExternalExpectation:
    """The row for a result stated outside the sweep file."""
    result = stated.result
    violated = stated.violates and result is Verdict.VIOLATED
    return ExternalExpectation(
        match=match,
        verdict=None if isinstance(result, Outcome) or violated else result.value,
        outcome=result if isinstance(result, Outcome) else None,
        violates=list(stated.violates) or None,
        where=stated.where,
        distinct=distinct,
        generated=generated,
    )
