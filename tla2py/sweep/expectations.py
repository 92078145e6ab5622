"""The expectations of a sweep: the row for a point, and rows from configs and manifests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from tla2py.config.expect_comment import ConfigExpectation, config_expectation
from tla2py.config.read import ConfigFile, read_config_text
from tla2py.model.outcome import Outcome, Verdict
from tla2py.sweep.grid import value_key
from tla2py.sweep.sections import (
    Expectation,
    ExpectPoint,
    ExpectSection,
    ExternalExpectation,
    Scalar,
    SweepFile,
)
from tla2py.toml import value_text


def matching_row(expect: ExpectSection, parameters: Mapping[str, str]) -> Expectation:
    """The first row that matches a point, otherwise the section itself.

    A section with values of its own overrides what configs expect.
    """
    states = any(value is not None for key, value in msgspec.structs.asdict(expect).items() if key != "point")
    for row in expect.point:
        if _matches(row, parameters) and not (states and isinstance(row, ExternalExpectation)):
            return row
    return expect


def overridden_text(expect: ExpectSection, points: Iterable[Mapping[str, str]]) -> str | None:
    """A sentence on the EXPECT comments that ``[expect]`` overrides at some point, given the parameters of each."""
    found: dict[str, None] = {}
    for parameters in points:
        if not isinstance(matching_row(expect, parameters), ExternalExpectation):
            external = (row for row in expect.point if isinstance(row, ExternalExpectation))
            found |= {f"EXPECT at {row.where}": None for row in external if _matches(row, parameters)}
    return f"the sweep file's [expect] overrides {', '.join(found)}" if found else None


def _matches(row: ExpectPoint, parameters: Mapping[str, str]) -> bool:
    return all(
        name in parameters and value_key(value_text(value)) == value_key(parameters[name])
        for name, value in row.match.items()
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
